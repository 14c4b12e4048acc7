// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "image/program.h"

namespace wideload::image {

/// The outputs of nvcc that tests/unit/image/CMakeLists.txt builds.
inline std::string cuda_file(const std::string& name) {
    return std::string(WIDELOAD_CUDA_PROGRAMS) + "/" + name;
}

inline std::string read_text(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    EXPECT_TRUE(file.good()) << path;
    return {std::istreambuf_iterator<char>(file), {}};
}

inline std::vector<std::byte> to_bytes(const std::string& text) {
    const auto* first = reinterpret_cast<const std::byte*>(text.data());
    return {first, first + text.size()};
}

inline std::vector<std::byte> cuda_bytes(const std::string& name) {
    return to_bytes(read_text(cuda_file(name)));
}

/// The file's fat binaries; a test that gets none of them fails and goes on with an empty list.
inline std::vector<FatBinary> read_cuda_file(const std::string& name) {
    auto binaries = read_file(cuda_file(name));
    EXPECT_TRUE(binaries.ok()) << (binaries.ok() ? "" : format(binaries.errors()));
    return binaries.ok() ? *binaries : std::vector<FatBinary>{};
}

/// The message of a failed read, without the place.
template <class T>
std::string message_of(const Result<T>& result) {
    return result.ok() ? "(no error)" : result.errors().front().message;
}

}  // namespace wideload::image

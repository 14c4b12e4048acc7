// SPDX-License-Identifier: Apache-2.0
#include "cubins.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

namespace wideload::sass::test {

std::string cuda_file(const std::string& name) {
    return std::string(WIDELOAD_CUDA_PROGRAMS) + "/" + name;
}

InspectOptions options_for(std::uint32_t arch) {
    // ptxas and nvcc are found beside the compiler that built the programs.
    ::setenv("CUDACXX", WIDELOAD_NVCC, 1);
    InspectOptions options;
    options.target = {arch, '\0'};
    options.target_is_asked = true;
    options.nvdisasm = WIDELOAD_NVDISASM;
    return options;
}

std::vector<KernelCode> kernels_of(const std::string& file, const InspectOptions& options) {
    auto codes = inspect(file, options);
    EXPECT_TRUE(codes.ok()) << (codes.ok() ? "" : format(codes.errors()));
    std::vector<KernelCode> kernels;
    if (!codes) return kernels;
    for (InspectedCode& code : *codes) {
        std::ranges::move(code.kernels, std::back_inserter(kernels));
    }
    return kernels;
}

KernelCode kernel_named(const std::vector<KernelCode>& kernels, const std::string& part) {
    const auto found = std::ranges::find_if(kernels, [&](const KernelCode& kernel) {
        return kernel.resources.name.find(part) != std::string::npos;
    });
    EXPECT_NE(found, kernels.end()) << part;
    return found == kernels.end() ? KernelCode{} : *found;
}

std::vector<std::string> words_of(const KernelCode& kernel) {
    std::vector<std::string> words;
    for (const Access& access : kernel.accesses) {
        std::string text = fmt::format("{} {} {} B x{}", name(access.space), name(access.action),
                                       access.bytes, access.count);
        for (const SourceLocation& frame : access.frames) {
            text += fmt::format(" {}:{}", std::filesystem::path(frame.file).filename().string(),
                                frame.line);
        }
        words.push_back(text);
    }
    return words;
}

}  // namespace wideload::sass::test

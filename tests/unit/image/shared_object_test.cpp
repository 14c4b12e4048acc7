// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>
#include <gtest/gtest.h>

#include "cuda_files.h"
#include "image/select.h"

namespace wideload::image {
namespace {

// The static zstd of Debian 12 crashes inside a lazily bound shared object that exports its
// functions; the engine is one.
TEST(SharedObject, DecompressesWhenBoundLazily) {
    void* library = ::dlopen(WIDELOAD_SHARED_OBJECT, RTLD_LAZY | RTLD_LOCAL);
    ASSERT_NE(library, nullptr) << ::dlerror();
    auto* ptx_bytes_in =
        reinterpret_cast<std::size_t (*)(const char*)>(::dlsym(library, "ptx_bytes_in"));
    ASSERT_NE(ptx_bytes_in, nullptr);
    EXPECT_EQ(::dlsym(library, "ZSTD_decompress"), nullptr)
        << "the program's own zstd would be mixed with it";
    for (const char* file : {"image_size.fatbin", "image_balance.fatbin", "image_speed.fatbin"}) {
        const auto binaries = read_cuda_file(file);
        ASSERT_EQ(binaries.size(), 1u);
        const auto expected = select_ptx(binaries[0], 90);
        ASSERT_TRUE(expected.ok());
        EXPECT_EQ(ptx_bytes_in(cuda_file(file).c_str()), expected->size()) << file;
    }
    ::dlclose(library);
}

}  // namespace
}  // namespace wideload::image

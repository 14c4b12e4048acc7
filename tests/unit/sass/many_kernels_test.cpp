// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <set>

#include "cubins.h"

namespace wideload::sass::test {
namespace {

/// PTX of `count` kernels, the i-th of which stores i % 3 + 1 times.
std::string ptx_of(int count) {
    std::string text = ".version 7.0\n.target sm_75\n.address_size 64\n";
    for (int kernel = 0; kernel < count; ++kernel) {
        text += fmt::format(".visible .entry kernel_{}(.param .u64 output)\n{{\n", kernel) +
                "  .reg .b64 %rd<3>; .reg .b32 %r<2>;\n  ld.param.u64 %rd1, [output];\n"
                "  cvta.to.global.u64 %rd2, %rd1;\n  mov.u32 %r1, %tid.x;\n";
        for (int store = 0; store <= kernel % 3; ++store) {
            text += fmt::format("  st.global.u32 [%rd2+{}], %r1;\n", store * 4096);
        }
        text += "  ret;\n}\n";
    }
    return text;
}

// Large cubins are read in parts by several processes: each kernel comes out once, in order, with
// its own instructions.
TEST(ManyKernels, EachIsReadOnce) {
    constexpr int kKernels = 250;
    const std::string file = testing::TempDir() + "many.ptx";
    std::ofstream(file) << ptx_of(kKernels);
    const auto kernels = kernels_of(file, options_for(90));
    ASSERT_EQ(kernels.size(), static_cast<std::size_t>(kKernels));
    std::set<std::string> names;
    for (const KernelCode& kernel : kernels) {
        const int number = std::stoi(kernel.resources.name.substr(7));
        EXPECT_EQ(kernel.of(Category::global), static_cast<std::uint64_t>(number % 3 + 1));
        names.insert(kernel.resources.name);
    }
    EXPECT_EQ(names.size(), kernels.size());
}

}  // namespace
}  // namespace wideload::sass::test

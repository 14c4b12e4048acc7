// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <algorithm>

#include "cubins.h"

namespace wideload::sass::test {
namespace {

using testing::ElementsAre;
using testing::UnorderedElementsAre;

class EveryArchitecture : public testing::TestWithParam<std::uint32_t> {
protected:
    std::vector<KernelCode> copies() const {
        return kernels_of(cuda_file("sass_copies_sm_" + std::to_string(GetParam()) + ".cubin"),
                          options_for(GetParam()));
    }
};

/// The kernel's only opcode of global memory that begins so, without what comes after the width:
/// sm_75 adds .SYS.
std::string opcode_of(const KernelCode& kernel, Action action) {
    for (const Access& access : kernel.accesses) {
        if (access.space == Category::global && access.action == action) {
            const std::size_t system = access.opcode.rfind(".SYS");
            return access.opcode.substr(0, system);
        }
    }
    return {};
}

// A copy of a type of N bytes is one load and one store of N bytes: what documents on vectorised
// access read off the disassembly.
TEST_P(EveryArchitecture, CopiesAreAsWideAsTheirType) {
    const auto kernels = copies();
    const struct {
        const char* type;  // as the name mangles it
        std::uint32_t bytes;
        const char* load;
        const char* store;
    } kCopies[] = {{"copyIcE", 1, "LDG.E.U8", "STG.E.U8"},
                   {"copyIsE", 2, "LDG.E.U16", "STG.E.U16"},
                   {"copyIfE", 4, "LDG.E", "STG.E"},
                   {"copyI6float2E", 8, "LDG.E.64", "STG.E.64"},
                   {"copyI6float4E", 16, "LDG.E.128", "STG.E.128"}};
    for (const auto& expected : kCopies) {
        const KernelCode kernel = kernel_named(kernels, expected.type);
        const std::string place = " B x1 copies.cu:8";
        const std::string bytes = std::to_string(expected.bytes);
        EXPECT_THAT(words_of(kernel), UnorderedElementsAre("global load " + bytes + place,
                                                           "global store " + bytes + place));
        EXPECT_EQ(opcode_of(kernel, Action::load), expected.load);
        EXPECT_EQ(opcode_of(kernel, Action::store), expected.store);
        EXPECT_EQ(kernel.of(Category::global), 2u);
    }
}

// The engine counts them by the coding of instructions alone, since it has no disassembler at hand.
TEST_P(EveryArchitecture, LoadsAreCountedWithoutDisassembly) {
    for (const char* program : {"sass_copies_sm_", "sass_spills_sm_"}) {
        const std::string file = cuda_file(program + std::to_string(GetParam()) + ".cubin");
        for (const KernelCode& kernel : kernels_of(file, options_for(GetParam()))) {
            std::uint64_t loads = 0;
            for (const Access& access : kernel.accesses) {
                if (access.opcode.starts_with("LDG.")) loads += access.count;
            }
            EXPECT_EQ(kernel.resources.global_loads, loads) << kernel.resources.name;
        }
    }
}

// A line that was inlined stands with the line that it was inlined at, and only that one.
TEST_P(EveryArchitecture, InlinedLinesKeepTheirChain) {
    const KernelCode kernel = kernel_named(copies(), "scale");
    EXPECT_THAT(words_of(kernel),
                UnorderedElementsAre("global load 4 B x1 copies.cu:4 copies.cu:18",
                                     "global store 4 B x1 copies.cu:18"));
}

// Shared memory is as wide; its array and its barrier are the kernel's resources.
TEST_P(EveryArchitecture, SharedMemoryIsListed) {
    const KernelCode kernel = kernel_named(copies(), "rotate");
    EXPECT_THAT(words_of(kernel), UnorderedElementsAre("global load 16 B x1 copies.cu:23",
                                                       "shared store 16 B x1 copies.cu:23",
                                                       "shared load 16 B x1 copies.cu:25",
                                                       "global store 16 B x1 copies.cu:25"));
    EXPECT_EQ(kernel.resources.static_shared_bytes, 64u * 16);
    EXPECT_EQ(kernel.resources.barriers, 1u);
    EXPECT_GE(kernel.of(Category::synchronization), 1u);
}

// Every instruction of these kernels is of a category that has a name.
TEST_P(EveryArchitecture, MixAddsUp) {
    for (const KernelCode& kernel : copies()) {
        std::uint64_t sum = 0;
        for (const std::uint64_t share : kernel.mix) sum += share;
        EXPECT_EQ(sum, kernel.instructions) << kernel.resources.name;
        EXPECT_EQ(kernel.of(Category::other), 0u) << kernel.resources.name;
        EXPECT_GT(kernel.of(Category::control), 0u) << kernel.resources.name;
    }
}

INSTANTIATE_TEST_SUITE_P(Cubins, EveryArchitecture,
                         testing::Values(75u, 80u, 86u, 89u, 90u, 100u, 120u),
                         testing::PrintToStringParamName());

// Blackwell moves 256 bits a lane; the PTX is compiled for it, whichever GPU is the default.
TEST(WidePtx, Has256BitAccesses) {
    const auto kernels =
        kernels_of(std::string(WIDELOAD_SASS_PROGRAMS) + "/wide.ptx", options_for(100));
    ASSERT_EQ(kernels.size(), 1u);
    EXPECT_THAT(words_of(kernels[0]),
                UnorderedElementsAre("global load 32 B x2", "global store 32 B x2"));
}

}  // namespace
}  // namespace wideload::sass::test

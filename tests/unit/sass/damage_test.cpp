// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <random>
#include <span>

#include "cubins.h"
#include "image/cubin.h"
#include "image/elf.h"
#include "sass/refused_code.h"

namespace wideload::sass::test {
namespace {

std::string contents(const std::string& path) {
    std::ifstream stream(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}

// A damaged cubin is an error that names the file and the place, or it is read; whether its tables
// or only its code are damaged, which nvdisasm has to say. Never a crash.
TEST(DamagedCubin, IsAnErrorThatNamesThePlace) {
    const std::string original = contents(cuda_file("sass_copies_sm_90.cubin"));
    const std::string file = testing::TempDir() + "damaged.cubin";
    std::mt19937 random(20251121);  // NOLINT(cert-msc51-cpp): the same damage in every run
    int errors = 0;
    for (int i = 0; i < 12; ++i) {
        std::string damaged = original;
        for (int byte = 0; byte < 40; ++byte) {
            damaged[random() % damaged.size()] = static_cast<char>(random());
        }
        if (i % 3 == 0) damaged.resize(random() % damaged.size());
        std::ofstream(file, std::ios::binary) << damaged;
        const auto codes = inspect(file, options_for());
        if (codes.ok()) continue;
        ++errors;
        EXPECT_THAT(format(codes.errors()), testing::AllOf(testing::HasSubstr("damaged.cubin"),
                                                           testing::HasSubstr("at byte 0x")))
            << i;
    }
    EXPECT_GT(errors, 3);
}

/// The cubin of several kernels, with 0xff in place of its bytes from `begin` on.
std::string overwritten(std::uint64_t begin, std::uint64_t bytes) {
    std::string damaged = contents(cuda_file("sass_copies_sm_90.cubin"));
    std::fill_n(damaged.begin() + static_cast<std::ptrdiff_t>(begin), bytes, char(-1));
    const std::string file = testing::TempDir() + "overwritten.cubin";
    std::ofstream(file, std::ios::binary) << damaged;
    return file;
}

// nvdisasm says only that an instruction is illegal: which of the kernels has it, and where that
// begins, is found by asking again.
TEST(DamagedCubin, RefusedCodeIsNamedWithItsPlace) {
    const std::string cubin = contents(cuda_file("sass_copies_sm_90.cubin"));
    const ByteRange range{std::as_bytes(std::span(cubin)), "copies.cubin"};
    const auto elf = image::read_elf(range);
    const auto kernels = image::read_cubin(range);
    ASSERT_TRUE(elf.ok() && kernels.ok());
    ASSERT_GT(kernels->size(), 3U);
    constexpr std::uint64_t kInstruction = 16;
    for (const image::CubinKernel& kernel : {(*kernels)[1], kernels->back()}) {
        const image::ElfSection* code = elf->section(".text." + kernel.name);
        ASSERT_NE(code, nullptr);
        const auto codes = inspect(overwritten(code->contents.origin, kInstruction), options_for());
        ASSERT_FALSE(codes.ok()) << kernel.name;
        EXPECT_THAT(format(codes.errors()),
                    testing::HasSubstr(fmt::format("overwritten.cubin: error: the disassembler "
                                                   "refuses the code of kernel {} (at byte {:#x})",
                                                   kernel.name, code->contents.origin)));
    }
}

// Of two damaged kernels the first is named; of all of them none.
TEST(DamagedCubin, RefusalsAreTracedByHalves) {
    const std::string cubin = contents(cuda_file("sass_copies_sm_90.cubin"));
    const ByteRange range{std::as_bytes(std::span(cubin)), "copies.cubin"};
    const auto elf = image::read_elf(range);
    const auto kernels = image::read_cubin(range);
    ASSERT_TRUE(elf.ok() && kernels.ok());
    const auto place_where = [&](const auto& is_damaged) {
        const auto reads = [&](std::span<const image::CubinKernel> some) {
            return std::ranges::none_of(some, [&](const image::CubinKernel& one) {
                return is_damaged(&one - kernels->data());
            });
        };
        return format(locate_refusal(range, *kernels, reads, {failure("tool's words")}));
    };
    EXPECT_THAT(place_where([](auto i) { return i == 2 || i == 4; }),
                testing::AllOf(testing::HasSubstr((*kernels)[2].name),
                               testing::HasSubstr("): tool's words")));
    EXPECT_THAT(place_where([](auto) { return true; }),
                testing::HasSubstr("refuses every kernel (at byte 0x"));
    const auto only_together = [&](std::span<const image::CubinKernel> some) {
        return some.size() < kernels->size();
    };
    EXPECT_THAT(format(locate_refusal(range, *kernels, only_together, {})),
                testing::HasSubstr("one by one (at byte 0x"));
}

TEST(DamagedCubin, CutShortSaysWhere) {
    const std::string file = testing::TempDir() + "cut.cubin";
    std::ofstream(file, std::ios::binary)
        << contents(cuda_file("sass_copies_sm_90.cubin")).substr(0, 5000);
    const auto codes = inspect(file, options_for());
    ASSERT_FALSE(codes.ok());
    EXPECT_THAT(format(codes.errors()),
                testing::AllOf(testing::HasSubstr("cut.cubin"), testing::HasSubstr("at byte 0x")));
}

}  // namespace
}  // namespace wideload::sass::test

// SPDX-License-Identifier: Apache-2.0
#include "image/cubin.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "cuda_files.h"

namespace wideload::image {
namespace {

const CubinKernel* kernel_of(const std::vector<CubinKernel>& kernels, std::string_view name) {
    const auto found = std::ranges::find(kernels, name, &CubinKernel::name);
    return found == kernels.end() ? nullptr : &*found;
}

class EveryArchitecture : public testing::TestWithParam<std::uint32_t> {};

// The source says what ptxas must have written: 256 floats of shared memory, two pointers and an
// int, at most 256 threads, an array of 64 ints a thread. Only the register counts are ptxas's own.
TEST_P(EveryArchitecture, TellsWhatTheSourceSays) {
    const auto bytes = cuda_bytes("image_sm_" + std::to_string(GetParam()) + ".cubin");
    const auto elf = read_elf({bytes, "cubin"});
    ASSERT_TRUE(elf.ok());
    EXPECT_EQ(cubin_arch(*elf), GetParam());
    const auto kernels = read_cubin({bytes, "cubin"});
    ASSERT_TRUE(kernels.ok()) << format(kernels.errors());
    ASSERT_EQ(kernels->size(), 2u);

    const CubinKernel* scale = kernel_of(*kernels, "_Z5scalePKfPfi");
    ASSERT_NE(scale, nullptr);
    EXPECT_EQ(scale->static_shared_bytes, 256 * sizeof(float));
    EXPECT_EQ(scale->frame_bytes, 0u);
    EXPECT_EQ(scale->parameter_bytes, 2 * sizeof(void*) + sizeof(int));
    ASSERT_EQ(scale->parameters.size(), 3u);
    EXPECT_EQ(scale->parameters[1].offset, sizeof(void*));
    EXPECT_EQ(scale->parameters[1].bytes, sizeof(void*));
    EXPECT_EQ(scale->parameters[2].offset, 2 * sizeof(void*));
    EXPECT_EQ(scale->parameters[2].bytes, sizeof(int));
    EXPECT_EQ(scale->max_threads, (std::array<std::uint32_t, 3>{256, 1, 1}));
    EXPECT_EQ(scale->barriers, 1u);
    EXPECT_GE(scale->registers, 6u);
    EXPECT_LE(scale->registers, 32u);

    const CubinKernel* look_up = kernel_of(*kernels, "_Z7look_upPKiPii");
    ASSERT_NE(look_up, nullptr);
    EXPECT_EQ(look_up->static_shared_bytes, 0u);
    EXPECT_EQ(look_up->frame_bytes, 64 * sizeof(int));
    EXPECT_EQ(look_up->stack_bytes, 64 * sizeof(int));
    EXPECT_FALSE(look_up->max_threads.has_value());
    EXPECT_EQ(look_up->barriers, 0u);
}

INSTANTIATE_TEST_SUITE_P(Cubins, EveryArchitecture, testing::Values(75u, 80u, 90u, 120u),
                         testing::PrintToStringParamName());

TEST(Cubin, RefusesAHostFile) {
    const auto bytes = cuda_bytes("image_shared_runtime");
    EXPECT_THAT(message_of(read_cubin({bytes, "app"})), testing::HasSubstr("not a cubin"));
}

}  // namespace
}  // namespace wideload::image

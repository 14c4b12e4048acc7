// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "../../../lab/harness/rotation.cuh"

namespace lab {
namespace {

constexpr std::size_t kMebibyte = std::size_t{1} << 20;

// Whatever a buffer's size, all copies of it must drive each other out of the L2 four times over,
// and hardly more: copies take memory.
TEST(Rotation, CopiesAreMoreThanFourTimesTheL2) {
    for (const std::size_t l2 : {4 * kMebibyte, 60 * kMebibyte, 126 * kMebibyte}) {
        for (std::size_t bytes = 1; bytes <= 1024 * kMebibyte; bytes = bytes * 3 + 1) {
            const std::size_t copies = rotated_copies(bytes, l2);
            const std::size_t all = copies * slot_bytes(bytes);
            EXPECT_GT(all, 4 * l2) << bytes;
            EXPECT_GE(copies, 2U) << bytes;
            EXPECT_LT(all, 5 * l2 + 2 * slot_bytes(bytes)) << bytes;
        }
    }
}

TEST(Rotation, CopiesShareNoLine) {
    for (const std::size_t bytes :
         {std::size_t{0}, std::size_t{1}, std::size_t{512}, kMebibyte + 4}) {
        EXPECT_GE(slot_bytes(bytes), bytes);
        EXPECT_EQ(slot_bytes(bytes) % 512, 0U);
        EXPECT_GT(slot_bytes(bytes), 0U);
    }
}

// Small buffers have hundreds of thousands of copies; a repeat is to stay short.
TEST(Rotation, ARepeatUsesSomeOfThem) {
    EXPECT_EQ(launches_of_repeat(2), 2);
    EXPECT_EQ(launches_of_repeat(rotated_copies(1, 60 * kMebibyte)), 40);
}

}  // namespace
}  // namespace lab

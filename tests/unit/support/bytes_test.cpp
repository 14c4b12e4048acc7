// SPDX-License-Identifier: Apache-2.0
#include "support/bytes.h"

#include <gtest/gtest.h>

#include <array>
#include <string>

namespace wideload {
namespace {

constexpr std::array<std::byte, 10> kBytes = {
    std::byte{0x01}, std::byte{0x02}, std::byte{0x03}, std::byte{0x04}, std::byte{0x05},
    std::byte{'a'},  std::byte{'b'},  std::byte{0},    std::byte{'c'},  std::byte{'d'}};

ByteRange range() { return {kBytes, "file", 0x100}; }

TEST(ByteReader, ReadsLittleEndianInSequence) {
    ByteReader reader(range());
    EXPECT_EQ(reader.read<std::uint8_t>("x"), 0x01u);
    EXPECT_EQ(reader.read<std::uint32_t>("x"), 0x05040302u);
    EXPECT_EQ(reader.offset(), 5u);
    EXPECT_EQ(reader.take(2, "x").size(), 2u);
    reader.skip(3, "x");
    EXPECT_TRUE(reader.ok());
    EXPECT_TRUE(reader.at_end());
}

// A caller reads a whole record and asks once: what it gets after the failure must be harmless, and
// the place the first.
TEST(ByteReader, KeepsTheFirstFailureAndGivesZerosAfterIt) {
    ByteReader reader(range());
    reader.skip(7, "x");
    EXPECT_EQ(reader.read<std::uint32_t>("count"), 0u);
    EXPECT_EQ(reader.read<std::uint8_t>("flag"), 0u)
        << "one byte is left, but the record is broken";
    EXPECT_TRUE(reader.take(1, "rest").empty());
    ASSERT_FALSE(reader.ok());
    EXPECT_EQ(reader.error().where.file, "file");
    EXPECT_EQ(reader.error().message, "truncated: count needs 4 bytes, 3 are left (at byte 0x107)");
}

TEST(ByteReader, SizesThatWrapAreTooMany) {
    ByteReader reader(range());
    reader.skip(8, "x");
    reader.skip(UINT64_MAX - 2, "payload");
    EXPECT_FALSE(reader.ok());
}

TEST(ByteRange, SlicesRememberTheirPlaceInTheInput) {
    const auto outer = range().slice(2, 6, "outer");
    ASSERT_TRUE(outer.ok());
    const auto inner = outer->slice(1, 3, "inner");
    ASSERT_TRUE(inner.ok());
    EXPECT_EQ(inner->origin, 0x103u);
    EXPECT_EQ(inner->data.data(), kBytes.data() + 3);
    EXPECT_EQ(inner->error_at(2, "bad").message, "bad (at byte 0x105)");
}

TEST(ByteRange, SlicesEndWithTheirRange) {
    EXPECT_TRUE(range().slice(10, 0, "x").ok());
    EXPECT_TRUE(range().slice(0, 10, "x").ok());
    for (const auto& [offset, bytes] : {std::pair<std::uint64_t, std::uint64_t>{0, 11},
                                        {10, 1},
                                        {11, 0},
                                        {UINT64_MAX, 1},
                                        {1, UINT64_MAX},
                                        {UINT64_MAX, UINT64_MAX}}) {
        EXPECT_FALSE(range().slice(offset, bytes, "x").ok()) << offset << " " << bytes;
    }
    EXPECT_EQ(range().slice(4, 9, "table").errors()[0].message,
              "truncated: table needs 9 bytes, 6 are left (at byte 0x104)");
    EXPECT_EQ(range().slice(UINT64_MAX, 9, "table").errors()[0].message,
              "truncated: table begins " + std::to_string(UINT64_MAX - 10) +
                  " bytes past the end (at byte 0x10a)");
}

TEST(ByteRange, StringsEndInTheirRange) {
    const auto text = range().terminated_string(5, "name");
    ASSERT_TRUE(text.ok());
    EXPECT_EQ(*text, "ab");
    EXPECT_EQ(*range().terminated_string(7, "name"), "");
    EXPECT_EQ(range().terminated_string(8, "name").errors()[0].message,
              "name does not end (at byte 0x108)");
    EXPECT_FALSE(range().terminated_string(10, "name").ok());
    EXPECT_FALSE(range().terminated_string(UINT64_MAX, "name").ok());
}

}  // namespace
}  // namespace wideload

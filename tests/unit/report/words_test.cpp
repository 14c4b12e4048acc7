// SPDX-License-Identifier: Apache-2.0
#include "report/words.h"

#include <gtest/gtest.h>

namespace wideload::report {
namespace {

using profile::Pattern;

TEST(Words, GroupDigitsByThousands) {
    EXPECT_EQ(grouped(0), "0");
    EXPECT_EQ(grouped(999), "999");
    EXPECT_EQ(grouped(1000), "1,000");
    EXPECT_EQ(grouped(268435456), "268,435,456");
}

TEST(Words, CountNouns) {
    EXPECT_EQ(counted(1, "launch"), "1 launch");
    EXPECT_EQ(counted(0, "launch"), "0 launches");
    EXPECT_EQ(counted(2000, "byte"), "2,000 bytes");
    EXPECT_EQ(counted(2, "process"), "2 processes");
}

// Three digits, and a unit is left before its number has four.
TEST(Words, ScaleBytes) {
    EXPECT_EQ(byte_words(0), "0 B");
    EXPECT_EQ(byte_words(999), "999 B");
    EXPECT_EQ(byte_words(1000), "0.98 KiB");
    EXPECT_EQ(byte_words(28ull << 20), "28.0 MiB");
    EXPECT_EQ(byte_words(1023ull << 20), "1.00 GiB");
    EXPECT_EQ(byte_words(3ull << 29), "1.50 GiB");
    EXPECT_EQ(byte_words(~0ull), "16.0 EiB");
}

// A reader takes "100 %" for all and "0 %" for none, so nothing else may round to them.
TEST(Words, KeepAllAndNoneForThemselves) {
    EXPECT_EQ(percent(1, 8), "12.5 %");
    EXPECT_EQ(percent(0, 8), "0 %");
    EXPECT_EQ(percent(8, 8), "100 %");
    EXPECT_EQ(percent(99999, 100000), "99.9 %");
    EXPECT_EQ(percent(1, 1000000), "0.1 %");
    EXPECT_EQ(pattern_words({Pattern::contiguous, 0, 999}, 1000), "contiguous (99 %)");
}

TEST(Words, NamePatterns) {
    EXPECT_EQ(pattern_words({Pattern::strided, 128, 1}), "strided by 128 bytes");
    EXPECT_EQ(pattern_words({Pattern::strided, -8, 1}), "strided by 8 bytes backwards");
    EXPECT_EQ(pattern_words({Pattern::strided, 1 << 16, 1}), "strided by 64 KiB");
    EXPECT_EQ(pattern_words({Pattern::misaligned, 1, 1}), "misaligned by 1 byte");
    EXPECT_EQ(pattern_words({Pattern::irregular, 0, 2}, 3), "irregular (67 %)");
}

// PTX numbers parameters; a reader knows their types and counts from 1.
TEST(Words, NameParameters) {
    constexpr std::string_view kKernel =
        "void f<int, (int)2>(std::map<int, char> const*, void (*)(int, int), float)";
    EXPECT_EQ(parameter_words("_Z1f_param_0", kKernel), "parameter 1 (std::map<int, char> const*)");
    EXPECT_EQ(parameter_words("_Z1f_param_1", kKernel), "parameter 2 (void (*)(int, int))");
    EXPECT_EQ(parameter_words("_Z1f_param_2", kKernel), "parameter 3 (float)");
    EXPECT_EQ(parameter_words("_Z1f_param_3", kKernel), "parameter 4");
    EXPECT_EQ(parameter_words("f_param_0", "f"), "parameter 1") << "a C function has no signature";
    EXPECT_EQ(parameter_words("input", kKernel), "parameter input");
}

TEST(Words, NameAccesses) {
    profile::Site site;
    site.kind = profile::SiteKind::global_ld;
    site.element_bytes = 4;
    site.vector_width = 4;
    EXPECT_EQ(access_words(site), "load 4 B × 4");
    site.kind = profile::SiteKind::branch;
    EXPECT_EQ(access_words(site), "branch");
}

}  // namespace
}  // namespace wideload::report

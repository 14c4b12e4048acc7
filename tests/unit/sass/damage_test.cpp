// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <fstream>
#include <iterator>
#include <random>

#include "cubins.h"

namespace wideload::sass::test {
namespace {

std::string contents(const std::string& path) {
    std::ifstream stream(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}

// A damaged cubin is an error that names the file, or it is read; whether its tables or only its
// code are damaged, which nvdisasm has to say. Never a crash.
TEST(DamagedCubin, IsAnErrorThatNamesTheFile) {
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
        EXPECT_THAT(format(codes.errors()), testing::HasSubstr("damaged.cubin")) << i;
    }
    EXPECT_GT(errors, 3);
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

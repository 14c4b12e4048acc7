// SPDX-License-Identifier: Apache-2.0
#include "cli/progress.h"

#include <gtest/gtest.h>

#include <memory>
#include <string_view>

namespace wideload::cli {
namespace {

TEST(Progress, SaysWhichKernelRuns) {
    const auto status = std::make_unique<preload::StatusPage>();
    EXPECT_EQ(progress_words(*status, std::chrono::seconds(3), 80), "wideload: 3 s, 0 launches");
    status->launches_started = 1200;
    status->launches_finished = 1199;
    constexpr std::string_view kName = "matmul(float*, int)";
    for (std::size_t i = 0; i < kName.size(); ++i) status->kernel[i] = kName[i];
    EXPECT_EQ(progress_words(*status, std::chrono::seconds(3), 80),
              "wideload: 3 s, 1,200 launches, now in matmul(float*, int)");
    EXPECT_EQ(progress_words(*status, std::chrono::seconds(3), 20), "wideload: 3 s, 1,20…");
    status->launches_finished = 1200;
    EXPECT_EQ(progress_words(*status, std::chrono::seconds(3), 80),
              "wideload: 3 s, 1,200 launches");
}

}  // namespace
}  // namespace wideload::cli

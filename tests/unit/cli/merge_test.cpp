// SPDX-License-Identifier: Apache-2.0
#include "cli/merge.h"

#include <gtest/gtest.h>

namespace wideload::cli {
namespace {

profile::Profile of_one_process(std::uint64_t pid, std::string device) {
    profile::Profile profile;
    profile.producer = "wideload";
    profile.processes.emplace_back().pid = pid;
    profile.devices.emplace_back().key = std::move(device);
    profile.launches.emplace_back().kernel = "k" + std::to_string(pid);
    return profile;
}

TEST(Merge, KeepsEveryLaunchWithItsProcessAndDevice) {
    profile::Profile all;
    merge(all, of_one_process(10, "h200"));
    merge(all, of_one_process(11, "t4"));
    merge(all, of_one_process(12, "h200"));
    EXPECT_EQ(all.producer, "wideload");
    ASSERT_EQ(all.devices.size(), 2u);
    ASSERT_EQ(all.launches.size(), 3u);
    for (const profile::Launch& launch : all.launches) {
        EXPECT_EQ(launch.kernel, "k" + std::to_string(all.processes.at(launch.process).pid));
    }
    EXPECT_EQ(all.devices.at(all.launches[1].device).key, "t4");
    EXPECT_EQ(all.launches[2].device, all.launches[0].device);
}

TEST(Merge, AddsUpUnsupportedCalls) {
    profile::Profile all = of_one_process(1, "h200"), other = of_one_process(2, "h200");
    all.unsupported_calls = {{"cudaGraphCreate", 2, ""}};
    other.unsupported_calls = {{"cudaGraphCreate", 3, ""}, {"cudaImportExternalMemory", 1, ""}};
    merge(all, other);
    ASSERT_EQ(all.unsupported_calls.size(), 2u);
    EXPECT_EQ(all.unsupported_calls[0].calls, 5u);
}

}  // namespace
}  // namespace wideload::cli

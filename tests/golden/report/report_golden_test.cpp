// SPDX-License-Identifier: Apache-2.0
// The terminal report of each profile in this folder, compared with the .txt beside it.
// WIDELOAD_REBASE=1 writes the .txt files anew instead; read the difference before you keep it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>
#include <vector>

#include "profile/json.h"
#include "report/layout.h"
#include "report/terminal.h"

namespace wideload::report {
namespace {

namespace fs = std::filesystem;

std::string contents(const fs::path& path) {
    std::ifstream stream(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}

std::vector<fs::path> profiles() {
    std::vector<fs::path> found;
    for (const fs::directory_entry& entry : fs::directory_iterator(WIDELOAD_GOLDEN)) {
        if (entry.path().extension() == ".json") found.push_back(entry.path());
    }
    std::ranges::sort(found);
    return found;
}

TerminalOptions options_for(const fs::path& profile) {
    TerminalOptions options;
    options.source_folder = WIDELOAD_GOLDEN;
    options.colour = profile.stem() == "coalesced_and_strided";
    return options;
}

class ReportGolden : public ::testing::TestWithParam<fs::path> {};

TEST_P(ReportGolden, IsAsKept) {
    const auto profile = profile::load(GetParam().string());
    ASSERT_TRUE(profile.ok()) << format(profile.errors());
    const std::string report = terminal_report(*profile, options_for(GetParam()));
    const fs::path golden = fs::path(GetParam()).replace_extension(".txt");
    if (const char* rebase = std::getenv("WIDELOAD_REBASE"); rebase != nullptr && *rebase == '1') {
        std::ofstream(golden, std::ios::binary) << report;
    }
    EXPECT_EQ(report, contents(golden));
}

// Colour has no width; the goldens with colour are looked at without it.
TEST_P(ReportGolden, FitsInAHundredColumns) {
    const auto profile = profile::load(GetParam().string());
    ASSERT_TRUE(profile.ok());
    TerminalOptions options = options_for(GetParam());
    options.colour = false;
    options.all_sites = true;
    const std::string report = terminal_report(*profile, options);
    for (std::size_t at = 0, end = 0; at < report.size(); at = end + 1) {
        end = report.find('\n', at);
        ASSERT_NE(end, std::string::npos) << "the last line lacks its end";
        const std::string_view line = std::string_view(report).substr(at, end - at);
        EXPECT_LE(display_width(line), 100u) << line;
        EXPECT_FALSE(line.ends_with(' ')) << line;
    }
}

INSTANTIATE_TEST_SUITE_P(Profiles, ReportGolden, ::testing::ValuesIn(profiles()),
                         [](const auto& test) { return test.param.stem().string(); });

}  // namespace
}  // namespace wideload::report

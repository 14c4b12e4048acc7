// SPDX-License-Identifier: Apache-2.0
#include "cli/command_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/exit_codes.h"

namespace wideload::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::internal::CaptureStderr;
using ::testing::internal::CaptureStdout;
using ::testing::internal::GetCapturedStderr;
using ::testing::internal::GetCapturedStdout;

Command parse(std::vector<const char*> words) {
    words.insert(words.begin(), "wideload");
    return parse_command_line(static_cast<int>(words.size()), words.data());
}

RunCommand parse_run(std::vector<const char*> words) {
    words.insert(words.begin(), "run");
    Command command = parse(std::move(words));
    EXPECT_TRUE(std::holds_alternative<RunCommand>(command));
    return std::holds_alternative<RunCommand>(command) ? std::get<RunCommand>(command)
                                                       : RunCommand{};
}

/// What is said of a mistake; the exit code must be the tool's.
std::string mistake(std::vector<const char*> words) {
    CaptureStderr();
    const Command command = parse(std::move(words));
    EXPECT_TRUE(std::holds_alternative<Answered>(command));
    EXPECT_EQ(std::get<Answered>(command).exit_code, kToolFailed);
    return GetCapturedStderr();
}

TEST(CommandLine, TakesEveryOptionOfRun) {
    const RunCommand run = parse_run({"--gpu",
                                      "A100",
                                      "--json",
                                      "p.json",
                                      "--report",
                                      "r.txt",
                                      "--quiet",
                                      "--kernel-timeout",
                                      "2.5",
                                      "--workers",
                                      "1",
                                      "--deterministic",
                                      "--no-counters",
                                      "--isa",
                                      "avx2",
                                      "--color",
                                      "never",
                                      "--all",
                                      "--",
                                      "./a",
                                      "b"});
    EXPECT_EQ(run.gpu, "A100");
    EXPECT_EQ(run.json, "p.json");
    EXPECT_EQ(run.report, "r.txt");
    EXPECT_TRUE(run.quiet);
    EXPECT_EQ(run.kernel_timeout_s, 2.5);
    EXPECT_EQ(run.workers, 1u);
    EXPECT_TRUE(run.deterministic);
    EXPECT_FALSE(run.counters);
    EXPECT_EQ(run.host_isa, "avx2");
    EXPECT_EQ(run.look.colour, Colour::never);
    EXPECT_TRUE(run.look.all_sites);
    EXPECT_THAT(run.program, ElementsAre("./a", "b"));
}

TEST(CommandLine, CountsByDefault) {
    const RunCommand run = parse_run({"--", "./a"});
    EXPECT_TRUE(run.counters);
    EXPECT_EQ(run.kernel_timeout_s, 60);
    EXPECT_FALSE(run.quiet);
    EXPECT_EQ(run.look.colour, Colour::automatic);
}

// What a program is given must not be taken for wideload's, whatever it looks like.
TEST(CommandLine, LeavesTheProgramsWordsAlone) {
    EXPECT_THAT(parse_run({"--", "./a", "--json", "x", "--", "report", ""}).program,
                ElementsAre("./a", "--json", "x", "--", "report", ""));
    const RunCommand without_mark = parse_run({"--quiet", "./a", "--json", "x", "-h"});
    EXPECT_THAT(without_mark.program, ElementsAre("./a", "--json", "x", "-h"));
    EXPECT_EQ(without_mark.json, "");
    EXPECT_THAT(parse_run({"report", "p.json"}).program, ElementsAre("report", "p.json"));
}

TEST(CommandLine, SaysWhatIsWrong) {
    EXPECT_THAT(mistake({"run"}), HasSubstr("run needs a program"));
    EXPECT_THAT(mistake({"run", "--"}), HasSubstr("run needs a program"));
    EXPECT_THAT(mistake({"run", "--gpu", "gtx1", "--", "a"}),
                HasSubstr("there is no GPU 'gtx1', only"));
    EXPECT_THAT(mistake({"run", "--isa", "sse", "--", "a"}),
                HasSubstr("'sse' is none of avx512, avx2, baseline"));
    EXPECT_THAT(mistake({"run", "--kernel-timeout", "-1", "--", "a"}),
                HasSubstr("--kernel-timeout"));
    for (const char* word : {"abc", "nan", "inf", "1e300", "-1", "3s"}) {
        EXPECT_EQ(mistake({"run", "--kernel-timeout", word, "--", "a"}),
                  "wideload: --kernel-timeout: '" + std::string(word) +
                      "' is no number of seconds from 0 to 1,000,000,000\n"
                      "See 'wideload run --help'.\n");
    }
    EXPECT_THAT(mistake({"run", "--workers", "0", "--", "a"}), HasSubstr("--workers"));
    EXPECT_THAT(mistake({"run", "--unknown", "--", "a"}),
                HasSubstr("there is no option --unknown"));
    EXPECT_THAT(mistake({"report"}), HasSubstr("report needs a FILE"));
    EXPECT_THAT(mistake({}), HasSubstr("needs a command: run, report,"));
    EXPECT_THAT(mistake({"walk"}), HasSubstr("there is no command 'walk', only run, report,"));
    EXPECT_THAT(mistake({"walk"}), HasSubstr("'wideload --help'"));
    EXPECT_THAT(mistake({"report"}), HasSubstr("'wideload report --help'"));
    EXPECT_THAT(mistake({"run", "--json", "", "--", "a"}), HasSubstr("--json: the name of a file"));
}

// Each would be obeyed in part, and nothing would say in which.
TEST(CommandLine, RefusesOptionsThatContradictEachOther) {
    EXPECT_THAT(mistake({"run", "--deterministic", "--workers", "2", "--", "a"}),
                HasSubstr("leave --workers out"));
    EXPECT_EQ(parse_run({"--deterministic", "--workers", "1", "--", "a"}).workers, 1u);
    EXPECT_THAT(mistake({"run", "--roofline", "--no-counters", "--", "a"}),
                HasSubstr("--no-counters"));
    EXPECT_THAT(mistake({"run", "--json", "-", "--report", "-", "--", "a"}), HasSubstr("stdout"));
}

TEST(CommandLine, HelpsWithExamplesInAHundredColumns) {
    for (const std::vector<const char*>& words : {std::vector<const char*>{"--help"},
                                                  {"run", "--help"},
                                                  {"report", "--help"},
                                                  {"inspect", "--help"},
                                                  {"occupancy", "--help"},
                                                  {"roofline", "--help"},
                                                  {"gpus", "--help"},
                                                  {"lab", "--help"}}) {
        CaptureStdout();
        const Command command = parse(words);
        const std::string help = GetCapturedStdout();
        EXPECT_EQ(std::get<Answered>(command).exit_code, 0);
        EXPECT_THAT(help, HasSubstr("Examples:"));
        const std::string subject = words.size() == 1 ? "run" : words.front();
        EXPECT_THAT(help, HasSubstr("\n  wideload " + subject)) << "an example of its own";
        for (std::size_t at = 0, end = 0; at < help.size(); at = end + 1) {
            end = std::min(help.find('\n', at), help.size());
            EXPECT_LE(end - at, 100u) << help.substr(at, end - at);
        }
    }
}

}  // namespace
}  // namespace wideload::cli

// SPDX-License-Identifier: Apache-2.0
// What ncu writes, as it writes it: quoted cells, a row of units, grouped figures, words of its
// own.
#include "lab/hardware_counters.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lab/csv.h"
#include "lab/join.h"
#include "sample.h"

namespace wideload::lab {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::StartsWith;

constexpr const char* kLog = R"log(==PROF== Connected to process 12
"ID","Process Name","Kernel Name","Block Size","Grid Size","launch__shared_mem_per_block_dynamic","smsp__inst_executed.sum","l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"
"","","","","","byte/block","inst","sector"
"0","p","_ZN3lab12point_beginsEv","(1, 1, 1)","(2, 1, 1)","0","4","0"
"1","p","_Z4copyPKfPf","(256, 1, 1)","(64, 2, 1)","116,736","1,024.00","32768"
"2","p","_ZN3lab10point_endsEv","(1, 1, 1)","(2, 1, 1)","0","4","0"
==PROF== Disconnected
)log";

TEST(Ncu, AnswersWithLaunches) {
    const auto profile = parse_ncu_log(kLog, "log");
    ASSERT_TRUE(profile);
    ASSERT_EQ(profile->launches.size(), 3u);
    const profile::Launch& copy = profile->launches[1];
    EXPECT_EQ(copy.kernel, "copy(float const*, float*)");
    EXPECT_EQ(copy.grid, (std::array<std::uint32_t, 3>{64, 2, 1}));
    EXPECT_EQ(copy.block[0], 256u);
    EXPECT_EQ(copy.dynamic_shared_bytes, 116736u);
    EXPECT_EQ(copy.counters->at("inst"), 1024u);
    EXPECT_EQ(copy.counters->at("global_ld_sectors"), 32768u);
    EXPECT_FALSE(copy.counters->contains("global_st_sectors")) << "what was not counted is absent";
}

TEST(Ncu, CountsOfMarkedLaunchesBelongToTheirPoint) {
    Results results;
    results.points.resize(2);
    EXPECT_TRUE(join(results, *parse_ncu_log(kLog, "log")).empty());
    EXPECT_EQ(results.points[0].launches, 0u);
    EXPECT_EQ(results.points[1].counters.at("global_ld_sectors"), 32768u);
    EXPECT_EQ(results.points[1].dynamic_shared_bytes, 116736u);
}

TEST(NameKernels, TakesTheCountedPointOfEqualParametersElseTheOnlyKernelOfTheSeries) {
    Results timed = sample_outcome().results, counted = timed;
    for (Point& point : counted.points) {
        point.kernel =
            point.series == "left" ? "one" : "of " + std::to_string(point.parameters["n"]);
    }
    timed.points[0].parameters["n"] = 4096;
    timed.points[1].parameters["n"] = 4096;
    name_kernels(timed, counted);
    EXPECT_EQ(timed.points[0].kernel, "one") << "left has one kernel";
    EXPECT_EQ(timed.points[1].kernel, "") << "right has several";
    EXPECT_EQ(timed.points[3].kernel, counted.points[3].kernel);
}

TEST(NameKernels, FindsThePointOfEqualParametersBehindTheOtherKernelsOfItsSeries) {
    const Results counted = [] {
        Results results = sample_outcome().results;
        for (std::size_t i = 0; i < results.points.size(); ++i) {
            results.points[i].kernel = "kernel " + std::to_string(i);
        }
        return results;
    }();
    Results timed = sample_outcome().results;
    name_kernels(timed, counted);
    for (std::size_t i = 0; i < timed.points.size(); ++i) {
        EXPECT_EQ(timed.points[i].kernel, counted.points[i].kernel) << "point " << i;
    }
}

TEST(Ncu, IsAskedForEveryCounterOfTheProgramItself) {
    const std::vector<std::string> arguments = ncu_arguments("/tmp/log");
    EXPECT_THAT(arguments, Contains("/tmp/log"));
    EXPECT_THAT(arguments, Contains("application-only"));
    EXPECT_THAT(arguments.back(), HasSubstr(",smsp__inst_executed.sum,"));
    EXPECT_THAT(arguments.back(), HasSubstr("launch__shared_mem_per_block_dynamic,"));
}

TEST(Ncu, IsAskedForDramAloneInOnePass) {
    EXPECT_EQ(ncu_arguments("/tmp/log", Asked::dram).back(),
              "dram__sectors_read.sum,dram__sectors_write.sum");
}

TEST(Ncu, SaysWhyItCountsNothing) {
    const std::string error =
        ncu_error("==PROF== x\n==ERROR== ERR_NVGPUCTRPERM - The user\n==ERROR== more\n");
    EXPECT_EQ(error, "ERR_NVGPUCTRPERM - The user");
    EXPECT_TRUE(is_not_permitted(error));
    EXPECT_FALSE(is_not_permitted(ncu_error("==ERROR== The application returned an error\n")));
    EXPECT_EQ(ncu_error(kLog), "");
    EXPECT_FALSE(parse_ncu_log("==PROF== nothing\n", "log"));
}

TEST(Ncu, SurvivesADamagedLog) {
    const std::string whole = kLog;
    for (std::size_t size = 0; size < whole.size(); size += 7) {
        (void)parse_ncu_log(whole.substr(0, size), "log").ok();
    }
    const auto odd = parse_ncu_log(
        "\"ID\",\"Kernel Name\",\"Grid Size\",\"smsp__inst_executed.sum\"\n"
        "\"0\",\"k\",\"(1, 1, 1)\",\"nan\"\n\"1\",\"k\",\"(9999999999, 1, 1)\",\"1\"\n"
        "\"2\",\"k\"\n",
        "log");
    ASSERT_TRUE(odd);
    EXPECT_EQ(odd->launches.size(), 1u);
    EXPECT_TRUE(odd->launches[0].counters->empty());
}

TEST(Csv, HasTheMachineInFrontAndARowForEachPoint) {
    Outcome outcome = sample_outcome();
    outcome.results.points[0].time = Time{2, 1.5, 2.5, 21};
    outcome.results.points[0].bytes = 4000;
    outcome.results.points[0].counters = {{"inst", 7}, {"global_ld:0_sectors", 9}};
    outcome.results.points[0].notes["load_instructions"] = "LDG.E.128, LDG.E";
    const std::string table = csv({outcome});
    EXPECT_THAT(table, StartsWith("# virtual a GPU ("));
    EXPECT_THAT(table, HasSubstr("highest_us,gbps,copy_percent,cost,inst,load_instructions\n"));
    EXPECT_THAT(table, HasSubstr("sample,small,left,n=1,4000,0,1,2.000,1.500,2.500,2.000,,10,7,"
                                 "\"LDG.E.128, LDG.E\"\n"));
    EXPECT_THAT(table, HasSubstr("sample,small,right,n=8,0,0,1,,,,,,38,,\n"));
}

}  // namespace
}  // namespace wideload::lab

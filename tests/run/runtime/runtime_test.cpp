// SPDX-License-Identifier: Apache-2.0
// Programs with kernels, from nvcc's output to the profile: results, faults and what is left of a
// run that fails.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

#include "process.h"
#include "profile/json.h"

namespace wideload::preload {
namespace {

using testing::HasSubstr;

profile::Profile only_profile(const Ended& ended) {
    if (ended.profiles.size() != 1) {
        ADD_FAILURE() << ended.profiles.size() << " profiles";
        return {};
    }
    auto loaded = profile::load(ended.profiles[0].string());
    EXPECT_TRUE(loaded.ok());
    return loaded ? std::move(*loaded) : profile::Profile{};
}

class Results : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Runtime, Results,
                         testing::Values("runtime_results_static", "runtime_results_shared",
                                         "runtime_results_per_thread", "runtime_linked"));

TEST_P(Results, AreRight) {
    const Ended ended = run_program(GetParam());
    EXPECT_EQ(ended.exit_code, 0) << ended.output << ended.errors;
    EXPECT_THAT(ended.output, testing::EndsWith("passed\n"));
}

// What kernels print stands between what the host printed before and after.
TEST(Output, OfKernelsKeepsItsPlace) {
    EXPECT_EQ(run_program("runtime_results_static").output, "before\nkernel says 42\npassed\n");
}

struct Failure {
    const char* what;
    const char* errors_of_calls;  ///< of the launch, the synchronisation and a copy behind it, and
                                  ///< the value copied
    const char* message;
    const char* hint;
    const char*
        kind;  ///< in the profile; "": the launch was refused before it reached the launcher
};

void PrintTo(const Failure& failure, std::ostream* out) { *out << failure.what; }

class Failures : public testing::TestWithParam<Failure> {};
INSTANTIATE_TEST_SUITE_P(
    Runtime, Failures,
    testing::Values(
        Failure{"read-past-the-end",
                "cudaSuccess cudaErrorIllegalAddress cudaErrorIllegalAddress -1\n",
                "illegal read of 4 bytes", "1 byte past the end of 4000 bytes of device memory",
                "illegal_address"},
        Failure{"freed", "cudaSuccess cudaErrorIllegalAddress cudaErrorIllegalAddress -1\n",
                "illegal read of 4 bytes", "which was freed", "illegal_address"},
        Failure{"misaligned",
                "cudaSuccess cudaErrorMisalignedAddress cudaErrorMisalignedAddress -1\n",
                "misaligned read of 8 bytes", "multiple of 8", "misaligned_address"},
        Failure{"assertion", "cudaSuccess cudaErrorAssert cudaErrorAssert -1\n", "assertion",
                "Assertion `out == nullptr` failed", "assertion"},
        Failure{"trap", "cudaSuccess cudaErrorLaunchFailure cudaErrorLaunchFailure -1\n", "trap",
                "trap()", "trap"},
        Failure{"never-end", "cudaSuccess cudaErrorLaunchTimeout cudaErrorLaunchTimeout -1\n",
                "ran longer than 0.5 s", "--kernel-timeout", "timeout"},
        Failure{"too-many-threads", "cudaErrorInvalidValue cudaSuccess cudaSuccess 1\n",
                "cannot be launched", "(1024,1024,64)", "invalid_configuration"},
        Failure{"no-threads", "cudaErrorInvalidValue cudaSuccess cudaSuccess 1\n",
                "cannot be launched", "between 1 and", "invalid_configuration"},
        Failure{"too-many-registers", "cudaErrorLaunchOutOfResources cudaSuccess cudaSuccess 1\n",
                "1024 threads a block of ", "__launch_bounds__(1024)", "out_of_resources"},
        Failure{"too-many-blocks", "cudaErrorInvalidValue cudaSuccess cudaSuccess 1\n",
                "cannot be launched", "65535", "invalid_configuration"},
        Failure{"too-much-shared-memory", "cudaErrorInvalidValue cudaSuccess cudaSuccess 1\n",
                "307200 bytes of shared memory", "232448 bytes for a block", ""}),
    [](const auto& test) {
        std::string name = test.param.what;
        std::erase(name, '-');
        return name;
    });

TEST_P(Failures, GiveTheErrorOfAGpuAndSayWhy) {
    const Failure& failure = GetParam();
    const Ended ended =
        run_program("runtime_faults", {failure.what}, {"WIDELOAD_KERNEL_TIMEOUT=0.5"});
    EXPECT_EQ(ended.output, failure.errors_of_calls);
    EXPECT_THAT(ended.errors, HasSubstr(failure.message));
    EXPECT_THAT(ended.errors, HasSubstr(failure.hint));
    // What was counted before is not lost.
    const profile::Profile profile = only_profile(ended);
    ASSERT_FALSE(profile.launches.empty());
    EXPECT_FALSE(profile.launches[0].fault);
    EXPECT_EQ(profile.launches[0].counters->at("global_ld_requests"), 1u);
    if (*failure.kind == '\0') return;
    ASSERT_EQ(profile.launches.size(), 2u);
    ASSERT_TRUE(profile.launches[1].fault);
    EXPECT_EQ(profile.launches[1].fault->kind, failure.kind);
}

// Of PTX alone the registers are estimated, and an estimate must not refuse what a GPU would run.
TEST(Estimate, RefusesNoLaunch) {
    const Ended ended = run_program("runtime_faults_of_ptx", {"too-many-registers"});
    EXPECT_EQ(ended.output, "cudaSuccess cudaSuccess cudaSuccess 1\n") << ended.errors;
}

// Ctrl-C ends a kernel from inside its loops; then the program ends by the signal.
TEST(Interrupt, EndsTheKernelAndLeavesTheProfile) {
    const Ended ended =
        run_program("runtime_faults", {"never-end"}, {"WIDELOAD_KERNEL_TIMEOUT=30"}, SIGINT);
    EXPECT_EQ(ended.signal, SIGINT) << ended.output << ended.errors;
    const profile::Profile profile = only_profile(ended);
    ASSERT_EQ(profile.launches.size(), 2u);
    ASSERT_TRUE(profile.launches[1].fault);
    EXPECT_EQ(profile.launches[1].fault->kind, "interrupted");
}

}  // namespace
}  // namespace wideload::preload

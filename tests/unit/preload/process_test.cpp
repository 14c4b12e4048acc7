// SPDX-License-Identifier: Apache-2.0
// What the preload library does in programs as nvcc builds them: with either runtime, in libraries,
// however they end.
#include "process.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

#include "profile/json.h"

namespace wideload::preload {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

void expect_passed(const Ended& ended) {
    EXPECT_EQ(ended.exit_code, 0) << ended.output << ended.errors;
    EXPECT_THAT(ended.output, HasSubstr("passed"));
}

/// The launches in the profiles that the processes of a program left.
std::vector<std::size_t> launches_in_profiles(const Ended& ended) {
    std::vector<std::size_t> launches;
    for (const auto& path : ended.profiles) {
        const auto profile = profile::load(path.string());
        EXPECT_TRUE(profile.ok());
        if (profile) launches.push_back(profile->launches.size());
    }
    return launches;
}

class BothRuntimes : public testing::TestWithParam<const char*> {
protected:
    [[nodiscard]] std::string program(const std::string& name) const {
        return "preload_" + name + "_" + GetParam();
    }
};
INSTANTIATE_TEST_SUITE_P(Preload, BothRuntimes, testing::Values("static", "shared"),
                         [](const auto& test) { return std::string(test.param); });

TEST_P(BothRuntimes, Memory) { expect_passed(run_program(program("memory"))); }
TEST_P(BothRuntimes, Streams) { expect_passed(run_program(program("streams"))); }
TEST_P(BothRuntimes, Device) { expect_passed(run_program(program("device"))); }
TEST_P(BothRuntimes, Launches) { expect_passed(run_program(program("launches"))); }

// The user must learn of a function that is missing, but not a thousand times.
TEST_P(BothRuntimes, NamesAMissingFunctionOnce) {
    const Ended ended = run_program(program("streams"));
    const std::size_t first = ended.errors.find("cudaMallocArray returned cudaErrorNotSupported");
    ASSERT_NE(first, std::string::npos) << ended.errors;
    EXPECT_EQ(ended.errors.find("cudaMallocArray", first + 1), std::string::npos);
    EXPECT_THAT(ended.errors, HasSubstr("no texture units"));
}

TEST_P(BothRuntimes, PerThreadDefaultStreams) { expect_passed(run_program(program("per_thread"))); }

// A library carries its own copy of the runtime, under local symbols.
TEST_P(BothRuntimes, LibraryThatIsLoadedLater) {
    expect_passed(run_program("preload_plugin_host", {std::string(WIDELOAD_CUDA_PROGRAMS) + "/" +
                                                      program("plugin") + ".so"}));
}

// Its constructors register kernels before the program's do, and before most of LD_PRELOAD's would
// run.
TEST_P(BothRuntimes, LibraryThatTheProgramIsLinkedWith) {
    expect_passed(run_program(program("plugin_linked")));
}

// Where there is no CUDA toolkit, a program linked with the shared runtime starts all the same.
TEST(StandIn, TakesThePlaceOfTheSharedRuntime) {
    const Ended ended =
        run_program("preload_memory_shared", {}, {"LD_LIBRARY_PATH=" WIDELOAD_STAND_IN});
    expect_passed(ended);
    EXPECT_THAT(ended.errors, IsEmpty()) << "the loader says so where a version is missing";
}

// The driver API is not covered, but a program that is linked with its library starts, and each
// function that it calls says once that it cannot run.
TEST(StandIn, OfTheDriverSaysWhatWasCalled) {
    const Ended ended =
        run_program("preload_driver", {}, {"LD_LIBRARY_PATH=" WIDELOAD_DRIVER_STAND_IN});
    expect_passed(ended);
    for (const char* function : {"cuInit", "cuDeviceGetCount"}) {
        const std::string sentence = std::string(function) + " of the CUDA driver API was called";
        const std::size_t first = ended.errors.find(sentence);
        ASSERT_NE(first, std::string::npos) << ended.errors;
        EXPECT_EQ(ended.errors.find(sentence, first + 1), std::string::npos);
    }
    EXPECT_THAT(ended.errors, Not(HasSubstr("cuGetErrorName")));
}

TEST(StrippedProgram, IsRefusedWithWhatToDo) {
    const Ended ended = run_program("preload_stripped");
    EXPECT_EQ(ended.exit_code, 126);
    EXPECT_THAT(ended.errors, HasSubstr("stripped"));
    EXPECT_THAT(ended.errors, HasSubstr("nvcc -cudart shared"));
}

// Every process loads the library; those without CUDA must not pay for the engine or see any of it.
TEST(ProgramWithoutCuda, IsLeftAlone) {
    const Ended ended = run_program("/bin/echo", {"untouched"});
    EXPECT_EQ(ended.exit_code, 0);
    EXPECT_EQ(ended.output, "untouched\n");
    EXPECT_THAT(ended.errors, IsEmpty());
    EXPECT_THAT(ended.profiles, IsEmpty());
}

struct Ending {
    const char* name;
    int exit_code, signal;
};

class Endings : public testing::TestWithParam<Ending> {};
INSTANTIATE_TEST_SUITE_P(Preload, Endings,
                         testing::Values(Ending{"return", 3, 0}, Ending{"exit", 3, 0},
                                         Ending{"_exit", 3, 0}, Ending{"quick_exit", 3, 0},
                                         Ending{"thread", 3, 0}, Ending{"abort", -1, SIGABRT},
                                         Ending{"kill", -1, SIGTERM},
                                         Ending{"interrupt", -1, SIGINT},
                                         Ending{"read-device", -1, SIGSEGV}),
                         [](const auto& test) {
                             std::string name = test.param.name;
                             for (char& c : name)
                                 c = std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : 'X';
                             return name;
                         });

// However a program ends, it ends as it would have, and what was counted is not lost.
TEST_P(Endings, LeaveAProfile) {
    const Ended ended = run_program("preload_endings", {GetParam().name});
    EXPECT_EQ(ended.exit_code, GetParam().exit_code) << ended.errors;
    EXPECT_EQ(ended.signal, GetParam().signal);
    EXPECT_THAT(launches_in_profiles(ended), testing::ElementsAre(1u));
}

TEST(Endings, HostAccessToDeviceMemoryIsNamed) {
    const Ended ended = run_program("preload_endings", {"read-device"});
    EXPECT_THAT(ended.errors, HasSubstr("host code touched device memory"));
    EXPECT_THAT(ended.errors, HasSubstr("4096 bytes of device memory"));
    EXPECT_THAT(ended.errors, HasSubstr("cudaMemcpy"));
}

TEST(Endings, TheProgramsOwnHandlerIsCalled) {
    EXPECT_EQ(run_program("preload_endings", {"own-handler"}).exit_code, 4);
}

TEST(Processes, WithoutACallLeaveNoProfile) {
    const Ended ended = run_program("preload_endings", {"no-call"});
    EXPECT_EQ(ended.exit_code, 3);
    EXPECT_THAT(ended.profiles, IsEmpty());
}

TEST(Processes, AForkedChildWritesItsOwnProfile) {
    const Ended ended = run_program("preload_endings", {"fork-first"});
    EXPECT_EQ(ended.exit_code, 0) << ended.errors;
    EXPECT_THAT(launches_in_profiles(ended), testing::ElementsAre(1u, 1u));
}

// As on a GPU, what the parent has there is not the child's.
TEST(Processes, AChildForkedAfterFirstUseHasNoGpu) {
    const Ended ended = run_program("preload_endings", {"fork-after"});
    EXPECT_EQ(ended.exit_code, 0) << ended.errors;
    EXPECT_THAT(launches_in_profiles(ended), testing::UnorderedElementsAre(0u, 1u));
}

TEST(Processes, AProgramThatIsStartedWritesItsOwnProfile) {
    const Ended ended = run_program("preload_endings", {"spawn"});
    EXPECT_EQ(ended.exit_code, 3) << ended.errors;
    EXPECT_THAT(launches_in_profiles(ended), testing::ElementsAre(1u, 1u));
}

TEST(Processes, AnEngineThatIsMissingIsNamed) {
    const Ended ended =
        run_program("preload_endings", {"return"}, {"WIDELOAD_ENGINE=/nonexistent.so"});
    EXPECT_EQ(ended.exit_code, 126);
    EXPECT_THAT(ended.errors, HasSubstr("/nonexistent.so"));
}

#ifdef WIDELOAD_HAS_CUBLAS
TEST(VendorLibrary, CallEndsInASentenceThatNamesIt) {
    const Ended ended = run_program("preload_vendor");
    expect_passed(ended);
    const std::size_t first = ended.errors.find("cublasCreate_v2 of cuBLAS was called");
    ASSERT_NE(first, std::string::npos) << ended.errors;
    EXPECT_EQ(ended.errors.find("cublasCreate_v2", first + 1), std::string::npos);
}
#endif

}  // namespace
}  // namespace wideload::preload

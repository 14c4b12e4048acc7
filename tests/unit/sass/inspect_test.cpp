// SPDX-License-Identifier: Apache-2.0
#include "sass/inspect.h"

#include <gmock/gmock.h>

#include <cstdlib>
#include <fstream>

#include "cubins.h"
#include "sass/tool.h"

namespace wideload::sass::test {
namespace {

using testing::HasSubstr;

InspectedCode only_code(const std::string& file, const InspectOptions& options) {
    auto codes = inspect(file, options);
    EXPECT_TRUE(codes.ok()) << (codes.ok() ? "" : format(codes.errors()));
    if (!codes || codes->size() != 1) {
        ADD_FAILURE() << "not one cubin";
        return {};
    }
    return std::move((*codes)[0]);
}

std::string error_of(const std::string& file, const InspectOptions& options) {
    const auto codes = inspect(file, options);
    return codes.ok() ? "(no error)" : format(codes.errors());
}

// Where there is machine code for a GPU it is shown; an H200 runs none of sm_80 and of sm_100.
TEST(Inspect, ChoosesTheCubinOfTheArchitecture) {
    const std::string file = cuda_file("sass_copies_fat.fatbin");
    EXPECT_EQ(only_code(file, options_for(80)).target.name(), "sm_80");
    EXPECT_EQ(only_code(file, options_for(86)).target.name(), "sm_80");
    EXPECT_EQ(only_code(file, options_for(100)).target.name(), "sm_100");
    EXPECT_FALSE(only_code(file, options_for(100)).compiled);
}

// ptxas makes what is not there, of PTX that the GPU can run.
TEST(Inspect, CompilesPtxForWhatHasNoCubin) {
    const InspectedCode code = only_code(cuda_file("sass_copies_fat.fatbin"), options_for(90));
    EXPECT_EQ(code.target.name(), "sm_90");
    EXPECT_TRUE(code.compiled);
    EXPECT_FALSE(kernel_named(code.kernels, "scale").accesses.at(0).frames.empty());
}

TEST(Inspect, ReadsPtxAndCuda) {
    const InspectedCode ptx = only_code(cuda_file("sass_copies.ptx"), options_for(120));
    EXPECT_TRUE(ptx.compiled);
    EXPECT_EQ(ptx.kernels.size(), 7u);
    InspectOptions options = options_for(80);
    options.nvcc_flags = {"-maxrregcount=32"};
    const InspectedCode source =
        only_code(std::string(WIDELOAD_SASS_PROGRAMS) + "/spills.cu", options);
    EXPECT_EQ(kernel_named(source.kernels, "crowded").resources.registers, 32u);
}

// A cubin for another GPU than the default one is what the user wants to see, unless another was
// asked for by name.
TEST(Inspect, ShowsWhatThereIsUnlessAskedForAnother) {
    const std::string file = cuda_file("sass_copies_sm_75.cubin");
    InspectOptions options = options_for(90);
    EXPECT_THAT(error_of(file, options), HasSubstr("has no kernel that runs on sm_90; it holds "
                                                   "machine code for sm_75"));
    options.target_is_asked = false;
    EXPECT_EQ(only_code(file, options).target.name(), "sm_75");
}

TEST(Inspect, ShowsOnlyWantedKernels) {
    InspectOptions options = options_for(90);
    options.wanted = [](std::string_view name) { return name.find("scale") != name.npos; };
    const std::string file = cuda_file("sass_copies_sm_90.cubin");
    EXPECT_EQ(only_code(file, options).kernels.size(), 1u);
    options.wanted = [](std::string_view) { return false; };
    EXPECT_THAT(error_of(file, options), HasSubstr("no kernel of that name"));
}

// What a compiler has against its input is said of the file that the user named.
TEST(Inspect, PassesOnWhatCompilersSay) {
    const std::string file = testing::TempDir() + "broken.ptx";
    std::ofstream(file)
        << ".version 8.0\n.target sm_75\n.address_size 64\n.entry k() { nonsense; }\n";
    EXPECT_THAT(error_of(file, options_for(90)),
                testing::AllOf(HasSubstr("broken.ptx"), HasSubstr("ptxas"), HasSubstr("nonsense")));
}

// Whether there is a disassembler is the second question.
TEST(Inspect, SaysFirstThatAFileCannotBeRead) {
    InspectOptions options = options_for(90);
    options.nvdisasm.clear();
    ::setenv("WIDELOAD_NVDISASM", "/nowhere/nvdisasm", 1);
    EXPECT_THAT(error_of("/nowhere/program", options), HasSubstr("cannot be read"));
    ::unsetenv("WIDELOAD_NVDISASM");
}

TEST(Tools, AreNamedByTheEnvironment) {
    ::setenv("WIDELOAD_NVDISASM", "/nowhere/nvdisasm", 1);
    const auto named = find_tool("nvdisasm");
    ::unsetenv("WIDELOAD_NVDISASM");
    ASSERT_FALSE(named.ok());
    EXPECT_THAT(format(named.errors()), HasSubstr("WIDELOAD_NVDISASM names /nowhere/nvdisasm"));
    const auto missing = find_tool("no-such-tool");
    ASSERT_FALSE(missing.ok());
    const std::string said = format(missing.errors());
    EXPECT_THAT(said, HasSubstr("cannot find no-such-tool"));
    for (const char* place : {"$CUDACXX", "$CUDA_HOME/bin", "PATH", "/usr/local/cuda/bin"}) {
        EXPECT_THAT(said, HasSubstr(place));
    }
}

}  // namespace
}  // namespace wideload::sass::test

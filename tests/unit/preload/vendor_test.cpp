// SPDX-License-Identifier: Apache-2.0
// cuBLAS, cuSPARSE and their kind hold machine code alone. A program that calls one is told which
// function of which library it was and sees that library's own failure, whether it was linked with
// it or loads it. Stubs stand for the libraries: no toolkit is needed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "process.h"

namespace wideload::preload {
namespace {

using testing::HasSubstr;
using testing::Not;

struct Call {
    const char* file;
    const char* function;
    const char* description;  ///< a function that must still answer
    const char* title;
    int status;
};

void PrintTo(const Call& call, std::ostream* out) { *out << call.file; }

/// Status by the headers of the libraries: "not initialised", or the nearest that there is.
constexpr Call kCalls[] = {
    {"libcublas.so.12", "cublasCreate_v2", "cublasGetStatusString", "cuBLAS", 1},
    {"libcublas.so.13", "cublasCreate_v2", "cublasGetStatusString", "cuBLAS", 1},
    {"libcublasLt.so.13", "cublasLtMatmul", "cublasLtGetStatusName", "cuBLASLt", 1},
    {"libcusparse.so.12", "cusparseSpMV", "cusparseGetErrorString", "cuSPARSE", 1},
    {"libcusparseLt.so.0", "cusparseLtInit", "cusparseLtGetVersion", "cuSPARSELt", 1},
    {"libcufft.so.11", "cufftPlan1d", "cufftGetVersion", "cuFFT", 1},
    {"libcurand.so.10", "curandCreateGenerator", "curandGetVersion", "cuRAND", 101},
    {"libcusolver.so.11", "cusolverDnCreate", "cusolverGetVersion", "cuSOLVER", 1},
    {"libcudss.so.0", "cudssCreate", "cudssGetProperty", "cuDSS", 1},
    {"libcutensor.so.2", "cutensorCreate", "cutensorGetErrorString", "cuTENSOR", 1},
    {"libcudnn.so.8", "cudnnCreate", "cudnnGetErrorString", "cuDNN", 1},
    {"libcudnn.so.9", "cudnnCreate", "cudnnGetErrorString", "cuDNN", 1001},
    {"libcudnn_ops.so.9", "cudnnAddTensor", "cudnnOpsVersionCheck", "cuDNN", 1001},
    {"libnccl.so.2", "ncclCommInitAll", "ncclGetLastError", "NCCL", 1},
    {"libnvjpeg.so.12", "nvjpegCreateSimple", "nvjpegGetProperty", "nvJPEG", 1},
    {"libnvjpeg2k.so.0", "nvjpeg2kCreateSimple", "nvjpeg2kGetProperty", "nvJPEG2000", 1},
    {"libnvcomp.so.4", "nvcompBatchedLZ4CompressAsync", "nvcompGetProperties", "nvCOMP", 1000},
    {"libnppif.so.12", "nppiFilterBox_8u_C1R_Ctx", "nppGetLibVersion", "NPP", -1000},
    {"libnppisu.so.12", "nppiMalloc_8u_C1", "nppGetGpuName", "NPP", 0},  // no memory
    {"libcupti.so.13", "cuptiActivityEnable", "cuptiGetResultString", "CUPTI", 15},
};

class VendorLibraries : public testing::TestWithParam<Call> {
protected:
    void expect_told(const Ended& ended) const {
        const Call& call = GetParam();
        EXPECT_EQ(ended.exit_code, 3) << ended.output << ended.errors;
        const std::string status = std::to_string(call.status);
        EXPECT_EQ(ended.output, status + '\n' + status + "\ndescribed\n") << ended.errors;
        const std::string sentence = std::string("wideload: ") + call.function + " of " +
                                     call.title +
                                     " was called, which cannot run on a virtual GPU: ";
        EXPECT_THAT(ended.errors, testing::StartsWith(sentence));
        EXPECT_EQ(ended.errors.find('\n'), ended.errors.size() - 1) << "once: " << ended.errors;
        EXPECT_THAT(ended.errors, Not(HasSubstr(call.description)));
    }
};
INSTANTIATE_TEST_SUITE_P(Preload, VendorLibraries, testing::ValuesIn(kCalls), [](const auto& test) {
    std::string name = std::string(test.param.file) + "_" + test.param.function;
    for (char& c : name)
        if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
    return name;
});

TEST_P(VendorLibraries, CallOfALoadedOneIsNamed) {
    const Call& call = GetParam();
    expect_told(run_program(
        "preload_vendor_call",
        {call.function, call.description, std::string(WIDELOAD_VENDOR_STUBS "/") + call.file}));
}

// Those are seen before any code of theirs runs.
TEST(LinkedVendorLibrary, CallIsNamed) {
    const Ended ended = run_program("preload_vendor_linked", {"cusparseSpMV"});
    EXPECT_EQ(ended.exit_code, 3) << ended.output << ended.errors;
    EXPECT_EQ(ended.output, "1\n1\n");
    EXPECT_THAT(ended.errors, testing::StartsWith("wideload: cusparseSpMV of cuSPARSE was called"));
}

}  // namespace
}  // namespace wideload::preload

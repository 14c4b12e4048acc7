// SPDX-License-Identifier: Apache-2.0
// The code on the pages is the experiments' own, and all of it that runs on the GPU.
#include "lab/kernel_code.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "lab/source_documents.h"

namespace wideload::lab {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(DeviceItems, AreKernelsWithWhatTheyUse) {
    const char* source = R"(// About the file.
#include "other.cuh"

constexpr unsigned kThreads = 256;
constexpr unsigned kOne = 1;
constexpr unsigned kTwo = kOne + 1;

namespace {

/// Doubles.
template <class T>
__device__ T twice(T x) {
    const T y = x;

    return y + x;
}

__constant__ float factor;

struct Host {
    int a;
};

struct Functor {
    __device__ int operator()() const { return 1; }
};

void run() {
    const auto f = [=] __host__ __device__(int i) { return i; };
}

}  // namespace

static __global__ void kernel() { twice(kTwo); }
)";
    EXPECT_EQ(device_items(source), R"(constexpr unsigned kOne = 1;
constexpr unsigned kTwo = kOne + 1;

/// Doubles.
template <class T>
__device__ T twice(T x) {
    const T y = x;

    return y + x;
}

__constant__ float factor;

struct Functor {
    __device__ int operator()() const { return 1; }
};

static __global__ void kernel() { twice(kTwo); }
)");
}

TEST(KernelCode, IsThatOfTheExperimentsFiles) {
    const std::vector<CodeFile> stride = kernel_code("stride");
    ASSERT_EQ(stride.size(), 1u);
    EXPECT_EQ(stride[0].name, "stride.cu");
    EXPECT_THAT(stride[0].code, HasSubstr("__global__ void"));
    EXPECT_THAT(stride[0].code, Not(HasSubstr("experiment")));
    std::string names;
    for (const CodeFile& file : kernel_code("gemm")) names += file.name + " ";
    EXPECT_THAT(names, HasSubstr("gemm/naive.cuh "));
    EXPECT_THAT(names, HasSubstr("gemm/warp_tile.cuh "));
    EXPECT_TRUE(kernel_code("no such experiment").empty());
}

TEST(SourceDocuments, AreNamedByTheirNumbers) {
    unsigned number = 0;
    for (const SourceDocument& document : source_documents()) {
        EXPECT_EQ(document.number, "00" + std::to_string(number++));
        EXPECT_FALSE(document.title.empty());
    }
    EXPECT_EQ(number, 5u);
}

}  // namespace
}  // namespace wideload::lab

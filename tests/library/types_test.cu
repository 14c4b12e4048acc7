// SPDX-License-Identifier: Apache-2.0
// Element types and operations that are none of the usual ones: elements that are arrays, or have
// no default constructor, and operations that are pointers, or final.
#include <wideload/wideload.cuh>

#include "support/harness.cuh"

namespace {

using test::GuardedBuffer;

/// Three words that nothing makes but a value.
struct Given {
    int words[3];
    explicit __host__ __device__ Given(int value) : words{value, value + 1, value + 2} {}
};
static_assert(!std::is_default_constructible_v<Given>);

/// Vector number 1 of four becomes number 0, and is followed by what a load past the end gives.
__global__ void load_vectors(Given* data, std::size_t count) {
    wideload::store(data, 0, wideload::load<4>(data, 1));
    wideload::store(data, 1, wideload::load_guarded<4>(data, 2, count, Given(-1)));
}

__global__ void load_structs(const Given* from, Given* to) {
    const int lane = static_cast<int>(threadIdx.x);
    wideload::warp::store_aos(wideload::assume_aligned<16>(to),
                              wideload::warp::load_aos(wideload::assume_aligned<16>(from), lane),
                              lane);
}

void without_default_constructor() {
    constexpr std::size_t kCount = 128, kBytes = sizeof(Given);
    GuardedBuffer from(kCount * kBytes, 0, 1), to(kCount * kBytes, 0, 2);
    load_structs<<<1, wideload::kWarpLanes>>>(from.as<const Given>(), to.as<Given>());
    std::memcpy(to.expected(), from.expected(), kCount * kBytes);
    to.expect_equal("structs without a default constructor");
    load_vectors<<<1, 1>>>(to.as<Given>(), 10);
    std::memcpy(to.expected(), from.expected() + 4 * kBytes, 4 * kBytes);
    std::memcpy(to.expected() + 4 * kBytes, from.expected() + 8 * kBytes, 2 * kBytes);
    const Given none(-1);
    for (std::size_t i : {6, 7}) std::memcpy(to.expected() + i * kBytes, &none, kBytes);
    to.expect_equal("vectors without a default constructor");
    test::expect_status(wideload::fill(to.as<Given>(), kCount, Given(5)), cudaSuccess, "fill");
    const Given five(5);
    for (std::size_t i = 0; i < kCount; ++i) std::memcpy(to.expected() + i * kBytes, &five, kBytes);
    to.expect_equal("fill without a default constructor");
}

void arrays() {
    constexpr int kElements = 10, kOfArray = 4;
    using Array = int[kOfArray];
    GuardedBuffer buffer(kElements * sizeof(Array), 0, 3);
    const Array value = {1, 2, 3, 4};
    test::expect_status(wideload::fill(buffer.as<Array>(), kElements, value), cudaSuccess,
                        "fill with an array");
    for (int i = 0; i < kElements; ++i)
        std::memcpy(buffer.expected() + i * sizeof(Array), value, sizeof(Array));
    buffer.expect_equal("fill with an array");
}

__device__ int add(int a, int b) { return a + b; }
using Pointer = int (*)(int, int);
__device__ Pointer pointer_to_add = add;

struct Final final {
    __host__ __device__ int operator()(int a, int b) const { return a + b; }
};

/// What the operation gives is not the result's type, but makes one.
struct Plain {
    int value;
};
struct Counted : Plain {
    Counted() = default;
    __host__ __device__ Counted(const Plain& plain) : Plain(plain) {}
};
struct AddPlain {
    __host__ __device__ Plain operator()(const Plain& a, const Plain& b) const {
        return {a.value + b.value};
    }
};

void converted() {
    constexpr int kCount = 1000;
    GuardedBuffer input(kCount * sizeof(Counted), 0, 7), output(sizeof(Counted), 0, 8);
    int* const values = reinterpret_cast<int*>(input.expected());
    int sum = 0;
    for (int i = 0; i < kCount; ++i) sum += values[i] = i * i % 911;
    input.upload();
    test::expect_status(wideload::reduce(input.as<const Counted>(), kCount, output.as<Counted>(),
                                         AddPlain{}, Counted(Plain{0})),
                        cudaSuccess, "an operation whose result is converted");
    std::memcpy(output.expected(), &sum, sizeof(sum));
    output.expect_equal("an operation whose result is converted");
}

template <class Operation>
void sums(Operation operation, const std::string& what) {
    constexpr std::size_t kRows = 30, kColumns = 70, kCount = kRows * kColumns;
    GuardedBuffer input(kCount * sizeof(int), 0, 4), output(sizeof(int), 0, 5),
        by_row(kRows * sizeof(int), 0, 6);
    int* const values = reinterpret_cast<int*>(input.expected());
    int* const of_row = reinterpret_cast<int*>(by_row.expected());
    for (std::size_t i = 0; i < kCount; ++i) values[i] = static_cast<int>(i * i % 1009);
    input.upload();
    test::expect_status(
        wideload::reduce(input.as<const int>(), kCount, output.as<int>(), operation, 7),
        cudaSuccess, what);
    test::expect_status(wideload::reduce_rows(input.as<const int>(), kRows, kColumns,
                                              by_row.as<int>(), operation, 7),
                        cudaSuccess, what);
    int sum = 7;
    for (std::size_t row = 0; row < kRows; ++row) {
        of_row[row] = 7;
        for (std::size_t i = row * kColumns; i < (row + 1) * kColumns; ++i)
            of_row[row] += values[i];
        sum += of_row[row] - 7;
    }
    std::memcpy(output.expected(), &sum, sizeof(sum));
    output.expect_equal("sum by " + what);
    by_row.expect_equal("sums of rows by " + what);
}

}  // namespace

int main(int argc, char** argv) {
    test::start(argc, argv);
    without_default_constructor();
    arrays();
    Pointer pointer = nullptr;
    test::require(cudaMemcpyFromSymbol(&pointer, pointer_to_add, sizeof(pointer)),
                  "cudaMemcpyFromSymbol");
    sums(pointer, "a pointer to a device function");
    sums(wideload::commutative(pointer), "a pointer to one that commutes");
    converted();
    sums(Final{}, "a final class");
    sums(wideload::commutative(Final{}), "a final class that commutes");
    return test::finish("types_test");
}

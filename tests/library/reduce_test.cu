// SPDX-License-Identifier: Apache-2.0
// `reduce` must combine every element once, whatever the count and alignment, give the same bits
// every time, and leave its scratch memory ready for the next call. `reduce_atomic` must combine
// the same elements.
#include <wideload/device/reduce.cuh>

#include "support/large.cuh"
#include "support/random.cuh"

#include <cmath>
#include <limits>

namespace {

using test::GuardedBuffer;

/// A struct and an operation without an identity: the smallest and the largest value seen.
struct Range {
    int low, high;
};
struct Widen {
    __host__ __device__ Range operator()(const Range& a, const Range& b) const {
        return {a.low < b.low ? a.low : b.low, a.high > b.high ? a.high : b.high};
    }
};

class Scratch {
public:
    explicit Scratch(std::size_t bytes) : bytes_(bytes) {
        test::require(cudaMalloc(&data_, bytes), "cudaMalloc");
        test::require(cudaMemset(data_, 0, bytes), "cudaMemset");
    }
    ~Scratch() { cudaFree(data_); }
    void* get() { return data_; }
    std::size_t size() const { return bytes_; }

private:
    void* data_ = nullptr;
    std::size_t bytes_;
};

template <class T, class Result, class Operation>
void reduce_one(std::size_t count, std::size_t offset, Operation operation, Result initial,
                Scratch& scratch, const char* name) {
    GuardedBuffer input(count * sizeof(T), offset, 60);
    GuardedBuffer output(sizeof(Result), offset * sizeof(Result), 61);
    const std::string what = std::string(name) + " of " + std::to_string(count) + " elements of " +
                             std::to_string(sizeof(T)) + " bytes at offset " +
                             std::to_string(offset);
    Result want = initial;
    for (std::size_t i = 0; i < count; ++i) {
        T value;
        std::memcpy(&value, input.expected() + i * sizeof(T), sizeof(T));
        want = operation(want, static_cast<Result>(value));
    }
    std::memcpy(output.expected(), &want, sizeof(want));
    for (int repeat = 0; repeat < 2; ++repeat) {
        test::expect_status(wideload::reduce(input.as<const T>(), count, output.as<Result>(),
                                             operation, initial, scratch.get(), scratch.size()),
                            cudaSuccess, what);
        output.expect_equal(what);
    }
    test::expect_status(
        wideload::reduce(input.as<const T>(), count, output.as<Result>(), operation, initial),
        cudaSuccess, what + " with scratch of its own");
    output.expect_equal(what + " with scratch of its own");
    if constexpr (wideload::detail::kAtomicallyCombined<Result>) {
        test::require(
            cudaMemcpy(output.as<Result>(), &initial, sizeof(Result), cudaMemcpyHostToDevice),
            "initial value");
        test::expect_status(
            wideload::reduce_atomic(input.as<const T>(), count, output.as<Result>(), operation),
            cudaSuccess, "atomic " + what);
        output.expect_equal("atomic " + what);
    }
}

template <class T, class Result>
void type() {
    Scratch scratch(wideload::reduce_scratch_bytes<Result>());
    for (std::size_t count : {0, 1, 2, 31, 32, 33, 255, 257, 1023, 4097, 65539, 300007}) {
        reduce_one<T, Result>(count, 0, wideload::plus{}, Result(5), scratch, "sum");
        reduce_one<T, Result>(count, sizeof(T), wideload::minimum{}, Result(1000000), scratch,
                              "minimum");
        reduce_one<T, Result>(count, 0, wideload::maximum{}, Result(-7), scratch, "maximum");
    }
    for (std::size_t offset = 0; offset <= 16; ++offset) {
        reduce_one<T, Result>(3001, offset, wideload::plus{}, Result(0), scratch, "sum");
    }
    test::random_cases(20, [&](test::Random& random) {
        const std::size_t count = random.length(test::random_bytes(random) / sizeof(T));
        const std::size_t offset = random.offset(sizeof(T));
        if (random.one_in(2)) {
            reduce_one<T, Result>(count, offset, wideload::plus{}, Result(5), scratch, "sum");
        } else {
            reduce_one<T, Result>(count, offset, wideload::maximum{}, Result(-7), scratch,
                                  "maximum");
        }
    });
}

/// Ranges of more than 1, 2, 4 and 8 MiB, which other kernels read.
template <class T>
void larger() {
    Scratch scratch(wideload::reduce_scratch_bytes<T>());
    const auto lower =
        wideload::commutative([] __host__ __device__(T a, T b) { return b < a ? b : a; });
    for (std::size_t bytes : {1300000, 2900000, 5200000, 9100000}) {
        const std::size_t count = bytes / sizeof(T) + 3;
        reduce_one<T, T>(count, 0, wideload::plus{}, T(5), scratch, "sum");
        reduce_one<T, T>(count, sizeof(T), wideload::minimum{}, T(1000000), scratch, "minimum");
        reduce_one<T, T>(count, sizeof(T), lower, T(1000000), scratch, "minimum without identity");
    }
}

/// The operations for integers, and those of libcu++ that do the same.
template <class T>
void integer_operations() {
    Scratch scratch(wideload::reduce_scratch_bytes<T>());
    const auto one = [&](std::size_t count, auto operation, int initial, const char* name) {
        reduce_one<T, T>(count, sizeof(T), operation, static_cast<T>(initial), scratch, name);
    };
    for (std::size_t count : {1, 33, 4097, 70001}) {
        one(count, wideload::multiplies{}, 3, "product");
        one(count, wideload::bit_and{}, -1, "bits that all have");
        one(count, wideload::bit_or{}, 6, "bits that any has");
        one(count, wideload::bit_xor{}, 6, "bits that an odd number have");
        one(count, cuda::std::plus<>{}, 5, "libcu++'s sum");
        one(count, cuda::std::multiplies<T>{}, 3, "libcu++'s product");
        one(count, cuda::std::bit_xor<>{}, 6, "libcu++'s bits that an odd number have");
        one(count, cuda::minimum<>{}, 1000000, "libcu++'s minimum");
        one(count, cuda::maximum<T>{}, -7, "libcu++'s maximum");
        one(count, wideload::commutative(wideload::plus{}), 5, "sum that is said to commute");
    }
}

/// Results of 1 and 2 bytes, of which a word holds most: their kernels need most registers.
template <class T>
void narrow_results() {
    Scratch scratch(wideload::reduce_scratch_bytes<T>());
    for (std::size_t count : {1, 33, 4097, 70001}) {
        reduce_one<T, T>(count, 0, wideload::minimum{}, T(100), scratch, "minimum");
        reduce_one<T, T>(count, sizeof(T), wideload::maximum{}, T(3), scratch, "maximum");
    }
}

/// What does the same as an operation of the library is taken for it, where it does so for the
/// type.
void known_operations() {
    using namespace wideload;
    const auto same = [](auto operation, auto known) {
        static_assert(std::is_same_v<decltype(operation), decltype(known)>);
    };
    same(detail::known<float>(cuda::std::plus<>{}), plus{});
    same(detail::known<float>(cuda::std::plus<float>{}), plus{});
    same(detail::known<float>(cuda::std::plus<int>{}), cuda::std::plus<int>{});
    same(detail::known<Range>(cuda::std::plus<>{}), cuda::std::plus<>{});
    same(detail::known<unsigned>(cuda::std::bit_and<>{}), bit_and{});
    same(detail::known<unsigned>(cuda::std::bit_or<>{}), bit_or{});
    same(detail::known<int>(commutative(cuda::maximum<>{})), maximum{});
    same(detail::known<Range>(commutative(Widen{})), commutative(Widen{}));
}

void structs() {
    Scratch scratch(wideload::reduce_scratch_bytes<Range>());
    for (std::size_t count : {1, 40, 1000, 100001}) {
        const auto widen = wideload::commutative(Widen{});
        reduce_one<Range, Range>(count, 0, widen, Range{0, 0}, scratch, "range");
        reduce_one<Range, Range>(count, 4, widen, Range{0, 0}, scratch, "range");
    }
}

/// Elements and results of several registers, each summed by itself.
template <int Count>
struct Sums {
    unsigned values[Count];
};
struct AddEach {
    template <int Count>
    __host__ __device__ Sums<Count> operator()(Sums<Count> a, const Sums<Count>& b) const {
        for (int i = 0; i < Count; ++i) a.values[i] += b.values[i];
        return a;
    }
};

template <int Count>
void several_sums() {
    using Result = Sums<Count>;
    Scratch scratch(wideload::reduce_scratch_bytes<Result>());
    for (std::size_t count : {1, 33, 1000, 100003}) {
        for (std::size_t offset : {0, 4}) {
            GuardedBuffer input(count * sizeof(Result), offset, 63);
            GuardedBuffer output(sizeof(Result), offset, 64);
            Result want{{7}};
            for (std::size_t i = 0; i < count; ++i) {
                Result value;
                std::memcpy(&value, input.expected() + i * sizeof(Result), sizeof(Result));
                want = AddEach{}(want, value);
            }
            std::memcpy(output.expected(), &want, sizeof(Result));
            const std::string what = "sums of " + std::to_string(count) + " structs of " +
                                     std::to_string(sizeof(Result)) + " bytes at offset " +
                                     std::to_string(offset);
            test::expect_status(
                wideload::reduce(input.as<const Result>(), count, output.as<Result>(), AddEach{},
                                 Result{{7}}, scratch.get(), scratch.size()),
                cudaSuccess, what);
            output.expect_equal(what);
        }
    }
}

/// Extremes of floats, for which the hardware's atomic operations take integers, and a sum of
/// doubles.
void floating_point() {
    Scratch scratch(wideload::reduce_scratch_bytes<double>());
    for (std::size_t count : {7, 4099, 70001}) {
        reduce_one<std::int16_t, float>(count, 0, wideload::minimum{}, 3.0f, scratch, "minimum");
        reduce_one<std::int16_t, float>(count, 0, wideload::maximum{}, -1e9f, scratch, "maximum");
        reduce_one<std::int16_t, double>(count, 2, wideload::maximum{}, 3.0, scratch, "maximum");
        reduce_one<std::int16_t, double>(count, 2, wideload::maximum{}, -1e9, scratch, "maximum");
        reduce_one<std::uint16_t, float>(count, 0, wideload::minimum{}, 1e9f, scratch, "minimum");
        reduce_one<std::int16_t, double>(count, 2, wideload::plus{}, 0.5, scratch, "sum");
    }
}

/// Sums of floats are rounded: near the exact sum, and bit for bit the same every time.
void floats() {
    const std::size_t count = 1000003;
    std::vector<float> values(count);
    double exact = 0;
    for (std::size_t i = 0; i < count; ++i) {
        values[i] = static_cast<float>(test::mix(i) % 1000003) / 1000003.0f - 0.25f;
        exact += values[i];
    }
    test::LargeBuffer<float> input(count), output(2);
    test::require(cudaMemcpy(input.get(), values.data(), count * 4, cudaMemcpyHostToDevice),
                  "upload");
    Scratch scratch(wideload::reduce_scratch_bytes<float>());
    float first = 0;
    for (int repeat = 0; repeat < 5; ++repeat) {
        test::expect_status(wideload::reduce(input.get(), count, output.get(), wideload::plus{},
                                             0.0f, scratch.get(), scratch.size()),
                            cudaSuccess, "sum of floats");
        float got = 0;
        test::require(cudaMemcpy(&got, output.get(), 4, cudaMemcpyDeviceToHost), "download");
        test::expect(std::abs(got - exact) < 1e-5 * exact, "sum of floats near the exact one");
        float atomic = 0;
        test::require(cudaMemset(output.get() + 1, 0, 4), "cudaMemset");
        test::expect_status(
            wideload::reduce_atomic(input.get(), count, output.get() + 1, wideload::plus{}),
            cudaSuccess, "atomic sum of floats");
        test::require(cudaMemcpy(&atomic, output.get() + 1, 4, cudaMemcpyDeviceToHost), "download");
        test::expect(std::abs(atomic - exact) < 1e-5 * exact,
                     "atomic sum of floats near the exact one");
        if (repeat == 0) first = got;
        test::expect(std::memcmp(&first, &got, 4) == 0, "sum of floats is the same every time");
    }
}

/// The sum of values, exact but for one rounding: parts that share no bits are kept apart, as in
/// J. R. Shewchuk, "Adaptive precision floating-point arithmetic", 1997.
double exact_sum(const std::vector<double>& values) {
    std::vector<double> parts;
    for (double value : values) {
        std::vector<double> kept;
        for (const double part : parts) {
            const double sum = value + part, of_value = sum - part;
            const double lost = (value - of_value) + (part - (sum - of_value));
            if (lost != 0) kept.push_back(lost);
            value = sum;
        }
        kept.push_back(value);
        parts = kept;
    }
    double sum = 0;
    for (auto part = parts.rbegin(); part != parts.rend(); ++part) sum += *part;
    return sum;
}

/// Sums whose elements but one per block are 0, so that nothing but the sum of the blocks' results
/// could round.
template <class T>
class SumsOfBlocks {
public:
    static constexpr std::size_t kBlocks = 16,
                                 kTile = 256 * wideload::tuning::kReduceWords * 16 / sizeof(T);

    /// The sum of what the first blocks bring.
    T operator()(const std::vector<T>& values) {
        std::vector<T> elements(kBlocks * kTile);
        for (std::size_t i = 0; i < values.size(); ++i) elements[i * kTile + i * 37] = values[i];
        test::require(cudaMemcpy(input_.get(), elements.data(), elements.size() * sizeof(T),
                                 cudaMemcpyHostToDevice),
                      "upload");
        test::expect_status(
            wideload::reduce(input_.get(), elements.size(), output_.get(), wideload::plus{}, T(0),
                             scratch_.get(), scratch_.size()),
            cudaSuccess, "sum of blocks");
        T sum{};
        test::require(cudaMemcpy(&sum, output_.get(), sizeof(T), cudaMemcpyDeviceToHost),
                      "download");
        return sum;
    }

private:
    test::LargeBuffer<T> input_{kBlocks * kTile}, output_{1};
    Scratch scratch_{wideload::reduce_scratch_bytes<T>()};
};

/// Blocks' sums are added without loss: what cancels leaves the rest, whatever its size.
template <class T>
void exact_over_blocks() {
    using limits = std::numeric_limits<T>;
    constexpr T kMax = limits::max(), kLeast = limits::denorm_min(), kInf = limits::infinity();
    SumsOfBlocks<T> sum;
    const auto is = [&](T got, T want) {
        test::expect(got == want,
                     "sum of blocks is " + std::to_string(got) + ", not " + std::to_string(want));
    };
    is(sum({kMax, T(1), -kMax}), T(1));
    is(sum({kMax, kMax, -kMax}), kMax);
    is(sum({kMax, kLeast, -kMax, kLeast}), 2 * kLeast);
    is(sum({-limits::min(), kLeast}), -(limits::min() - kLeast));
    is(sum({kMax, kMax}), kInf);
    is(sum({-kMax, -kMax, T(1)}), -kInf);
    is(sum({kInf, -kMax}), kInf);
    is(sum({T(1), -kInf, kMax, -kInf}), -kInf);
    for (const auto& values : {std::vector<T>{kInf, -kInf},
                               {T(1), limits::quiet_NaN()},
                               {kInf, limits::quiet_NaN()},
                               {-kInf, -limits::quiet_NaN()}}) {
        const T got = sum(values);
        test::expect(got != got, "sum of blocks is not a number");
    }
    for (std::uint64_t round = 0; round < 40; ++round) {
        std::vector<T> values;
        std::vector<double> doubles;
        const std::uint64_t spread =
            round % 4 == 0 ? limits::max_exponent * 2 - 8 : 5 << (round % 4);
        for (std::uint64_t i = 0; i < SumsOfBlocks<T>::kBlocks; ++i) {
            const std::uint64_t bits = test::mix(round * 100 + i);
            const int exponent =
                static_cast<int>((bits >> 20) % spread) - static_cast<int>(spread / 2);
            const double value =
                std::ldexp(1 + static_cast<double>(bits >> 32) / 4294967296.0, exponent);
            values.push_back(static_cast<T>(bits % 2 == 0 ? value : -value));
            doubles.push_back(values.back());
        }
        const T got = sum(values), want = static_cast<T>(exact_sum(doubles));
        const T step = std::nextafter(std::abs(want), kInf) - std::abs(want);
        test::expect(std::abs(got - want) <= 2 * step, "sum of blocks is exact but for rounding");
    }
}

void contract() {
    GuardedBuffer buffer(1 << 16, 0, 62);
    int* data = buffer.as<int>();
    Scratch scratch(wideload::reduce_scratch_bytes<int>());
    int* null = nullptr;
    const auto run = [&](const int* input, std::size_t count, int* output, void* memory,
                         std::size_t bytes) {
        return wideload::reduce(input, count, output, wideload::plus{}, 0, memory, bytes);
    };
    test::expect_status(run(null, 1, data, scratch.get(), scratch.size()), cudaErrorInvalidValue,
                        "null input");
    test::expect_status(run(data, 1, null, scratch.get(), scratch.size()), cudaErrorInvalidValue,
                        "null output");
    test::expect_status(run(data, 1, data + 4, nullptr, scratch.size()), cudaErrorInvalidValue,
                        "null scratch");
    test::expect_status(run(data, 1, data + 4, scratch.get(), scratch.size() - 1),
                        cudaErrorInvalidValue, "little scratch");
    test::expect_status(run(data, 8, data + 4, scratch.get(), scratch.size()),
                        cudaErrorInvalidValue, "output in the input");
    auto* memory = static_cast<char*>(scratch.get());
    test::expect_status(run(data, 1, data + 4, memory + 64, scratch.size()), cudaErrorInvalidValue,
                        "misaligned scratch");
    test::expect_status(
        run(data, 1, reinterpret_cast<int*>(buffer.as<char>() + 18), memory, scratch.size()),
        cudaErrorInvalidValue, "misaligned output");
    test::expect_status(run(reinterpret_cast<int*>(memory), 64, data, memory, scratch.size()),
                        cudaErrorInvalidValue, "scratch in the input");
    test::expect_status(run(data, 64, reinterpret_cast<int*>(memory) + 8, memory, scratch.size()),
                        cudaErrorInvalidValue, "output in the scratch memory");
    test::expect_status(run(data, SIZE_MAX / 2, data, memory, scratch.size()),
                        cudaErrorInvalidValue, "more bytes than a size holds");
    test::expect_status(run(data, SIZE_MAX / 4, data, memory, scratch.size()),
                        cudaErrorInvalidValue, "past the end of the address space");
    const auto add = [](const int* input, std::size_t count, int* output) {
        return wideload::reduce_atomic(input, count, output, wideload::plus{});
    };
    test::expect_status(add(null, 1, data), cudaErrorInvalidValue, "atomic: null input");
    test::expect_status(add(data, 1, null), cudaErrorInvalidValue, "atomic: null output");
    test::expect_status(add(data, 8, data + 4), cudaErrorInvalidValue,
                        "atomic: output in the input");
    test::expect_status(add(data, 1, reinterpret_cast<int*>(buffer.as<char>() + 9)),
                        cudaErrorInvalidValue, "atomic: misaligned output");
    test::expect_status(add(null, 0, data), cudaSuccess, "atomic: nothing");
    buffer.expect_equal("a rejected reduction writes nothing");
}

/// What is wrong with the arguments is said before anything is enqueued, scratch memory included.
void nothing_is_enqueued() {
    GuardedBuffer buffer(256, 0, 63);
    int* data = buffer.as<int>();
    int* null = nullptr;
    cudaStream_t stream = nullptr;
    cudaGraph_t graph = nullptr;
    test::require(cudaStreamCreate(&stream), "cudaStreamCreate");
    test::require(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "capture");
    const auto run = [&](const int* input, std::size_t count, int* output, const char* what) {
        test::expect_status(wideload::reduce(input, count, output, wideload::plus{}, 0, stream),
                            cudaErrorInvalidValue, what);
    };
    run(null, 1, data, "own scratch: null input");
    run(data, 1, null, "own scratch: null output");
    run(data, 8, data + 4, "own scratch: output in the input");
    run(data, 1, reinterpret_cast<int*>(buffer.as<char>() + 18), "own scratch: misaligned output");
    run(data, SIZE_MAX / 4, data, "own scratch: past the end of the address space");
    test::require(cudaStreamEndCapture(stream, &graph), "end of capture");
    std::size_t nodes = 0;
    test::require(cudaGraphGetNodes(graph, nullptr, &nodes), "cudaGraphGetNodes");
    test::expect(nodes == 0, "a rejected reduction enqueues nothing");
    test::require(cudaGraphDestroy(graph), "cudaGraphDestroy");
    test::require(cudaStreamDestroy(stream), "cudaStreamDestroy");
}

void beyond_two_to_the_32() {
    const std::size_t count = (std::size_t{1} << 32) + 99;
    test::LargeBuffer<unsigned char> input(count);
    test::LargeBuffer<unsigned long long> output(1);
    test::generate(input.get(), count,
                   [] __device__(std::size_t i) { return (unsigned char)(i % 251); });
    unsigned long long want = 0, got = 0;
    for (unsigned i = 0; i < 251; ++i)
        want += static_cast<unsigned long long>(i) * (count / 251 + (i < count % 251 ? 1 : 0));
    test::expect_status(wideload::reduce(input.get(), count, output.get(), wideload::plus{}, 0ull),
                        cudaSuccess, "large sum");
    test::require(cudaMemcpy(&got, output.get(), 8, cudaMemcpyDeviceToHost), "download");
    test::expect(got == want, "sum of more than 2^32 bytes");
    test::expect_status(wideload::reduce_atomic(input.get(), count, output.get(), wideload::plus{}),
                        cudaSuccess, "large atomic sum");
    test::require(cudaMemcpy(&got, output.get(), 8, cudaMemcpyDeviceToHost), "download");
    test::expect(got == 2 * want, "atomic sum of more than 2^32 bytes");
}

}  // namespace

int main(int argc, char** argv) {
    test::start(argc, argv);
    type<std::uint8_t, int>();
    type<std::int16_t, int>();
    type<std::int32_t, std::int32_t>();
    type<std::int32_t, long long>();
    type<long long, long long>();
    type<std::uint32_t, unsigned long>();
    larger<int>();
    larger<unsigned long long>();
    integer_operations<int>();
    integer_operations<unsigned long long>();
    narrow_results<std::uint8_t>();
    narrow_results<std::int8_t>();
    narrow_results<std::int16_t>();
    known_operations();
    structs();
    several_sums<3>();
    several_sums<4>();
    floating_point();
    floats();
    exact_over_blocks<float>();
    exact_over_blocks<double>();
    contract();
    nothing_is_enqueued();
    if (test::state().full) beyond_two_to_the_32();
    return test::finish("reduce_test");
}

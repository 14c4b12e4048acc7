// SPDX-License-Identifier: Apache-2.0
// The warp layer: array-of-structures access for structs of any size, reductions and scans, and
// loads of misaligned words, which may read whole aligned ones around them but nothing beside.
#include <wideload/warp/aos.cuh>
#include <wideload/warp/reduce.cuh>
#include <wideload/warp/shifted_load.cuh>
#include <wideload/warp/shifted_store.cuh>

#include "support/harness.cuh"

namespace {

using namespace wideload;
using test::Blob;
using test::GuardedBuffer;

constexpr int kWarps = 5;

/// Every lane loads its structs in bulk and stores them one by one, and the other way round.
template <class T>
__global__ void aos_kernel(const T* from, T* one_by_one, T* in_bulk) {
    constexpr int kCount = warp::kStructsPerLane<T>;
    const int lane = threadIdx.x % kWarpLanes,
              first = threadIdx.x / kWarpLanes * kWarpLanes * kCount;
    vec<T, kCount> structs = warp::load_aos(assume_aligned<16>(from + first), lane);
    for (int k = 0; k < kCount; ++k) one_by_one[first + lane * kCount + k] = structs[k];
    for (int k = 0; k < kCount; ++k) structs[k] = from[first + lane * kCount + k];
    warp::store_aos(assume_aligned<16>(in_bulk + first), structs, lane);
}

template <int Size>
void aos() {
    const std::size_t bytes =
        static_cast<std::size_t>(kWarps) * kWarpLanes * warp::kStructsPerLane<Blob<Size>> * Size;
    GuardedBuffer from(bytes, 0, 1), one_by_one(bytes, 0, 2), in_bulk(bytes, 0, 3);
    aos_kernel<<<1, kWarps * kWarpLanes>>>(from.as<const Blob<Size>>(), one_by_one.as<Blob<Size>>(),
                                           in_bulk.as<Blob<Size>>());
    test::expect_status(cudaGetLastError(), cudaSuccess, "array-of-structures kernel");
    std::memcpy(one_by_one.expected(), from.expected(), bytes);
    std::memcpy(in_bulk.expected(), from.expected(), bytes);
    one_by_one.expect_equal("load_aos of structs of " + std::to_string(Size) + " bytes");
    in_bulk.expect_equal("store_aos of structs of " + std::to_string(Size) + " bytes");
}

__global__ void scan_kernel(const int* from, int* sums, int* inclusive, int* exclusive, int valid) {
    const int lane = threadIdx.x;
    const int sum = warp::reduce(from[lane], [](int a, int b) { return a + b; }, lane, valid);
    if (lane == 0) *sums = sum;
    inclusive[lane] = warp::inclusive_scan(from[lane], [](int a, int b) { return a + b; }, lane);
    // What comes first takes the values' type, as an initial value of reductions does.
    exclusive[lane] =
        warp::exclusive_scan(from[lane], [](int a, int b) { return a + b; }, 100u, lane);
}

__global__ void all_reduce_kernel(const int* from, int* eights, int* all) {
    const int lane = threadIdx.x;
    const auto plus = [](int a, int b) { return a + b; };
    eights[lane] = warp::all_reduce<8>(from[lane], plus);
    all[lane] = warp::all_reduce(from[lane], plus);
}

/// Every lane has the sum of its group.
void sums_of_groups() {
    GuardedBuffer from(128, 0, 4), eights(128, 0, 5), all(128, 0, 6);
    all_reduce_kernel<<<1, 32>>>(from.as<const int>(), eights.as<int>(), all.as<int>());
    const auto* values = reinterpret_cast<const unsigned*>(from.expected());
    for (int lane = 0; lane < 32; ++lane) {
        unsigned of_eight = 0, of_all = 0;
        for (int i = 0; i < 32; ++i) {
            of_all += values[i];
            if (i / 8 == lane / 8) of_eight += values[i];
        }
        std::memcpy(eights.expected() + lane * 4, &of_eight, 4);
        std::memcpy(all.expected() + lane * 4, &of_all, 4);
    }
    eights.expect_equal("sums of eight lanes");
    all.expect_equal("sums of all lanes");
}

template <class T, class Operation>
__global__ void combine_kernel(const T* from, T* eights, T* all) {
    const int lane = threadIdx.x;
    eights[lane] = warp::all_reduce<8>(from[lane], Operation{});
    all[lane] = warp::all_reduce(from[lane], Operation{});
}

/// Every lane has what its group comes to. `values` are such that sums are exact.
template <class T, class Operation>
void combinations(const std::vector<T>& values, const char* what) {
    GuardedBuffer from(32 * sizeof(T), 0, 4), eights(32 * sizeof(T), 0, 5),
        all(32 * sizeof(T), 0, 6);
    for (std::size_t first = 0; first + 32 <= values.size(); first += 32) {
        test::require(
            cudaMemcpy(from.as<T>(), &values[first], 32 * sizeof(T), cudaMemcpyHostToDevice),
            "upload");
        combine_kernel<T, Operation><<<1, 32>>>(from.as<const T>(), eights.as<T>(), all.as<T>());
        const auto combined = [&](int begin, int count) {
            T value = values[first + begin];
            for (int i = 1; i < count; ++i) value = Operation{}(value, values[first + begin + i]);
            return value;
        };
        for (int lane = 0; lane < 32; ++lane) {
            const T of_eight = combined(lane / 8 * 8, 8), of_all = combined(0, 32);
            std::memcpy(eights.expected() + lane * sizeof(T), &of_eight, sizeof(T));
            std::memcpy(all.expected() + lane * sizeof(T), &of_all, sizeof(T));
        }
        const std::string name = std::string(what) + " of " + std::to_string(sizeof(T)) + " bytes";
        eights.expect_equal(name + " of eight lanes");
        all.expect_equal(name + " of all lanes");
    }
}

/// Numbers of all sizes and both signs; those of the last 32 are alike in their upper half.
template <class T>
std::vector<T> numbers() {
    std::vector<T> values(96);
    for (std::size_t i = 0; i < values.size(); ++i) {
        const std::uint64_t bits = test::mix(i);
        if constexpr (std::is_floating_point_v<T>) {
            const auto digits = static_cast<T>(static_cast<std::int64_t>(bits) >> 40);
            values[i] = i < 64
                            ? std::ldexp(digits, static_cast<int>(bits % 200) - 100)
                            : -1 - std::numeric_limits<T>::epsilon() * static_cast<T>(bits % 997);
        } else {
            values[i] = static_cast<T>(i < 64 ? bits : bits % 997 << (sizeof(T) * 4) | 1);
        }
    }
    values[5] = std::numeric_limits<T>::lowest();
    values[40] = std::numeric_limits<T>::max();
    if constexpr (std::is_floating_point_v<T>) {
        values[6] = -std::numeric_limits<T>::infinity();
        values[41] = std::numeric_limits<T>::infinity();
    }
    return values;
}

template <class T>
void extremes() {
    combinations<T, wideload::minimum>(numbers<T>(), "least");
    combinations<T, wideload::maximum>(numbers<T>(), "greatest");
}

template <class T>
void integers() {
    combinations<T, wideload::plus>(numbers<T>(), "sum");
    combinations<T, wideload::multiplies>(numbers<T>(), "product");
    combinations<T, wideload::bit_and>(numbers<T>(), "bits that all have");
    combinations<T, wideload::bit_or>(numbers<T>(), "bits that any has");
    combinations<T, wideload::bit_xor>(numbers<T>(), "bits that an odd number have");
    combinations<T, cuda::std::bit_or<>>(numbers<T>(), "libcu++'s bits that any has");
    combinations<T, cuda::maximum<T>>(numbers<T>(), "libcu++'s greatest");
    extremes<T>();
}

void scans() {
    for (int valid : {1, 2, 3, 16, 17, 31, 32}) {
        GuardedBuffer from(128, 0, 4), sum(4, 0, 5), inclusive(128, 0, 6), exclusive(128, 0, 7);
        scan_kernel<<<1, 32>>>(from.as<const int>(), sum.as<int>(), inclusive.as<int>(),
                               exclusive.as<int>(), valid);
        const int* values = reinterpret_cast<const int*>(from.expected());
        unsigned running = 0;
        for (int i = 0; i < 32; ++i) {
            reinterpret_cast<unsigned*>(exclusive.expected())[i] = 100 + running;
            running += static_cast<unsigned>(values[i]);
            reinterpret_cast<unsigned*>(inclusive.expected())[i] = running;
            if (i == valid - 1) std::memcpy(sum.expected(), &running, 4);
        }
        sum.expect_equal("warp reduction of " + std::to_string(valid) + " lanes");
        inclusive.expect_equal("inclusive scan");
        exclusive.expect_equal("exclusive scan");
    }
}

template <int Rows>
__global__ void shifted_kernel(const char* base, unsigned shift_bytes, uint4* to) {
    uint4 rows[Rows];
    warp::load_shifted(rows, base, shift_bytes, threadIdx.x);
    for (int r = 0; r < Rows; ++r) to[r * kWarpLanes + threadIdx.x] = rows[r];
}

template <int Rows>
void shifted() {
    constexpr std::size_t kBytes = std::size_t{Rows} * kWarpLanes * 16;
    for (std::size_t offset : {0, 16}) {
        for (unsigned shift = 1; shift < 16; ++shift) {
            GuardedBuffer from(kBytes + 16, offset, 8), to(kBytes, 0, 9);
            shifted_kernel<Rows><<<1, kWarpLanes>>>(from.as<const char>(), shift, to.as<uint4>());
            std::memcpy(to.expected(), from.expected() + shift, kBytes);
            to.expect_equal(std::to_string(Rows) + " rows shifted by " + std::to_string(shift) +
                            " bytes, from offset " + std::to_string(offset));
        }
    }
}

template <int Rows>
__global__ void shifted_store_kernel(const uint4* from, char* base, unsigned shift_bytes) {
    uint4 rows[Rows];
    for (int r = 0; r < Rows; ++r) rows[r] = from[r * kWarpLanes + threadIdx.x];
    warp::store_shifted(rows, base, shift_bytes, threadIdx.x);
}

template <int Rows>
void shifted_stores() {
    constexpr std::size_t kBytes = std::size_t{Rows} * kWarpLanes * 16;
    for (std::size_t offset : {0, 16}) {
        for (unsigned shift = 1; shift < 16; ++shift) {
            GuardedBuffer from(kBytes, 0, 8), to(kBytes, offset + shift, 9);
            shifted_store_kernel<Rows>
                <<<1, kWarpLanes>>>(from.as<const uint4>(), to.as<char>() - shift, shift);
            std::memcpy(to.expected(), from.expected(), kBytes);
            to.expect_equal(std::to_string(Rows) + " rows stored shifted by " +
                            std::to_string(shift) + " bytes, from offset " +
                            std::to_string(offset));
        }
    }
}

/// Units that one way of exchanging them brings to the lanes and the other, register by register,
/// back.
template <int Units>
__global__ void chosen_kernel(const uint4* from, uint4* to) {
    const int lane = threadIdx.x;
    uint4 units[Units];
    for (int r = 0; r < Units; ++r) units[r] = from[r * kWarpLanes + lane];
    warp::striped_to_blocked(units, lane);
    warp::blocked_to_striped<false>(units, lane);
    for (int r = 0; r < Units; ++r) to[r * kWarpLanes + lane] = units[r];
}

template <int Units>
void chosen() {
    constexpr std::size_t kBytes = std::size_t{Units} * kWarpLanes * 16;
    GuardedBuffer from(kBytes, 0, 10), to(kBytes, 0, 11);
    chosen_kernel<Units><<<1, kWarpLanes>>>(from.as<const uint4>(), to.as<uint4>());
    std::memcpy(to.expected(), from.expected(), kBytes);
    to.expect_equal(std::to_string(Units) + " units chosen one by one");
}

/// The last multiple of 8, which depends on the order.
struct Later {
    __host__ __device__ unsigned operator()(unsigned a, unsigned b) const {
        return b % 8 == 0 ? b : a;
    }
};

template <int Rows>
__global__ void striped_kernel(const unsigned* from, unsigned* to) {
    const int lane = threadIdx.x;
    unsigned rows[Rows];
    for (int r = 0; r < Rows; ++r) rows[r] = from[r * kWarpLanes + lane];
    to[lane] = warp::reduce_striped(rows, Later{}, lane);
}

template <int Rows>
void striped() {
    GuardedBuffer from(Rows * 128, 0, 8 + Rows), to(128, 0, 9);
    striped_kernel<Rows><<<1, 32>>>(from.as<const unsigned>(), to.as<unsigned>());
    const auto* values = reinterpret_cast<const unsigned*>(from.expected());
    unsigned want = values[0];
    for (int i = 1; i < Rows * kWarpLanes; ++i) want = Later{}(want, values[i]);
    for (int lane = 0; lane < kWarpLanes; ++lane) std::memcpy(to.expected() + lane * 4, &want, 4);
    to.expect_equal("reduction of " + std::to_string(Rows) + " striped rows");
}

template <int Lanes>
__global__ void whole_kernel(const unsigned* from, unsigned* to) {
    const int lane = threadIdx.x;
    const unsigned combined = warp::reduce<Lanes>(from[lane], Later{});
    if (lane % Lanes == 0) to[lane / Lanes] = combined;
}

/// Reductions without tests of who has a value: the first lane of each group has what the group's
/// come to.
template <int Lanes>
void whole() {
    constexpr int kGroups = kWarpLanes / Lanes;
    GuardedBuffer from(128, 0, 80 + Lanes), to(kGroups * 4, 0, 9);
    whole_kernel<Lanes><<<1, 32>>>(from.as<const unsigned>(), to.as<unsigned>());
    const auto* values = reinterpret_cast<const unsigned*>(from.expected());
    for (int group = 0; group < kGroups; ++group) {
        unsigned want = values[group * Lanes];
        for (int i = 1; i < Lanes; ++i) want = Later{}(want, values[group * Lanes + i]);
        std::memcpy(to.expected() + group * 4, &want, 4);
    }
    to.expect_equal("reduction of whole groups of " + std::to_string(Lanes));
}

}  // namespace

int main(int argc, char** argv) {
    test::start(argc, argv);
    aos<3>();
    aos<5>();
    aos<6>();
    aos<12>();
    aos<16>();
    aos<20>();
    aos<24>();
    aos<28>();
    aos<32>();
    aos<36>();
    aos<40>();
    aos<48>();
    aos<64>();
    aos<96>();
    aos<128>();
    scans();
    sums_of_groups();
    integers<signed char>();
    integers<unsigned short>();
    integers<int>();
    integers<unsigned>();
    integers<long>();
    integers<unsigned long long>();
    extremes<float>();
    extremes<double>();
    shifted<1>();
    shifted<3>();
    chosen<2>();
    chosen<4>();
    chosen<5>();
    chosen<8>();
    shifted_stores<1>();
    shifted_stores<2>();
    shifted_stores<3>();
    striped<1>();
    striped<2>();
    striped<4>();
    striped<32>();
    whole<1>();
    whole<8>();
    whole<32>();
    return test::finish("warp_test");
}

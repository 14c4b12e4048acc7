// SPDX-License-Identifier: Apache-2.0
// 64-bit indices whose low half alone counts: nvcc extends it by two shifts (cooperative groups'
// thread_rank() in an int), and lanes may wrap around within 32 bits anywhere on the way.
#include <cooperative_groups.h>

#include <cstdint>

#include "check.h"

constexpr int kResults = 6;

template <int kRight>
__device__ std::int64_t extended(std::int64_t value) {
    std::int64_t result;
    asm("{ .reg .b64 up; shl.b64 up, %1, 32; shr.s64 %0, up, %2; }"
        : "=l"(result)
        : "l"(value), "n"(kRight));
    return result;
}

__device__ std::int64_t extended_by_zeros(std::int64_t value) {
    std::int64_t result;
    asm("{ .reg .b64 up; shl.b64 up, %1, 32; shr.u64 %0, up, 30; }" : "=l"(result) : "l"(value));
    return result;
}

__device__ std::int64_t converted(std::int64_t value) {
    std::int64_t result;
    asm("cvt.s64.s32 %0, %1;" : "=l"(result) : "l"(value));
    return result;
}

// `wide` is base + lane, or, where that is cut to 32 bits first, what may have wrapped around.
template <bool kCut>
__global__ void extend(std::int64_t base, std::int64_t* out) {
    std::int64_t wide = base + threadIdx.x;
    if constexpr (kCut) wide = static_cast<int>(static_cast<int>(base) + threadIdx.x);
    std::int64_t* mine = out + threadIdx.x * kResults;
    mine[0] = extended<32>(wide);
    mine[1] = extended<30>(wide);
    mine[2] = extended<0>(wide);
    mine[3] = extended_by_zeros(wide);
    mine[4] = converted(wide << 3);
    mine[5] = static_cast<unsigned>(wide);
}

__global__ void twice_in_grid(const float* in, float* out, int n) {
    const auto grid = cooperative_groups::this_grid();
    for (int i = grid.thread_rank(); i < n; i += grid.size()) out[i] = 2 * in[i];
}

std::int64_t low_half(std::uint64_t value) {
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(value));
}

int main() {
    const std::int64_t bases[] = {
        0,           1000,         -16,          0x7ffffff0,    0xfffffff0,
        0x7fffffff0, -0x80000010l, 0x1234567890, INT64_MAX - 15};
    for (const std::int64_t base : bases) {
        for (const bool cut : {false, true}) {
            DeviceArray<std::int64_t> out(64 * kResults);
            (cut ? extend<true> : extend<false>)<<<1, 64>>>(base, out);
            CHECK_LAUNCH();
            const auto results = out.host();
            for (std::size_t i = 0; i < 64; ++i) {
                std::uint64_t wide = static_cast<std::uint64_t>(base) + i;
                if (cut) wide = static_cast<std::uint64_t>(low_half(wide));
                const std::int64_t* mine = results.data() + i * kResults;
                CHECK_AT(i, mine[0] == low_half(wide));
                CHECK_AT(i, mine[1] == low_half(wide) * 4);
                CHECK_AT(i, mine[2] == static_cast<std::int64_t>(wide << 32));
                CHECK_AT(i, mine[3] == static_cast<std::int64_t>(wide & 0xffffffff) * 4);
                CHECK_AT(i, mine[4] == low_half(wide << 3));
                CHECK_AT(i, mine[5] == static_cast<std::int64_t>(wide & 0xffffffff));
            }
        }
    }
    const int n = 5003;
    std::vector<float> in(n);
    for (int i = 0; i < n; ++i) in[i] = 0.5f * i;
    DeviceArray<float> from(in), to(n);
    twice_in_grid<<<5, 96>>>(from, to, n);
    CHECK_LAUNCH();
    const auto doubled = to.host();
    for (int i = 0; i < n; ++i) CHECK_AT(i, doubled[i] == 2 * in[i]);
}

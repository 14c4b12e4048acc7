// SPDX-License-Identifier: Apache-2.0
// What a warp's exchanges and a block's do not take.
#include <wideload/wideload.cuh>

struct Owner {
    __device__ Owner();
    __device__ Owner(const Owner&);
};

__global__ void wrong(const float3* structs, float3* out, float (&rows)[3]) {
    const int lane = threadIdx.x % 32;
    // says: warp::shuffle moves raw bytes: T must be trivially copyable
    (void)wideload::warp::shuffle(Owner(), 0);
    // says: warp::reduce_striped takes a power of two of rows, at most 32
    rows[0] = wideload::warp::reduce_striped(rows, wideload::plus{}, lane);
    // says: warp::reduce combines a power of two of lanes, at most 32
    rows[0] = wideload::warp::reduce<12>(rows[0], wideload::plus{}, lane);
    // says: warp::all_reduce combines a power of two of lanes, at most 32
    rows[0] = wideload::warp::all_reduce<64>(rows[0], wideload::plus{});
    // says: warp::load_aos, store_aos: the structs of one lane must fill whole 16-byte words; use
    // kStructsPerLane<T>
    const auto held = wideload::warp::load_aos<wideload::cached, const float3, 16, 3>(
        wideload::assume_aligned<16>(structs), lane);
    // says: warp::store_aos: the tile must be known to be aligned to 16 bytes
    wideload::warp::store_aos(wideload::assume_aligned<4>(out), held, lane);
    // says: warp::store_aos: this cache policy is for loads only
    wideload::warp::store_aos<wideload::read_once>(
        wideload::assume_aligned<16>(out),
        wideload::warp::load_aos(wideload::assume_aligned<16>(structs), lane), lane);
}

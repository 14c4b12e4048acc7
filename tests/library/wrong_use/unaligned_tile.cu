// SPDX-License-Identifier: Apache-2.0
// says: warp::load_aos: the tile must be known to be aligned to 16 bytes
#include <wideload/warp/aos.cuh>
__global__ void wrong(const float3* data, float* out) {
    out[threadIdx.x] =
        wideload::warp::load_aos(wideload::assume_aligned<4>(data), threadIdx.x)[0].x;
}

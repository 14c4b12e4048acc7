// SPDX-License-Identifier: Apache-2.0
// says: wideload::store: this cache policy is for loads only
#include <wideload/thread/store.cuh>
__global__ void wrong(float* data) {
    wideload::store<wideload::read_only>(wideload::assume_aligned<16>(data), 0,
                                         wideload::vec<float, 4>{});
}

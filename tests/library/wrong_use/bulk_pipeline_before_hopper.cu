// SPDX-License-Identifier: Apache-2.0
// compile: -arch=sm_80 -ptx
// says: block::pipeline: by_bulk needs sm_90; use by_thread
#include <wideload/block/pipeline.cuh>
__global__ void wrong(int* out) {
    *out =
        sizeof(typename wideload::block::pipeline<1024, 2, 64, wideload::block::by_bulk>::storage);
}

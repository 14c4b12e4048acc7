// SPDX-License-Identifier: Apache-2.0
// says: wideload::deinterleave takes 2 to 16 fields
#include <wideload/device/interleave.cuh>
cudaError_t wrong(const float* structs, float* const (&fields)[17]) {
    return wideload::deinterleave(structs, fields, 1);
}

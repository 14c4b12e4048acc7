// SPDX-License-Identifier: Apache-2.0
// says: wideload::gather: the indices must be integers
#include <wideload/device/gather.cuh>
cudaError_t wrong(const float* from, const float* index, float* to) {
    return wideload::gather(from, index, to, 1);
}

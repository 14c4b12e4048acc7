// SPDX-License-Identifier: Apache-2.0
// says: wideload::fill: the value is larger than 224 bytes
#include <wideload/device/fill.cuh>
struct Large {
    char bytes[225];
};
cudaError_t wrong(Large* data) { return wideload::fill(data, 1, Large{}); }

// SPDX-License-Identifier: Apache-2.0
// says: wideload::copy moves raw bytes: T must be trivially copyable
#include <wideload/device/copy.cuh>
struct Owner {
    Owner(const Owner&);
};
cudaError_t wrong(const Owner* from, Owner* to) { return wideload::copy(from, to, 1); }

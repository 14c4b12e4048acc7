// SPDX-License-Identifier: Apache-2.0
// Elements whose size is no power of two, each reduced as a number.
#pragma once

namespace test {

/// Elements that no words are whole ones of.
struct ThreeBytes {
    unsigned char bytes[3];
    __host__ __device__ explicit operator long long() const {
        return bytes[0] + 256 * bytes[1] - 65536 * (bytes[2] % 2);
    }
};

struct ThreeInts {
    int values[3];
    __host__ __device__ explicit operator long long() const {
        return values[0] + 3ll * values[1] - 5ll * values[2];
    }
};

}  // namespace test

// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace test {

/// A struct of `Bytes` bytes with alignment 1, to stand for any type of that size.
template <int Bytes>
struct Blob {
    unsigned char bytes[Bytes];
};

}  // namespace test

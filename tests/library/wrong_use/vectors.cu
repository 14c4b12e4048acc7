// SPDX-License-Identifier: Apache-2.0
// What a thread's vectors cannot be made of.
#include <wideload/thread/aligned_ptr.cuh>
#include <wideload/thread/vec.cuh>

struct Owner {
    Owner(const Owner&);
};

// says: wideload::vec moves raw bytes: its element type must be trivially copyable
constexpr std::size_t owners = sizeof(wideload::vec<Owner, 2>);

// says: wideload::vec needs at least one element
constexpr std::size_t none = sizeof(wideload::vec<float, 0>);

// says: an alignment is a power of two
wideload::aligned_ptr<char, 3> odd;

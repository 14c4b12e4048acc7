// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/thread/access.cuh>
#include <wideload/thread/funnel.cuh>

namespace wideload::detail {

/// The 16 bytes at an address of any alignment, read in two steps so that many can be in flight:
/// `fetch` loads the two aligned words around them without a branch, `value` shifts them into
/// place. Only bytes of [begin, end) are ever read.
template <class Policy>
class Window {
public:
    /// What all windows of a kernel share: the bytes that may be read, and a word to read where
    /// there is nothing to do.
    struct Bounds {
        const char* begin;
        const char* end;
        const char* spare;  ///< an aligned word inside; null where there is none

        WIDELOAD_DEVICE Bounds(const char* first, const char* last) : begin(first), end(last) {
            spare = first + ((0 - reinterpret_cast<std::uintptr_t>(first)) & (kWideBytes - 1));
            if (last - spare < kWideBytes) spare = nullptr;
        }
    };

    /// @param wanted  false: nothing is needed, and `value` is unspecified. Else `address` must be
    /// in [begin, end)
    WIDELOAD_DEVICE void fetch(const char* address, bool wanted, const Bounds& bounds) {
        shift_ =
            static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(address) & (kWideBytes - 1));
        const char* aligned = address - shift_;
        const int span = shift_ != 0 ? 2 * kWideBytes : kWideBytes;
        const bool inside = wanted && aligned >= bounds.begin && bounds.end - aligned >= span;
        edge_ = wanted && !inside ? address : nullptr;
        if (bounds.spare == nullptr) return;
        const char* first = inside ? aligned : bounds.spare;
        low_ = access<Policy>::template load<kWideBytes>(first);
        high_ = access<Policy>::template load<kWideBytes>(first + (inside ? span - kWideBytes : 0));
    }

    WIDELOAD_DEVICE uint4 value(const Bounds& bounds) const {
        if (edge_ != nullptr) return byte_by_byte(edge_, bounds.end);
        return funnel_shift_bytes(low_, high_, shift_);
    }

private:
    /// An aligned word would reach outside: last byte first, each moving the others up. Bytes past
    /// the end are zero; the address itself is inside.
    static WIDELOAD_DEVICE uint4 byte_by_byte(const char* address, const char* end) {
        uint4 bytes = make_uint4(0, 0, 0, 0);
#pragma unroll 1
        for (int i = kWideBytes - 1; i >= 0; --i) {
            bytes.w = __funnelshift_l(bytes.z, bytes.w, 8);
            bytes.z = __funnelshift_l(bytes.y, bytes.z, 8);
            bytes.y = __funnelshift_l(bytes.x, bytes.y, 8);
            bytes.x <<= 8;
            if (i < end - address) bytes.x |= static_cast<std::uint8_t>(address[i]);
        }
        return bytes;
    }

    uint4 low_, high_;
    unsigned shift_;
    const char* edge_;
};

/// Stores those of the 16 bytes meant for `address` that lie in [begin, end), one by one: for the
/// ends of rows.
WIDELOAD_DEVICE void store_window_part(char* address, uint4 bytes, const char* begin,
                                       const char* end) {
#pragma unroll 1
    for (int i = 0; i < kWideBytes; ++i) {
        if (address + i >= begin && address + i < end) address[i] = static_cast<char>(bytes.x);
        bytes.x = __funnelshift_r(bytes.x, bytes.y, 8);
        bytes.y = __funnelshift_r(bytes.y, bytes.z, 8);
        bytes.z = __funnelshift_r(bytes.z, bytes.w, 8);
        bytes.w >>= 8;
    }
}

/// As above for addresses and ends that are multiples of 4.
WIDELOAD_DEVICE void store_window_words(char* address, const uint4& words, const char* begin,
                                        const char* end) {
    std::uint32_t* target = reinterpret_cast<std::uint32_t*>(address);
    if (address >= begin && address < end) target[0] = words.x;
    if (address + 4 >= begin && address + 4 < end) target[1] = words.y;
    if (address + 8 >= begin && address + 8 < end) target[2] = words.z;
    if (address + 12 >= begin && address + 12 < end) target[3] = words.w;
}

}  // namespace wideload::detail

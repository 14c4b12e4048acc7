// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/device/detail/bank_swizzle.cuh>
#include <wideload/thread/shared_value.cuh>

#include <cstdint>
#include <cstring>

namespace wideload::WIDELOAD_DETAIL {

/// Whether runs of `Rows` values of this type are read by words of 16 bytes: they fill some.
template <class T, int Rows>
inline constexpr bool kHasWideRuns = (sizeof(T) == 4 || sizeof(T) == 8 || sizeof(T) == 16) &&
                                     Rows * static_cast<int>(sizeof(T)) >= kWideBytes;

/// Shared memory through which the lanes of a warp get runs of values: 32 * `Rows` are put row by
/// row, and lane l gets those from number `Rows` * l on. Takes the place of the first rounds of
/// shuffles where order matters: it costs `Rows` + `Rows` * sizeof(T) / 16 accesses, whatever the
/// operation. Swizzled by 16 bytes, so that neither side meets in the banks.
///
/// @tparam Rows  a power of two
template <class T, int Rows, bool Wide = kHasWideRuns<T, Rows>>
class LaneRuns {
    static constexpr int kRunBytes = Rows * static_cast<int>(sizeof(T));
    static WIDELOAD_DEVICE unsigned place(int byte) {
        constexpr BankSwizzle kSwizzle = BankSwizzle::for_stride(kWideBytes, kRunBytes);
        return kSwizzle.place(static_cast<unsigned>(byte));
    }

public:
    WIDELOAD_DEVICE void put(int number, const T& value) {
        char* put = bytes_ + place(number * static_cast<int>(sizeof(T)));
        std::memcpy(__builtin_assume_aligned(put, sizeof(T)), &value, sizeof(T));
    }

    /// The lane's run, combined in its order, as a tree.
    template <class Operation>
    WIDELOAD_DEVICE T combine(int lane, Operation& operation) const {
        T run[Rows];
#pragma unroll
        for (int byte = 0; byte < kRunBytes; byte += kWideBytes) {
            const char* word = bytes_ + place(lane * kRunBytes + byte);
            std::memcpy(reinterpret_cast<char*>(run) + byte,
                        __builtin_assume_aligned(word, kWideBytes), kWideBytes);
        }
#pragma unroll
        for (int left = Rows / 2; left >= 1; left /= 2) {
#pragma unroll
            for (int i = 0; i < left; ++i) run[i] = operation(run[2 * i], run[2 * i + 1]);
        }
        return run[0];
    }

private:
    alignas(kLineBytes) char bytes_[kWarpLanes * kRunBytes];
};

/// The same of values of any size, by words of 4 bytes: `Rows` accesses a word to put them and as
/// many to get them. The lanes that get theirs from one row are `Rows` values apart, in as many
/// banks, and those of each row have banks between, as a row is one word longer than its values.
template <class T, int Rows>
class LaneRuns<T, Rows, false> {
    struct Row {
        SharedValue<T, 4> values[kWarpLanes];
        std::uint32_t beyond;
    };

    WIDELOAD_DEVICE T get(int number) const {
        return rows_[number / kWarpLanes].values[number % kWarpLanes].get();
    }

public:
    WIDELOAD_DEVICE void put(int number, const T& value) {
        rows_[number / kWarpLanes].values[number % kWarpLanes].put(value);
    }
    /// The lane's run, combined one after the other: large ones have no registers for a tree.
    template <class Operation>
    WIDELOAD_DEVICE T combine(int lane, Operation& operation) const {
        T total = get(lane * Rows);
#pragma unroll
        for (int i = 1; i < Rows; ++i) total = operation(total, get(lane * Rows + i));
        return total;
    }

private:
    Row rows_[Rows];
};

}  // namespace wideload::WIDELOAD_DETAIL

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

/// The 64 bits of an mbarrier object in shared memory. PTX leaves their layout to the machine.
namespace wideload::jit {

/// Counts may be 0 to this, the bytes of transactions minus this to this.
inline constexpr std::uint32_t kMostArrivals = (1u << 20) - 1;
/// Where the pending arrivals lie, which mbarrier.pending_count takes from a state.
inline constexpr unsigned kPendingShift = 20;

/// An mbarrier between two operations: PTX ISA, "mbarrier".
struct MbarrierState {
    std::uint32_t expected = 0;    ///< arrivals of each phase to come
    std::uint32_t pending = 0;     ///< arrivals that this phase still waits for
    std::int32_t outstanding = 0;  ///< bytes that this phase still waits for
    bool odd_phase = false;

    [[nodiscard]] static constexpr MbarrierState initialised(std::uint32_t count) {
        return {count, count, 0, false};
    }
    [[nodiscard]] static constexpr MbarrierState unpack(std::uint64_t bits) {
        return {static_cast<std::uint32_t>(bits) & kMostArrivals,
                static_cast<std::uint32_t>(bits >> kPendingShift) & kMostArrivals,
                static_cast<std::int32_t>(bits >> 40 & 0x1f'ffff) - kBias, bits >> 63 != 0};
    }
    [[nodiscard]] constexpr std::uint64_t pack() const {
        return expected | std::uint64_t{pending} << kPendingShift |
               static_cast<std::uint64_t>(outstanding + kBias) << 40 |
               static_cast<std::uint64_t>(odd_phase) << 63;
    }

    // Each returns false, and changes nothing, where a count would leave its range.

    [[nodiscard]] constexpr bool expect(std::int64_t bytes) {
        const std::int64_t sum = outstanding + bytes;
        if (sum < -std::int64_t{kMostArrivals} || sum > std::int64_t{kMostArrivals}) return false;
        outstanding = static_cast<std::int32_t>(sum);
        return true;
    }
    /// Bytes have come.
    [[nodiscard]] constexpr bool complete(std::int64_t bytes) {
        if (!expect(-bytes)) return false;
        end_phase_if_complete();
        return true;
    }
    [[nodiscard]] constexpr bool arrive(std::uint32_t count) {
        if (count == 0 || count > pending) return false;
        pending -= count;
        end_phase_if_complete();
        return true;
    }
    /// Arrives for good: phases to come do not wait for these.
    [[nodiscard]] constexpr bool arrive_and_drop(std::uint32_t count) {
        if (count > expected) return false;
        expected -= count;
        if (arrive(count)) return true;
        expected += count;
        return false;
    }

    bool operator==(const MbarrierState&) const = default;

private:
    static constexpr std::int32_t kBias = 1 << 20;

    constexpr void end_phase_if_complete() {
        if (pending != 0 || outstanding != 0) return;
        pending = expected;
        odd_phase = !odd_phase;
    }
};

}  // namespace wideload::jit

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/support/integer.cuh>

namespace wideload::warp {

/// Units of 4, 8 or 16 bytes of a warp in two arrangements. *Striped*: unit 32 * r + l lies in
/// register r of lane l, as coalesced accesses leave them. *Blocked*: unit Units * l + k lies in
/// register k of lane l, so that each lane holds consecutive ones. The two functions below convert
/// in place, with one shuffle per unit, for any number of units.
///
/// In each of the `Units` steps every lane sends one unit and receives one; which one is computed
/// from the lane, so no two lanes ask the same lane. Where `Units` is even, neighbouring groups of
/// lanes start at different units for that reason. Source: B. Catanzaro, A. Keller, M. Garland, "A
/// decomposition for in-place matrix transposition", PPoPP 2014, and the `trove` library, here for
/// whole words of up to 16 bytes.
namespace exchange_detail {

template <int Units>
struct Schedule {
    static constexpr int kCommon = greatest_common_divisor(Units, kWarpLanes);
    static constexpr int kGroupLanes = kWarpLanes / kCommon;
    static constexpr unsigned kInverse =
        inverse_modulo_power_of_two(Units / kCommon, kGroupLanes > 1 ? kGroupLanes : 2);

    /// The unit of its block that a lane of `group` handles in `step`.
    static WIDELOAD_DEVICE int unit_of(int step, int group) {
        const int unit = step + group;
        return unit >= Units ? unit - Units : unit;
    }
    static WIDELOAD_DEVICE int group_of(int lane) { return kCommon == 1 ? 0 : lane / kGroupLanes; }

    /// The lane whose block holds the unit that passes through `striped_lane` in `step`.
    static WIDELOAD_DEVICE int blocked_lane(int striped_lane, int step) {
        const int group = (striped_lane - step) & (kCommon - 1);
        const int unit = unit_of(step, group);
        const int low = static_cast<int>(
            static_cast<unsigned>((striped_lane - unit) >> log2_common()) * kInverse);
        return group * kGroupLanes + (low & (kGroupLanes - 1));
    }

    /// Whether lanes need no choice of registers: if `Units` is odd or a power of two, what a lane
    /// sends from step to step are its registers in an order that is rotated by the lane, and what
    /// it receives are its block's units in theirs, rotated by the group.
    static constexpr bool kByRotation = kCommon == 1 || kCommon == Units;
    /// The step in which lane 0 sends its register `r`: that of the unit 32 * r where all lanes are
    /// one group, else that of group `r`, whose block has it.
    static WIDELOAD_DEVICE constexpr int step_of_lane_0(int r) {
        return kCommon == 1 ? kWarpLanes * r % Units : (Units - r) % Units;
    }

    static WIDELOAD_DEVICE constexpr int log2_common() {
        return kCommon == 1    ? 0
               : kCommon == 2  ? 1
               : kCommon == 4  ? 2
               : kCommon == 8  ? 3
               : kCommon == 16 ? 4
                               : 5;
    }
};

WIDELOAD_DEVICE uint4 shuffle(const uint4& value, int lane) {
    return make_uint4(__shfl_sync(kFullWarp, value.x, lane), __shfl_sync(kFullWarp, value.y, lane),
                      __shfl_sync(kFullWarp, value.z, lane), __shfl_sync(kFullWarp, value.w, lane));
}
WIDELOAD_DEVICE uint2 shuffle(const uint2& value, int lane) {
    return make_uint2(__shfl_sync(kFullWarp, value.x, lane), __shfl_sync(kFullWarp, value.y, lane));
}
WIDELOAD_DEVICE std::uint32_t shuffle(std::uint32_t value, int lane) {
    return __shfl_sync(kFullWarp, value, lane);
}

/// Moves `values[i]` to `values[(i + amount) % Units]`, `amount` below `Units`, in log2(Units)
/// conditional steps: registers cannot be indexed at run time without moving to local memory.
template <int Units, class Unit>
WIDELOAD_DEVICE void rotate(Unit (&values)[Units], int amount) {
#pragma unroll
    for (int step = 1; step < Units; step *= 2) {
        const bool moves = amount & step;
        Unit moved[Units];
#pragma unroll
        for (int i = 0; i < Units; ++i)
            moved[i] = moves ? values[(i + Units - step) % Units] : values[i];
#pragma unroll
        for (int i = 0; i < Units; ++i) values[i] = moved[i];
    }
}

/// `values[index]` without indexing registers at run time, which would move the array to local
/// memory.
template <int Units, class Unit>
WIDELOAD_DEVICE Unit select(const Unit (&values)[Units], int index) {
    Unit chosen = values[0];
#pragma unroll
    for (int i = 1; i < Units; ++i) chosen = index == i ? values[i] : chosen;
    return chosen;
}

/// `values[index] = value`, likewise.
template <int Units, class Unit>
WIDELOAD_DEVICE void assign(Unit (&values)[Units], int index, const Unit& value) {
#pragma unroll
    for (int i = 0; i < Units; ++i) values[i] = index == i ? value : values[i];
}

}  // namespace exchange_detail

/// Converts striped units to blocked ones. All lanes must call; `lane` is this thread's.
template <int Units, class Unit>
WIDELOAD_DEVICE void striped_to_blocked(Unit (&units)[Units], int lane) {
    if constexpr (Units == 1) return;
    using Schedule = exchange_detail::Schedule<Units>;
    const int own_group = Schedule::group_of(lane);
    Unit received[Units] = {};
    if constexpr (Schedule::kByRotation) {
        Unit sorted[Units];
#pragma unroll
        for (int r = 0; r < Units; ++r) sorted[Schedule::step_of_lane_0(r)] = units[r];
        exchange_detail::rotate(sorted, lane % Units);
#pragma unroll
        for (int step = 0; step < Units; ++step) {
            const int unit = Schedule::unit_of(step, own_group);
            received[step] =
                exchange_detail::shuffle(sorted[step], (Units * lane + unit) % kWarpLanes);
        }
        exchange_detail::rotate(received, own_group);
    } else {
#pragma unroll
        for (int step = 0; step < Units; ++step) {
            const int receiver = Schedule::blocked_lane(lane, step);
            const int sent_unit = Schedule::unit_of(step, Schedule::group_of(receiver));
            const Unit sent =
                exchange_detail::select(units, (Units * receiver + sent_unit) / kWarpLanes);
            const int unit = Schedule::unit_of(step, own_group);
            const Unit value = exchange_detail::shuffle(sent, (Units * lane + unit) % kWarpLanes);
            exchange_detail::assign(received, unit, value);
        }
    }
#pragma unroll
    for (int i = 0; i < Units; ++i) units[i] = received[i];
}

/// Converts blocked units to striped ones: the inverse of `striped_to_blocked`.
///
/// @tparam Rotate  false: a power of two of units are chosen one by one, more instructions, with
/// which kernels that write much were seen to be 1 % faster
template <bool Rotate = true, int Units, class Unit>
WIDELOAD_DEVICE void blocked_to_striped(Unit (&units)[Units], int lane) {
    if constexpr (Units == 1) return;
    using Schedule = exchange_detail::Schedule<Units>;
    const int own_group = Schedule::group_of(lane);
    Unit received[Units] = {};
    if constexpr (Schedule::kByRotation && (Rotate || Schedule::kCommon == 1)) {
        exchange_detail::rotate(units, (Units - own_group) % Units);
#pragma unroll
        for (int step = 0; step < Units; ++step) {
            received[step] =
                exchange_detail::shuffle(units[step], Schedule::blocked_lane(lane, step));
        }
        exchange_detail::rotate(received, (Units - lane % Units) % Units);
#pragma unroll
        for (int r = 0; r < Units; ++r) units[r] = received[Schedule::step_of_lane_0(r)];
    } else {
#pragma unroll
        for (int step = 0; step < Units; ++step) {
            const int sender = Schedule::blocked_lane(lane, step);
            const int received_unit = Schedule::unit_of(step, Schedule::group_of(sender));
            const Unit sent = exchange_detail::select(units, Schedule::unit_of(step, own_group));
            const Unit value = exchange_detail::shuffle(sent, sender);
            exchange_detail::assign(received, (Units * sender + received_unit) / kWarpLanes, value);
        }
#pragma unroll
        for (int i = 0; i < Units; ++i) units[i] = received[i];
    }
}

}  // namespace wideload::warp

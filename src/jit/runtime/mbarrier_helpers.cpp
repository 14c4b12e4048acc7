// SPDX-License-Identifier: Apache-2.0
// mbarrier objects lie in a block's shared memory, which belongs to one worker: no step needs the
// host's atomics.
#include <array>
#include <bit>
#include <cstring>

#include "jit/runtime/helpers.h"
#include "jit/runtime/lane_memory.h"
#include "jit/runtime/mbarrier.h"
#include "jit/runtime/mbarrier_state.h"

namespace wideload::jit {
namespace {

constexpr std::uint64_t kMbarrierBytes = 8;

std::uint64_t read(const std::byte* object) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, object, sizeof bits);
    return bits;
}

[[noreturn]] void fail_address(const WarpPlace& place, unsigned lane, WarpFault fault,
                               std::uint64_t address) {
    FaultReport report;
    report.fault = fault;
    report.row = place.row;
    report.ptx_line = place.ptx_line;
    report.warp = place.warp;
    report.lanes = 1u << lane;
    report.address = address;
    report.bytes = kMbarrierBytes;
    fail_warp(place.block, std::move(report));
}

/// Whether the step is one that PTX allows.
bool take(MbarrierState& state, MbarrierStep step, std::uint32_t value) {
    switch (step) {
        case MbarrierStep::init:
            if (value == 0 || value > kMostArrivals) return false;
            state = MbarrierState::initialised(value);
            return true;
        case MbarrierStep::inval:
            state = {};
            return true;
        case MbarrierStep::arrive:
            return state.arrive(value);
        case MbarrierStep::arrive_drop:
            return state.arrive_and_drop(value);
        case MbarrierStep::arrive_expect:
            return state.expect(value) && state.arrive(1);
        case MbarrierStep::arrive_drop_expect:
            return state.expect(value) && state.arrive_and_drop(1);
        case MbarrierStep::expect:
            return state.expect(value);
        case MbarrierStep::complete:
            return state.complete(value);
    }
    return false;
}

std::string refusal(const MbarrierState& state, MbarrierStep step, std::uint32_t value) {
    const std::string count = std::to_string(value);
    switch (step) {
        case MbarrierStep::init:
            return "initialises an mbarrier for " + count + " arrivals; 1 to " +
                   std::to_string(kMostArrivals) + " can be";
        case MbarrierStep::arrive:
        case MbarrierStep::arrive_drop:
        case MbarrierStep::arrive_expect:
        case MbarrierStep::arrive_drop_expect:
            return "arrives at an mbarrier more often than it waits for, " +
                   std::to_string(state.pending) +
                   " times more: it was initialised for too few arrivals, or not at all";
        default:
            return "makes an mbarrier wait for more bytes than it can count, " +
                   std::to_string(kMostArrivals);
    }
}

void step(BlockContext* block, std::uint32_t warp, std::uint32_t ptx_line, std::uint32_t number,
          const std::uint64_t* addresses, std::uint32_t mask, const std::uint32_t* values,
          std::uint64_t* before) {
    const WarpPlace place{*block, warp, ~0u, ptx_line};
    std::uint32_t done = 0;
    for_each_lane(mask, [&](unsigned lane) {
        before[lane] = step_mbarrier(place, lane, addresses[lane],
                                     static_cast<MbarrierStep>(number), values[lane]);
        // A warp arrives as one: its lanes get the state that the first of them found.
        for_each_lane(done, [&](unsigned earlier) {
            const bool same_phase = MbarrierState::unpack(before[earlier]).odd_phase ==
                                    MbarrierState::unpack(before[lane]).odd_phase;
            if (addresses[earlier] == addresses[lane] && same_phase) before[lane] = before[earlier];
        });
        done |= 1u << lane;
    });
}

/// The lanes of `mask` whose phase has ended. `phases` holds their parities, or the states that
/// arrivals of that phase gave.
std::uint32_t ended(const WarpPlace& place, bool by_parity, const std::uint64_t* addresses,
                    std::uint32_t mask, const std::uint64_t* phases) {
    std::uint32_t lanes = 0;
    for_each_lane(mask, [&](unsigned lane) {
        const auto now =
            MbarrierState::unpack(read(find_mbarrier(place, lane, addresses[lane]))).odd_phase;
        const bool asked =
            by_parity ? (phases[lane] & 1) != 0 : MbarrierState::unpack(phases[lane]).odd_phase;
        if (now != asked) lanes |= 1u << lane;
    });
    return lanes;
}

std::uint32_t test_wait(BlockContext* block, std::uint32_t warp, std::uint32_t ptx_line,
                        std::uint32_t by_parity, const std::uint64_t* addresses, std::uint32_t mask,
                        const std::uint64_t* phases) {
    return ended({*block, warp, ~0u, ptx_line}, by_parity != 0, addresses, mask, phases);
}

/// A lane that must wait lets the other warps have a turn first.
std::uint32_t try_wait(BlockContext* block, std::uint32_t warp, std::uint32_t ptx_line,
                       std::uint32_t by_parity, const std::uint64_t* addresses, std::uint32_t mask,
                       const std::uint64_t* phases) {
    const WarpPlace place{*block, warp, ~0u, ptx_line};
    const std::uint32_t lanes = ended(place, by_parity != 0, addresses, mask, phases);
    if (lanes == mask) return lanes;
    host_of(*block).yield(*block, warp);
    return ended(place, by_parity != 0, addresses, mask, phases);
}

}  // namespace

std::byte* find_mbarrier(const WarpPlace& place, unsigned lane, std::uint64_t address) {
    const std::uint64_t offset =
        in_window(address, kSharedWindow) ? address - kSharedWindow : address;
    if (offset % kMbarrierBytes != 0) {
        fail_address(place, lane, WarpFault::misaligned_address, address);
    }
    if (offset >= place.block.shared_bytes || place.block.shared_bytes - offset < kMbarrierBytes) {
        fail_address(place, lane, WarpFault::illegal_address, address);
    }
    return place.block.shared + offset;
}

std::uint64_t step_mbarrier(const WarpPlace& place, unsigned lane, std::uint64_t address,
                            MbarrierStep step, std::uint32_t value) {
    std::byte* object = find_mbarrier(place, lane, address);
    const std::uint64_t before = read(object);
    MbarrierState state = MbarrierState::unpack(before);
    if (!take(state, step, value)) fail_operand(place, lane, refusal(state, step, value));
    const std::uint64_t after = step == MbarrierStep::inval ? 0 : state.pack();
    std::memcpy(object, &after, sizeof after);
    return before;
}

void fail_operand(const WarpPlace& place, unsigned lane, std::string complaint) {
    FaultReport report;
    report.fault = WarpFault::bad_operand;
    report.row = place.row;
    report.ptx_line = place.ptx_line;
    report.warp = place.warp;
    report.lanes = 1u << lane;
    report.complaint = std::move(complaint);
    fail_warp(place.block, std::move(report));
}

std::span<const Helper> mbarrier_helpers() {
    static const std::array table = {
        helper("wl_mbarrier", &step),
        helper("wl_mbarrier_test_wait", &test_wait),
        helper("wl_mbarrier_try_wait", &try_wait),
    };
    return table;
}

}  // namespace wideload::jit

// SPDX-License-Identifier: Apache-2.0
// atom and red: checks and counts a request, and finds the words that it changes. A block's shared
// memory belongs to one worker; global words are shared with the others and with the program.
#include <array>
#include <bit>

#include "counters/count.h"
#include "jit/access.h"
#include "jit/runtime/atomic_words.h"
#include "jit/runtime/helpers.h"
#include "jit/runtime/lane_memory.h"
#include "jit/runtime/lane_moves.h"
#include "ptx/instruction.h"

namespace wideload::jit {
namespace {

using ptx::AtomOp;

/// What ptxas reduces over the warp first where it can prove that all lanes name one address.
bool is_reduced_first(AtomicCode code) {
    switch (static_cast<AtomOp>(code.operation())) {
        case AtomOp::add:
        case AtomOp::min:
        case AtomOp::max:
        case AtomOp::and_:
        case AtomOp::or_:
        case AtomOp::xor_:
            return !ptx::is_float(code.type()) && ptx::byte_size(code.type()) == 4;
        default:
            return false;
    }
}

struct Call {
    BlockContext& block;
    std::uint32_t warp, row;
    AtomicCode code;
    const std::uint64_t* addresses;
    AtomicOperands operands;
    bool uniform_address;

    [[nodiscard]] unsigned bytes() const { return ptx::byte_size(code.type()) * code.width(); }
};

[[noreturn]] void fail(const Call& call, WarpFault fault, std::uint32_t lanes) {
    FaultReport report;
    report.fault = fault;
    report.row = call.row;
    report.warp = call.warp;
    report.lanes = lanes;
    report.address = call.addresses[std::countr_zero(lanes)];
    report.bytes = call.bytes();
    report.space = call.code.space();
    fail_warp(call.block, std::move(report));
}

/// The words of lanes in the allocation of the site's last request are at its displacement; others
/// are looked up.
void find_places(const Call& call, std::uint32_t mask, std::array<std::byte*, kLanes>& places) {
    counters::SiteRow& row = call.block.sites[call.row];
    const std::uint64_t bytes = call.bytes();
    if (row.legal_bytes >= bytes &&
        lane_moves().all_legal(call.addresses, mask, row.legal_begin, row.legal_bytes - bytes, 0)) {
        for (unsigned lane = 0; lane < kLanes; ++lane) {
            places[lane] =
                reinterpret_cast<std::byte*>(call.addresses[lane] + row.legal_displacement);
        }
        return;
    }
    std::uint32_t illegal = 0;
    LegalRange range;
    bool found = false;
    for_each_lane(mask, [&](unsigned lane) {
        const std::uint64_t address = call.addresses[lane];
        if (!found || address - range.begin >= range.bytes) {
            found = host_of(call.block).find(address, range);
        }
        if (!found || address - range.begin + bytes > range.bytes) {
            illegal |= 1u << lane;
            return;
        }
        places[lane] =
            reinterpret_cast<std::byte*>(address + static_cast<std::uint64_t>(range.displacement));
    });
    if (illegal != 0) fail(call, WarpFault::illegal_address, illegal);
    if (counters::TouchedSectors* touched = host_of(call.block).touched_sectors();
        touched != nullptr) {
        for_each_lane(mask,
                      [&](unsigned lane) { touched->touch(call.addresses[lane], true, true); });
        return;
    }
    cache(range, row);
}

void run_global(const Call& call, std::uint32_t mask) {
    std::array<std::byte*, kLanes> places;
    find_places(call, mask, places);
    if (call.block.counting != 0) {
        counters::count_atomic(call.block.sites[call.row], call.addresses, mask, call.bytes(),
                               order_of(call.block, call.warp),
                               call.uniform_address && is_reduced_first(call.code));
    }
    apply_atomic(call.code, {mask, call.code.width(), places, call.operands},
                 call.block.exclusive != 0);
}

void run_shared(const Call& call, std::uint32_t mask, std::uint32_t row) {
    std::uint32_t illegal = 0;
    for_each_lane(mask, [&](unsigned lane) {
        const std::uint64_t offset = call.addresses[lane];
        if (offset + call.bytes() > call.block.shared_bytes || offset > call.block.shared_bytes) {
            illegal |= 1u << lane;
        }
    });
    if (illegal != 0) fail(call, WarpFault::illegal_address, illegal);
    if (call.block.counting != 0) {
        counters::count_shared_atomic(call.block.sites[row], call.addresses, mask, call.bytes(),
                                      order_of(call.block, call.warp));
    }
    std::array<std::byte*, kLanes> places;
    for_each_lane(mask,
                  [&](unsigned lane) { places[lane] = call.block.shared + call.addresses[lane]; });
    apply_atomic(call.code, {mask, call.code.width(), places, call.operands}, true);
}

void run_generic(const Call& call, std::uint32_t mask) {
    std::array<std::uint64_t, kLanes> offsets;
    const auto lanes_in = [&](std::uint64_t window) {
        return lanes_in_window(call.addresses, mask, window, offsets);
    };
    const auto within = [&](ptx::Space space) {
        Call copy = call;
        copy.code =
            AtomicCode::of(call.code.operation(), call.code.type(), space, call.code.width());
        copy.addresses = offsets.data();
        return copy;
    };
    const std::uint32_t shared = lanes_in(kSharedWindow), local = lanes_in(kLocalWindow);
    // A thread's own memory takes no atomics on a GPU either.
    if (local != 0) fail(within(ptx::Space::local), WarpFault::illegal_address, local);
    if ((mask & ~shared) != 0) run_global(call, mask & ~shared);
    if (shared == 0) return;
    run_shared(within(ptx::Space::shared), shared,
               call.row + static_cast<std::uint32_t>(GenericRow::shared));
}

void atomic(BlockContext* block, std::uint32_t warp, std::uint32_t row, std::uint32_t code,
            const std::uint64_t* addresses, std::uint32_t mask, const void* operand,
            const void* swap, void* old, std::uint32_t uniform_address) {
    if (mask == 0) return;
    const Call call{
        *block, warp, row, AtomicCode{code}, addresses, {operand, swap, old}, uniform_address != 0};
    const std::uint64_t low_bits =
        call.bytes() - 1;  // a power of two: 2 to 16 bytes, 1 to 8 of them
    std::uint32_t misaligned = 0;
    for_each_lane(mask, [&](unsigned lane) {
        if ((addresses[lane] & low_bits) != 0) misaligned |= 1u << lane;
    });
    if (misaligned != 0) fail(call, WarpFault::misaligned_address, misaligned);
    switch (call.code.space()) {
        case ptx::Space::shared:
            return run_shared(call, mask, row);
        case ptx::Space::generic:
            return run_generic(call, mask);
        default:
            return run_global(call, mask);
    }
}

}  // namespace

std::span<const Helper> atomic_helpers() {
    static const std::array table = {helper("wl_atomic", &atomic)};
    return table;
}

}  // namespace wideload::jit

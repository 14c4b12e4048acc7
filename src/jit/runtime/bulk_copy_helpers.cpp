// SPDX-License-Identifier: Apache-2.0
// Bulk copies and reductions are made at once, lane after lane, which any program that waits for
// them as it must cannot tell.
#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "counters/bulk.h"
#include "jit/access.h"
#include "jit/runtime/atomic_words.h"
#include "jit/runtime/helpers.h"
#include "jit/runtime/lane_memory.h"
#include "jit/runtime/mbarrier.h"

namespace wideload::jit {
namespace {

constexpr std::uint64_t kUnit = 16;

/// Both ends of each lane's copy, as the host sees them.
struct Ends {
    std::array<std::byte*, kLanes> to{}, from{};
};

/// One side of a warp's copies.
struct Side {
    WarpPlace place;
    bool shared;
    const std::uint64_t* addresses;
    const std::uint32_t* bytes;
};

[[noreturn]] void fail(const Side& side, unsigned lane, WarpFault fault, std::uint32_t bytes) {
    FaultReport report;
    report.fault = fault;
    report.row = side.place.row;
    report.warp = side.place.warp;
    report.lanes = 1u << lane;
    report.address = side.addresses[lane];
    report.bytes = bytes;
    fail_warp(side.place.block, std::move(report));
}

std::byte* find_end(const Side& side, unsigned lane) {
    std::uint64_t address = side.addresses[lane];
    const std::uint32_t bytes = side.bytes[lane];
    if (address % kUnit != 0) fail(side, lane, WarpFault::misaligned_address, kUnit);
    // A copy of nothing goes nowhere.
    if (bytes == 0) return nullptr;
    if (side.shared && !in_window(address, kSharedWindow)) {
        if (address >= kWindowBytes) fail(side, lane, WarpFault::illegal_address, bytes);
        address += kSharedWindow;
    }
    std::byte* end = in_window(address, kSharedWindow) == side.shared
                         ? find_bytes(side.place.block, address, bytes)
                         : nullptr;
    if (end == nullptr) fail(side, lane, WarpFault::illegal_address, bytes);
    return end;
}

/// Element by element into memory that other blocks may change at the same time.
void reduce(AtomicCode code, std::byte* to, const std::byte* from, std::uint32_t bytes,
            bool alone) {
    const unsigned element = ptx::byte_size(code.type());
    for (std::uint32_t done = 0; done < bytes; done += kLanes * element) {
        const std::uint32_t count = std::min<std::uint32_t>(kLanes, (bytes - done) / element);
        const std::uint32_t mask = count == kLanes ? ~0u : (1u << count) - 1;
        std::array<std::byte*, kLanes> places{};
        for (std::uint32_t i = 0; i < count; ++i) places[i] = to + done + i * element;
        apply_atomic(code, {mask, 1, places, {from + done, nullptr, nullptr}}, alone);
    }
}

/// Every sector of each copy's global side.
void touch(counters::TouchedSectors& touched, const std::uint64_t* begins,
           const std::uint32_t* bytes, std::uint32_t mask, bool read, bool written) {
    for_each_lane(mask, [&](unsigned lane) {
        const std::uint64_t end = begins[lane] + bytes[lane];
        for (std::uint64_t at = begins[lane]; at < end;
             at = at / counters::kSectorBytes * counters::kSectorBytes + counters::kSectorBytes) {
            touched.touch(at, read, written);
        }
    });
}

/// Rows: the global side (of copies within shared memory their source), the other side, the
/// mbarrier.
void bulk_copy(BlockContext* block, std::uint32_t warp, std::uint32_t row, std::uint32_t bits,
               std::uint32_t reduction, const std::uint64_t* to, const std::uint64_t* from,
               const std::uint32_t* bytes, const std::uint64_t* barriers, std::uint32_t mask) {
    if (mask == 0) return;
    const BulkCode code{bits};
    const WarpPlace place{*block, warp, row, 0}, other{*block, warp, row + 1, 0},
        barrier{*block, warp, row + 2, 0};
    const bool to_global = code.to() == ptx::Space::global;
    const Side target{to_global ? place : other, !to_global, to, bytes};
    const Side source{to_global ? other : place, code.from() == ptx::Space::shared, from, bytes};
    Ends ends;
    for_each_lane(mask, [&](unsigned lane) {
        if (bytes[lane] % kUnit != 0) {
            fail_operand(place, lane,
                         "copies " + std::to_string(bytes[lane]) +
                             " bytes in bulk, which is no multiple of 16");
        }
        ends.to[lane] = find_end(target, lane);
        ends.from[lane] = find_end(source, lane);
    });
    if (to_global || code.from() == ptx::Space::global) {
        const std::uint64_t* global = to_global ? to : from;
        if (block->counting != 0) counters::count_bulk(block->sites[row], global, bytes, mask);
        if (counters::TouchedSectors* touched = host_of(*block).touched_sectors();
            touched != nullptr) {
            touch(*touched, global, bytes, mask, !to_global || code.reduces(), to_global);
        }
    }
    const AtomicCode operation{reduction};
    for_each_lane(mask, [&](unsigned lane) {
        if (bytes[lane] != 0 && code.reduces()) {
            reduce(operation, ends.to[lane], ends.from[lane], bytes[lane],
                   !to_global || block->exclusive != 0);
        } else if (bytes[lane] != 0) {
            std::memmove(ends.to[lane], ends.from[lane], bytes[lane]);
        }
        if (barriers != nullptr) {
            step_mbarrier(barrier, lane, barriers[lane], MbarrierStep::complete, bytes[lane]);
        }
    });
}

}  // namespace

std::span<const Helper> bulk_copy_helpers() {
    static const std::array table = {helper("wl_bulk_copy", &bulk_copy)};
    return table;
}

}  // namespace wideload::jit

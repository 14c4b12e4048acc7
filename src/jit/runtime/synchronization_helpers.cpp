// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <bit>

#include "jit/runtime/helpers.h"
#include "jit/runtime/host.h"
#include "ptx/instruction.h"

namespace wideload::jit {
namespace {

void poll(BlockContext* block, std::uint32_t warp) { host_of(*block).poll(*block, warp); }

void yield(BlockContext* block, std::uint32_t warp) { host_of(*block).yield(*block, warp); }

void barrier(BlockContext* block, std::uint32_t warp, std::uint32_t number, std::uint32_t threads,
             std::uint32_t mask) {
    if (mask != 0) host_of(*block).wait(*block, warp, number, threads);
}

void barrier_arrive(BlockContext* block, std::uint32_t warp, std::uint32_t number,
                    std::uint32_t threads, std::uint32_t mask) {
    if (mask != 0) host_of(*block).arrive(*block, warp, number, threads);
}

/// @return popc: how many predicates held; and, or: whether all, or any, did
std::uint32_t barrier_reduce(BlockContext* block, std::uint32_t warp, std::uint32_t number,
                             std::uint32_t threads, std::uint32_t mask, std::uint32_t lanes,
                             std::uint32_t operation) {
    if (mask == 0) return 0;
    const Host::Votes own{static_cast<std::uint32_t>(std::popcount(lanes)),
                          static_cast<std::uint32_t>(std::popcount(mask))};
    const Host::Votes all = host_of(*block).wait_and_count(*block, warp, number, threads, own);
    switch (static_cast<ptx::AtomOp>(operation)) {
        case ptx::AtomOp::and_:
            return all.holding == all.taking_part;
        case ptx::AtomOp::or_:
            return all.holding != 0;
        default:
            return all.holding;
    }
}

[[noreturn]] void fail_at(BlockContext* block, WarpFault fault, std::uint32_t warp,
                          std::uint32_t lanes, std::uint64_t address, std::uint32_t ptx_line) {
    FaultReport report;
    report.fault = fault;
    report.warp = warp;
    report.lanes = lanes;
    report.address = address;
    report.ptx_line = ptx_line;
    fail_warp(*block, std::move(report));
}

void trap(BlockContext* block, std::uint32_t warp, std::uint32_t lanes, std::uint32_t ptx_line) {
    if (lanes != 0) fail_at(block, WarpFault::trap, warp, lanes, 0, ptx_line);
}

void bad_function_pointer(BlockContext* block, std::uint32_t warp, std::uint32_t lanes,
                          std::uint64_t target, std::uint32_t ptx_line) {
    fail_at(block, WarpFault::bad_function_pointer, warp, lanes, target, ptx_line);
}

}  // namespace

std::span<const Helper> synchronization_helpers() {
    static const std::array table = {
        helper("wl_poll", &poll),
        helper("wl_yield", &yield),
        helper("wl_barrier", &barrier),
        helper("wl_barrier_arrive", &barrier_arrive),
        helper("wl_barrier_reduce", &barrier_reduce),
        helper("wl_trap", &trap),
        helper("wl_bad_function_pointer", &bad_function_pointer),
    };
    return table;
}

}  // namespace wideload::jit

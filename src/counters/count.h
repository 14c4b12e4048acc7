// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "counters/site_row.h"

/// The hot path of counting: compiled kernels call one of these for every request that they cannot
/// count inline. Each adds one request to a row, by the rules of rules.h: totals, histogram,
/// pattern, first and worst sample.
namespace wideload::counters {

/// @param row        of the calling worker
/// @param addresses  one byte address per lane, 32 of them; those of inactive lanes are not looked
/// at. Each is a multiple of
///                   bytes_per_lane. Shared memory: offsets within the block's shared memory, or
///                   addresses of a window that starts at a multiple of 128. Local memory: offsets
///                   within the lane's own local memory.
/// @param mask       active lanes; nothing happens where it is 0
/// @param bytes_per_lane  1, 2, 4, 8, 16 or 32
/// @param order      linear block index × 64 + warp + 1
using CountFunction = void (*)(SiteRow& row, const std::uint64_t* addresses, std::uint32_t mask,
                               unsigned bytes_per_lane, std::uint64_t order);

/// The vector extension of the host that counting uses. All give the same figures.
enum class CountIsa : std::uint8_t { portable, avx2, avx512 };

/// One function per rule.
struct CountFunctions {
    CountFunction global;
    CountFunction atomic;
    /// For atomics that ptxas reduces over the warp first: the code generator chooses it where the
    /// address is uniform for a reason that ptxas can prove and the operation is one of those that
    /// atomic_sectors in rules.h lists.
    CountFunction uniform_atomic;
    CountFunction shared_load;
    CountFunction shared_store;
    CountFunction shared_atomic;
    CountFunction local;
};

/// Whether this machine can run them.
[[nodiscard]] bool available(CountIsa isa);
/// @param isa an available one
[[nodiscard]] const CountFunctions& count_functions(CountIsa isa);
/// Those of the widest extension that this machine has. Machine code may hold the pointers for
/// good.
[[nodiscard]] const CountFunctions& count_functions();

inline void count_global(SiteRow& row, const std::uint64_t* addresses, std::uint32_t mask,
                         unsigned bytes_per_lane, std::uint64_t order) {
    count_functions().global(row, addresses, mask, bytes_per_lane, order);
}

inline void count_atomic(SiteRow& row, const std::uint64_t* addresses, std::uint32_t mask,
                         unsigned bytes_per_lane, std::uint64_t order,
                         bool uniform_address = false) {
    const CountFunctions& functions = count_functions();
    (uniform_address ? functions.uniform_atomic : functions.atomic)(row, addresses, mask,
                                                                    bytes_per_lane, order);
}

inline void count_shared(SiteRow& row, const std::uint64_t* addresses, std::uint32_t mask,
                         unsigned bytes_per_lane, std::uint64_t order, bool store) {
    const CountFunctions& functions = count_functions();
    (store ? functions.shared_store : functions.shared_load)(row, addresses, mask, bytes_per_lane,
                                                             order);
}

inline void count_shared_atomic(SiteRow& row, const std::uint64_t* addresses, std::uint32_t mask,
                                unsigned bytes_per_lane, std::uint64_t order) {
    count_functions().shared_atomic(row, addresses, mask, bytes_per_lane, order);
}

inline void count_local(SiteRow& row, const std::uint64_t* offsets, std::uint32_t mask,
                        unsigned bytes_per_lane, std::uint64_t order) {
    count_functions().local(row, offsets, mask, bytes_per_lane, order);
}

}  // namespace wideload::counters

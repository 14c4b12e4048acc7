// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

/// What memory pools have handed out, for programs that ask them. The memory itself is the arena's,
/// whichever pool is named, so a pool has reserved what it handed out and no more.
namespace wideload::preload {

struct MemoryPool;

/// @param pool null: the one that cudaMallocAsync takes from
void note_pool_allocation(MemoryPool* pool, std::uint64_t address, std::uint64_t bytes);
/// Of any address: memory of no pool is none of theirs.
void note_pool_release(std::uint64_t address);
/// Of all at once.
void note_pools_release();

}  // namespace wideload::preload

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/support/config.cuh>

namespace wideload {

/// Cache policies, as types. `load` and `store` take one as a template argument; a policy that has
/// no meaning for an access does not compile. Sources: PTX ISA, "Cache Operators" and "Cache
/// Eviction Priority Hints".
struct cached {};  ///< what the compiler chooses; lines stay in L1 and L2 as the hardware decides
struct read_only {};  ///< loads only: nothing writes the data while the kernel runs (ld.global.nc)
struct read_once {};  ///< loads only: read_only, and the line does not enter L1
struct read_line {};  ///< loads only: L2 fetches the whole line of 128 bytes, for a neighbour who
                      ///< comes soon (L2::128B)
struct read_two_lines {};  ///< loads only: read_line, of 256 bytes (L2::256B, sm_80 on; before,
                           ///< read_line)
struct streaming {};       ///< the data is used once: first to be evicted (ld.cs, st.cs)
struct cache_global {};    ///< in L2, not in L1 (ld.cg, st.cg)
struct no_allocate {};     ///< does not enter L1 (L1::no_allocate)
struct evict_first {};     ///< first to be evicted from L1 (L1::evict_first)
struct evict_last {};      ///< last to be evicted from L1 (L1::evict_last)

}  // namespace wideload

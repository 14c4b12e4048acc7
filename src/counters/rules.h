// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "counters/site_row.h"

/// The counting rules, written for clarity: what an NVIDIA GPU counts for one request, from its
/// addresses alone. They were derived from what an H200 counted; tests/unit/counters checks them
/// against those counts. count.h computes the same at speed and is checked against these.
namespace wideload::counters {

/// One execution of a memory instruction by a warp.
struct Request {
    std::array<std::uint64_t, kLanes> addresses{};  ///< in bytes; of active lanes only
    std::uint32_t mask = 0;                         ///< bit i: lane i is active
    unsigned bytes_per_lane = 4;  ///< a power of two up to 32; addresses are multiples of it
};

struct Pattern {
    PatternKind kind = PatternKind::none;
    /// The stride in bytes of `strided`; of `misaligned` the distance of the lowest address past a
    /// sector's start.
    std::int32_t value = 0;

    bool operator==(const Pattern&) const = default;
};

/// Which rule prices a request.
enum class Rule : std::uint8_t {
    global,  ///< loads and stores, whatever their cache operator; cp.async counts as a global load
    atomic,  ///< global atomics and reductions
    uniform_atomic,  ///< those that ptxas first reduces over the warp, see atomic_sectors
    shared_load,
    shared_store,
    shared_atomic,
    local,  ///< addresses are offsets within a lane's own local memory
};

/// What one request costs. Sectors stand for every rule but the shared ones, wavefronts for those.
struct Figures {
    std::uint32_t active_lanes = 0;
    std::uint32_t sectors = 0;
    std::uint32_t ideal_sectors = 0;
    std::uint32_t distinct_bytes = 0;
    std::uint32_t wavefronts = 0;
    std::uint32_t ideal_wavefronts = 0;
    Pattern pattern;
};

/// All figures of a request with at least one active lane.
[[nodiscard]] Figures measure(const Request& request, Rule rule);

/// Distinct 32-byte sectors that the active lanes touch.
[[nodiscard]] unsigned distinct_sectors(const Request& request);

/// Distinct bytes that the active lanes ask for.
[[nodiscard]] unsigned distinct_bytes(const Request& request);

/// The fewest sectors that could hold that many bytes.
[[nodiscard]] unsigned ideal_sectors(unsigned distinct_bytes);

/// Distinct bytes / (sectors × 32): 1 is coalesced. 0 where nothing was moved.
[[nodiscard]] double coalescing_degree(std::uint64_t distinct_bytes, std::uint64_t sectors);

/// With which packet each active lane of a global atomic or reduction is served, from 0. The
/// first-level cache has four queues (atomic_queue.h), each with 32 banks of 4 bytes before which
/// lanes line up in their order. A packet takes, of the lowest waiting lane's line, every lane that
/// is the first before its bank. Equal to what an H200 counted in 1,410 requests of 4, 8 and 16
/// bytes a lane, most of them drawn at random.
[[nodiscard]] std::array<unsigned, kLanes> atomic_packets(const Request& request);

/// Sectors of a global atomic or reduction: distinct ones of each packet, summed. Lanes on one word
/// pay one by one, distinct words as a load does, but where a lane of another line stands between
/// two of one sector.
///
/// @param uniform_address  ptxas reduces over the warp first and sends one lane to memory, 1
/// sector. Compiled for sm_90 and
///   counted on an H200, it does so where the address is uniform over the warp for a reason it can
///   prove (parameters, constants, block indices, values loaded through such addresses; not
///   threadIdx.x / 32) and the operation is
///   - add, sub, min, max, and (or, xor) of 32-bit integers whose result is not used,
///   - add of 32-bit integers whose result is used, or of 64-bit ones, where the value added is
///   uniform too. It does not for exch, inc, cas, a xor whose result is used, min and max of 64
///   bits, and floating point: 32 lanes that hit one word take 32 sectors there.
[[nodiscard]] unsigned atomic_sectors(const Request& request, bool uniform_address);

/// Sectors of an access to local memory, whose 4-byte words are interleaved by lane: word w of lane
/// l lies at w × 128 + l × 4. Equal offsets in all lanes are coalesced.
[[nodiscard]] unsigned local_sectors(const Request& request);

struct Wavefronts {
    unsigned taken = 0;
    /// The passes that this width and these lanes take without any conflict: those the hardware's
    /// conflict counter leaves out.
    unsigned ideal = 0;
};

/// Passes of shared memory's 32 banks of 4 bytes. Accesses of up to 4 bytes are served by warps, of
/// 8 by half warps, of 16 by quarter warps; a group takes as many passes as the most distinct words
/// in one bank. Of loads, two neighbouring groups are served as one when every active lane's
/// address equals that of lane^1, or of lane^2 (inactive ones agree).
[[nodiscard]] Wavefronts shared_wavefronts(const Request& request, bool store);

/// Passes of an atomic on shared memory: lanes that hit one word take turns, so that a group takes
/// as many passes as its most active lanes in one bank. Exact for 32-bit integers; machine code
/// makes loops of compare-and-swap of 64-bit and floating-point ones, which this prices as one
/// round.
[[nodiscard]] Wavefronts shared_atomic_wavefronts(const Request& request);

/// How the active lanes lie to each other, the first that fits:
/// - broadcast: all ask for one address (a single lane too);
/// - contiguous: neighbouring lanes (or, where some are inactive, neighbouring active lanes) lie
/// bytes_per_lane apart, up
///   or down, or the lanes' bytes form one run without a gap in any order;
/// - misaligned: as contiguous, but the run touches more sectors than its length needs;
/// - strided: neighbouring lanes (or neighbouring active lanes) lie a constant distance apart;
/// - irregular.
/// @param sectors_matter false for shared memory, where no alignment costs: nothing is misaligned
/// there
[[nodiscard]] Pattern classify(const Request& request, bool sectors_matter);

/// Local memory: contiguous where every lane accesses the same offset of at least a word, else
/// irregular.
[[nodiscard]] Pattern classify_local(const Request& request);

}  // namespace wideload::counters

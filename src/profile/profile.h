// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profile/machine_code.h"
#include "profile/shared.h"
#include "support/diagnostic.h"
#include "support/source_location.h"

/// The record of one run. Its JSON form, schema "wideload-profile/2", is a public contract:
/// docs/profile.md says what each member means, docs/profile.schema.json how it is written. What
/// was not measured is absent, never 0.
namespace wideload::profile {

inline constexpr std::string_view kSchema = "wideload-profile/2";

/// Figures of a launch by name. Names that a GPU's profiler counts too are spelled as in
/// counter_names.h.
using Counters = std::map<std::string, std::uint64_t, std::less<>>;

/// What a site does. Global, local and constant sites are counted in sectors, shared ones in
/// wavefronts, branches in executions alone. `global_red` is an atomic whose result is unused,
/// whatever PTX wrote. Bulk sites are copies and reductions by the copy engine (cp.async.bulk),
/// counted in sectors of global memory.
enum class SiteKind : std::uint8_t {
    global_ld,
    global_st,
    global_red,
    global_atom,
    shared_ld,
    shared_st,
    shared_atom,
    local_ld,
    local_st,
    bulk_ld,
    bulk_st,
    bulk_red,
    constant_ld,
    branch,
};

/// One place in the source: the instruction's own, or the place that a function was inlined at.
struct Frame {
    SourceLocation where;
    std::string function;  ///< demangled; empty where the line table names none

    auto operator<=>(const Frame&) const = default;
};

/// Where an instruction comes from, innermost first; of one place all sites and launches share it.
using Frames = Shared<std::vector<Frame>>;

/// How the active lanes of requests lay to each other.
enum class Pattern : std::uint8_t { contiguous, strided, broadcast, misaligned, irregular };

struct PatternShare {
    Pattern pattern = Pattern::irregular;
    std::int32_t bytes =
        0;  ///< the stride of `strided`, the distance past a sector's start of `misaligned`
    std::uint64_t requests = 0;

    bool operator==(const PatternShare&) const = default;
};

/// One request whose addresses were kept.
struct Sample {
    std::optional<std::uint64_t> block;  ///< linear index of the block that made it, where known
    std::optional<std::uint32_t> warp;   ///< of that block
    std::uint32_t mask = 0;              ///< active lanes; addresses of the others mean nothing
    std::uint32_t sectors = 0;           ///< wavefronts, of a shared site
    std::array<std::uint64_t, 32> addresses{};

    bool operator==(const Sample&) const = default;
};

/// One memory or branch instruction of a kernel and what it did during a launch.
struct Site {
    std::string opcode;  ///< as PTX spells it: "ld.global.nc.v4.f32"
    SiteKind kind = SiteKind::branch;
    std::uint32_t element_bytes = 0;  ///< of one element; a lane moves element_bytes × vector_width
    std::uint32_t vector_width = 1;
    std::uint32_t ptx_line = 0;  ///< 1-based, in the module's text
    Frames frames;               ///< empty without -lineinfo
    /// The kernel's pointer parameter that the address derives from, where known.
    std::string parameter;

    /// By warps, predicated-off ones included where the engine sees them.
    std::uint64_t executions = 0;
    std::optional<std::uint64_t> requests;      ///< executions with at least one active lane
    std::optional<std::uint64_t> active_lanes;  ///< summed over the requests
    std::optional<std::uint64_t> sectors;       ///< 32 bytes each
    std::optional<std::uint64_t>
        ideal_sectors;  ///< the fewest that hold the distinct bytes of each request
    std::optional<std::uint64_t> distinct_bytes;
    std::optional<std::uint64_t> wavefronts;  ///< of shared memory
    std::optional<std::uint64_t> ideal_wavefronts;
    std::optional<std::uint64_t>
        divergent_executions;  ///< of a branch: lanes of one execution parted

    /// Requests by their sectors (or wavefronts).
    std::map<std::uint32_t, std::uint64_t> histogram;
    std::vector<PatternShare> patterns;  ///< most frequent first
    // Most sites of a launch have none, and of most that do both are one.
    Shared<Sample> first;  ///< the request of the lowest block and warp
    Shared<Sample> worst;  ///< the earliest of those with most sectors (or wavefronts)

    [[nodiscard]] std::uint32_t bytes_per_lane() const { return element_bytes * vector_width; }
    bool operator==(const Site&) const = default;
};

/// What was wrong with the lanes that executed a collective of a warp (shfl.sync, vote.sync,
/// bar.warp.sync and the like), which is undefined on a GPU.
enum class MismatchKind : std::uint8_t {
    absent_lanes,   ///< its member mask named lanes that did not come, and had not exited
    unnamed_lanes,  ///< lanes executed it that their own mask did not name
};

/// A collective whose lanes were not those that its member mask names.
struct Mismatch {
    std::string opcode;  ///< as PTX spells it: "shfl.sync.bfly.b32"
    MismatchKind kind = MismatchKind::absent_lanes;
    std::uint32_t ptx_line = 0;  ///< 1-based, in the module's text
    Frames frames;               ///< empty without -lineinfo
    std::uint64_t occurrences = 0;
    std::optional<std::uint64_t> executions;  ///< by warps, all of them
    // The first, of the lowest block and warp:
    std::uint64_t block = 0;  ///< linear index
    std::uint32_t warp = 0;
    std::uint32_t members = 0;  ///< the mask that an executing lane named
    std::uint32_t lanes = 0;    ///< those absent, or unnamed

    bool operator==(const Mismatch&) const = default;
};

/// So many are kept of a launch.
inline constexpr std::size_t kMostMismatches = 16;

/// Why a launch was refused or ended early.
struct LaunchFault {
    std::string kind;  ///< the name of gpu::Fault's value: "illegal_address", "timeout", ...
    Diagnostic diagnostic;
};

/// One launch, or `count` equal ones; or, where a program made very many, the sum of some.
struct Launch {
    std::string kernel;  ///< demangled, as a reader knows it
    std::string mangled;
    std::array<std::uint32_t, 3> grid{1, 1, 1};
    std::array<std::uint32_t, 3> block{1, 1, 1};
    std::uint64_t dynamic_shared_bytes = 0;
    std::uint64_t static_shared_bytes = 0;
    std::optional<std::uint32_t> registers;  ///< per thread, where machine code says so
    bool cooperative = false;
    std::uint32_t process = 0;  ///< index into Profile::processes
    std::uint32_t device = 0;   ///< index into Profile::devices
    std::uint64_t stream =
        0;  ///< 0 is the default stream; others number from 1 as they were created
    std::uint64_t count = 1;  ///< launches that this entry stands for; figures are those of one
    /// Of how many launches, not all equal, the figures are the sum. The rest is the first one's.
    std::uint64_t summed = 1;
    std::uint64_t host_ns =
        0;  ///< how long the virtual GPU took; the first's where count > 1. No GPU time
    std::optional<LaunchFault> fault;
    Shared<Counters> counters;
    Shared<std::vector<Site>> sites;   ///< in PTX order
    std::vector<Mismatch> mismatches;  ///< the same, not more than kMostMismatches

    /// How many launches were made.
    [[nodiscard]] std::uint64_t launches() const { return count * summed; }
};

/// The GPU that the program saw.
struct Device {
    std::string key;   ///< as --gpu takes it: "h200"
    std::string name;  ///< "NVIDIA H200"
    std::uint32_t compute_major = 0, compute_minor = 0;
    std::uint32_t multiprocessors = 0;
};

struct Process {
    std::uint64_t pid = 0;
    std::string program;                 ///< path of the executable
    std::vector<std::string> arguments;  ///< argv, the program's own name first
    std::optional<int> exit_code;  ///< unknown to a profile that the process wrote before it ended
    std::optional<int> signal;     ///< that ended it
};

/// What the engine was told.
struct Options {
    std::uint32_t workers = 0;  ///< host threads that ran blocks
    bool deterministic = false;
    bool counters = true;
    std::string host_isa;  ///< "avx512", "avx2", "baseline"
};

/// A runtime or driver call that the virtual GPU does not offer, and how often it was made.
struct UnsupportedCall {
    std::string function;
    std::uint64_t calls = 0;
    std::string reason;
};

struct Profile {
    std::string schema{kSchema};
    std::string producer;  ///< "wideload 0.1.0"
    std::vector<Process> processes;
    std::vector<Device> devices;
    Options options;
    std::vector<Launch> launches;  ///< in the order they were made
    bool merged = false;           ///< later launches were added to earlier entries
    Diagnostics diagnostics;       ///< of no single launch: modules that did not load, for example
    std::vector<UnsupportedCall> unsupported_calls;
    /// Of kernels that were launched, where the program holds some for its GPU.
    std::vector<MachineCode> machine_code;
};

}  // namespace wideload::profile

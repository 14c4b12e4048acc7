// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <variant>
#include <vector>

#include "gpu/launch.h"
#include "preload/engine/abi.h"

namespace wideload::preload {

class Context;

/// A kernel to launch. Arguments are packed, as CUDA copies them when the launch is made.
struct KernelWork {
    KernelRegistration* kernel = nullptr;
    gpu::LaunchConfiguration configuration;
    std::vector<std::byte> parameters;
};

/// A box of bytes to copy: `depth` slices of `height` rows of `width` bytes.
struct CopyWork {
    struct Side {
        std::uint64_t address = 0;
        std::size_t pitch = 0;        ///< bytes from row to row
        std::size_t slice_pitch = 0;  ///< bytes from slice to slice
    };
    Side destination, source;
    Extent extent{0, 1, 1};  ///< width in bytes
    CopyKind kind = kDefaultKind;
};

/// A box of elements to fill with one value.
struct FillWork {
    CopyWork::Side destination;
    Extent extent{0, 1, 1};  ///< width in bytes
    std::uint32_t value = 0;
    unsigned element_bytes = 1;
};

struct HostWork {
    std::function<void()> function;
};

struct EventWork {
    std::shared_ptr<Event> event;
};

struct EmptyWork {};

/// The release of memory that a graph has: every launch uses it anew, so that it is given back with
/// the last graph that names it.
struct FreeWork {
    std::shared_ptr<void> memory;
};

struct GraphWork {
    std::shared_ptr<const Graph> graph;
};

/// What a stream is told to do: carried out at once or beside the program, or kept in a graph.
using Work = std::variant<EmptyWork, KernelWork, CopyWork, FillWork, HostWork, EventWork, GraphWork,
                          FreeWork>;

/// Gives the work to a stream: refuses what can be seen to be wrong, carries it out, or adds it to
/// the graph that the stream is being captured into. After a kernel's fault nothing more is carried
/// out.
///
/// Work goes on beside the program where the program could tell: host functions, kernels once they
/// can share memory with the host or with other streams, and all that comes after such work. The
/// call that gave it waits until a moment has passed (see call.h), or, for copies that the runtime
/// carries out before it returns, until it has ended.
Error enqueue(Context& context, Stream* stream, Work work, bool returns_when_done = false);

/// What is wrong with the work before it starts.
Error check(Context& context, const KernelWork& work);
Error check(Context& context, const CopyWork& work);
Error check(Context& context, const FillWork& work);

/// The profile's entry for a launch that `check` refused.
void record_refusal(Context& context, const Stream& stream, const KernelWork& work);

/// Carries out checked work.
Error run(Context& context, const Stream& stream, const Work& work);
Error run(Context& context, const Stream& stream, const KernelWork& work);
Error run(Context& context, const Stream& stream, const CopyWork& work);
Error run(Context& context, const Stream& stream, const FillWork& work);
Error run(Context& context, const Stream& stream, const GraphWork& work);

}  // namespace wideload::preload

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "gpu/allocation.h"
#include "support/result.h"

namespace wideload::gpu {

/// The memory of the virtual GPU: one reserved arena, mapped twice. Programs and kernels use
/// addresses of the *program view*, in which the host may not touch device memory; the engine
/// reaches the same pages, always readable and writable, in the *engine view* at a constant
/// displacement.
///
/// All members may be called from any thread; `find` has a contract of its own.
class Memory {
public:
    /// @param device_bytes the memory that the GPU has
    static Result<std::unique_ptr<Memory>> create(std::uint64_t device_bytes);
    ~Memory();
    Memory(const Memory&) = delete;
    Memory& operator=(const Memory&) = delete;

    /// Address of `bytes` fresh bytes, aligned as cudaMalloc aligns (512 bytes, 2 MiB for large
    /// ones; facts that counts depend on) and to `alignment`, with unallocated bytes on either side
    /// so that overruns are seen. Nothing where neither the GPU nor the host has so much. Contents
    /// are undefined.
    [[nodiscard]] std::optional<std::uint64_t> allocate(std::uint64_t bytes, AllocationKind kind,
                                                        std::string name = {},
                                                        std::uint64_t alignment = 1);

    /// Frees what `allocate` returned and gives its pages back to the host; false where `address`
    /// is no live allocation's begin.
    bool free(std::uint64_t address);

    /// Frees all that programs asked for and unregisters what they registered; variables and what
    /// the engine has for itself stay.
    void free_all_of_program();

    /// Lets kernels use [address, address + bytes) of the program's own memory; false where it
    /// overlaps what they may use already.
    bool register_host(std::uint64_t address, std::uint64_t bytes);
    bool unregister_host(std::uint64_t address);

    /// Engine address − program address, for everything in the arena; registered host memory has 0.
    [[nodiscard]] std::int64_t displacement() const;
    /// True where the address lies in the arena, allocated or not.
    [[nodiscard]] bool in_arena(std::uint64_t address) const;

    /// Keeps the results of `find` alive; held for the length of a launch.
    class Reader {
    public:
        explicit Reader(const Memory& memory);
        ~Reader();
        Reader(const Reader&) = delete;
        Reader& operator=(const Reader&) = delete;

    private:
        const Memory& memory_;
    };

    /// The live allocation that holds `address`, or null. Lock-free and for many threads at once,
    /// but only while a Reader lives; the result is valid as long as that.
    [[nodiscard]] const Allocation* find(std::uint64_t address) const;

    /// As find, for callers without a Reader.
    [[nodiscard]] std::optional<Allocation> lookup(std::uint64_t address) const;

    /// What lies nearest to an address that is in no live allocation.
    struct Neighbour {
        Allocation allocation;  ///< a freed one where the address lies inside it
        std::int64_t distance =
            0;  ///< from the last byte (1: just past the end), negative: from the first; 0: inside
    };
    [[nodiscard]] std::optional<Neighbour> nearest(std::uint64_t address) const;
    /// As nearest, but gives up where the table is being changed: for signal handlers.
    [[nodiscard]] std::optional<Neighbour> try_nearest(std::uint64_t address) const;

    /// Where the engine reads and writes the bytes of an address of the arena or of registered
    /// memory.
    [[nodiscard]] std::byte* engine_pointer(std::uint64_t address) const;

    [[nodiscard]] std::uint64_t total_bytes() const;  ///< as the GPU has
    [[nodiscard]] std::uint64_t free_bytes()
        const;  ///< what a cudaMalloc could get: bounded by the GPU and by the host
    /// Why allocate() refused so much, where a GPU would have given it: the host lacks it.
    [[nodiscard]] std::optional<Diagnostic> what_the_host_lacks(std::uint64_t bytes) const;

    /// Row pitch of cudaMallocPitch for rows of `width_bytes`.
    [[nodiscard]] static std::uint64_t pitch(std::uint64_t width_bytes);

private:
    struct State;
    explicit Memory(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
};

/// "1024 bytes of device memory at 0x7f...": one phrase for diagnostics.
[[nodiscard]] std::string describe(const Allocation& allocation);
/// "4 bytes past the end of ...", "inside ..., which was freed": how an address lies to its nearest
/// allocation.
[[nodiscard]] std::string describe(const Memory::Neighbour& neighbour);

}  // namespace wideload::gpu

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include "support/result.h"

namespace wideload::gpu {

/// Reserved address space over one sparse file in memory, mapped twice. Its first half is closed to
/// the host in the program view, the second open. Pages come into being when they are touched. A
/// forked child inherits neither view, as it inherits no GPU memory.
class Arena {
public:
    /// @param bytes of each half; less is reserved where the process may not have so much address
    /// space
    static Result<std::unique_ptr<Arena>> create(std::uint64_t bytes);
    ~Arena();
    Arena(const Arena&) = delete;
    Arena& operator=(const Arena&) = delete;

    [[nodiscard]] std::uint64_t begin() const { return program_view_; }
    [[nodiscard]] std::uint64_t host_visible_begin() const { return program_view_ + half_bytes_; }
    [[nodiscard]] std::uint64_t end() const { return program_view_ + 2 * half_bytes_; }
    [[nodiscard]] std::int64_t displacement() const {
        return static_cast<std::int64_t>(engine_view_ - program_view_);
    }

    /// Gives the pages that hold [address, address + bytes) back to the host.
    void release_pages(std::uint64_t address, std::uint64_t bytes);
    /// Bytes of pages that exist.
    [[nodiscard]] std::uint64_t resident_bytes() const;

private:
    Arena(int file, std::uint64_t half_bytes) : file_(file), half_bytes_(half_bytes) {}
    [[nodiscard]] bool map();

    int file_;
    std::uint64_t half_bytes_;
    std::uint64_t program_view_ = 0, engine_view_ = 0;
};

}  // namespace wideload::gpu

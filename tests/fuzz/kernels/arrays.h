// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "program.h"
#include "reference.h"

namespace wideload::fuzz {

// Addresses are never data, so any numbers will do. Each array begins at a multiple of 128.
inline constexpr std::uint64_t kArrayShift = 40;
enum class Array : std::uint64_t { none, input, output, totals, variable, constant, shared, local };
constexpr std::uint64_t start_of(Array array) {
    return static_cast<std::uint64_t>(array) << kArrayShift;
}

/// The value of a kernel's parameter, by its `Parameter`.
[[nodiscard]] std::uint64_t parameter(const Kernel& kernel, unsigned index);

/// What a statement that takes a symbol's address gets.
[[nodiscard]] std::uint64_t symbol_address(const Statement& s);

/// The bytes behind an address, and where they are.
struct Place {
    std::uint8_t* bytes = nullptr;
    Array array = Array::none;
    std::uint64_t offset = 0;
};

/// What a kernel's addresses lead to.
class Arrays {
public:
    Arrays(const Kernel& kernel, Memory& memory) : kernel_(kernel), memory_(memory) {}

    /// Shared and local memory of a block have nothing in them.
    void begin_block(std::uint32_t threads);

    /// What the statement accesses at `address`, in `bytes` bytes; those of a place that has none
    /// are null. `invalid` says what such an access, or one of what was never written, does wrong.
    [[nodiscard]] Place find(const Statement& s, std::uint64_t address, std::uint32_t thread,
                             unsigned bytes, std::string& invalid);

private:
    struct Bytes {
        std::uint8_t* start = nullptr;
        std::uint64_t size = 0;
    };
    [[nodiscard]] Bytes bytes_of(Array array, std::uint32_t thread, bool stores);

    const Kernel& kernel_;
    Memory& memory_;
    std::vector<std::uint8_t> shared_, shared_written_;
    std::vector<std::vector<std::uint8_t>> local_, local_written_;  ///< by thread
};

}  // namespace wideload::fuzz

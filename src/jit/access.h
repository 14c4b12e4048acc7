// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "ptx/types.h"

namespace wideload::jit {

/// What machine code tells the out-of-line path of a load or store, packed into 32 bits.
struct AccessCode {
    std::uint32_t bits = 0;

    static constexpr AccessCode of(ptx::Space space, unsigned element_bytes, unsigned width) {
        return {element_bytes | width << 8 | static_cast<std::uint32_t>(space) << 16};
    }
    [[nodiscard]] constexpr unsigned element_bytes() const { return bits & 0xff; }
    [[nodiscard]] constexpr unsigned width() const { return bits >> 8 & 0xff; }
    [[nodiscard]] constexpr ptx::Space space() const {
        return static_cast<ptx::Space>(bits >> 16 & 0xff);
    }
    [[nodiscard]] constexpr unsigned lane_bytes() const { return element_bytes() * width(); }
};

/// A generic access has three rows of counters, one a space.
enum class GenericRow : std::uint32_t { global, shared, local };
inline constexpr std::uint32_t kGenericRows = 3;

/// What an atomic does, packed into 32 bits: operation, type, space, number of elements.
struct AtomicCode {
    std::uint32_t bits = 0;

    static constexpr AtomicCode of(unsigned operation, ptx::Type type, ptx::Space space,
                                   unsigned width) {
        return {operation | static_cast<std::uint32_t>(type) << 8 |
                static_cast<std::uint32_t>(space) << 16 | width << 24};
    }
    [[nodiscard]] constexpr unsigned operation() const { return bits & 0xff; }
    [[nodiscard]] constexpr ptx::Type type() const {
        return static_cast<ptx::Type>(bits >> 8 & 0xff);
    }
    [[nodiscard]] constexpr ptx::Space space() const {
        return static_cast<ptx::Space>(bits >> 16 & 0xff);
    }
    [[nodiscard]] constexpr unsigned width() const { return bits >> 24; }
};

/// Where a bulk copy goes and comes from, global or shared memory, packed into 32 bits.
struct BulkCode {
    std::uint32_t bits = 0;

    static constexpr BulkCode of(ptx::Space to, ptx::Space from, bool reduces) {
        return {static_cast<std::uint32_t>(to) | static_cast<std::uint32_t>(from) << 8 |
                std::uint32_t{reduces} << 16};
    }
    [[nodiscard]] constexpr ptx::Space to() const { return static_cast<ptx::Space>(bits & 0xff); }
    [[nodiscard]] constexpr ptx::Space from() const {
        return static_cast<ptx::Space>(bits >> 8 & 0xff);
    }
    [[nodiscard]] constexpr bool reduces() const { return (bits >> 16 & 1) != 0; }
};

}  // namespace wideload::jit

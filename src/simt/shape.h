// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <vector>

namespace wideload::simt {

inline constexpr unsigned kLanes = 32;

/// The difference of each lane's value from a scalar base; known when the kernel is compiled.
using LaneOffsets = std::array<std::int64_t, kLanes>;
using PatternId = std::uint32_t;

/// How the 32 lanes' values of one register lie to each other.
struct Shape {
    enum class Kind : std::uint8_t {
        unknown,  ///< nothing written yet
        uniform,  ///< one scalar
        pattern,  ///< scalar base + LaneOffsets
        varying,  ///< 32 values
    };
    Kind kind = Kind::unknown;
    PatternId pattern = 0;
    /// The base is a multiple of 2 to this power. 0 where nothing is known.
    std::uint8_t base_alignment = 0;
    /// The value was widened from 32 bits: where a lane's sum wrapped around, base + offset is
    /// wrong in that lane, and the machine code that computes the base says so at run time.
    bool may_wrap = false;

    [[nodiscard]] bool is_uniform() const { return kind == Kind::uniform; }
    [[nodiscard]] bool is_pattern() const { return kind == Kind::pattern; }
    [[nodiscard]] bool is_varying() const { return kind == Kind::varying; }
    [[nodiscard]] static Shape uniform(unsigned alignment = 0) {
        return {Kind::uniform, 0, static_cast<std::uint8_t>(alignment), false};
    }
    [[nodiscard]] static Shape varying() { return {Kind::varying, 0, 0, false}; }
    bool operator==(const Shape&) const = default;
};

/// The shape that holds values of both shapes.
[[nodiscard]] Shape join(const Shape& a, const Shape& b);

/// Every distinct LaneOffsets of a kernel, once.
class PatternTable {
public:
    PatternId intern(const LaneOffsets& offsets);
    [[nodiscard]] const LaneOffsets& operator[](PatternId id) const { return patterns_[id]; }

private:
    std::vector<LaneOffsets> patterns_;
    std::map<LaneOffsets, PatternId> ids_;
};

/// How threads of a block fall into warps, as far as it shapes tid: kernels are compiled for one of
/// these.
struct ThreadLayout {
    enum class Kind : std::uint8_t {
        rows,     ///< a warp lies in one row: ntid.x is a multiple of 32, or the block has one row
        columns,  ///< ntid.x is 2^log2_width < 32 and a warp's rows share tid.z
        general,
    };
    Kind kind = Kind::general;
    std::uint8_t log2_width = 0;

    [[nodiscard]] static ThreadLayout of(const std::array<std::uint32_t, 3>& block);
    auto operator<=>(const ThreadLayout&) const = default;
};

}  // namespace wideload::simt

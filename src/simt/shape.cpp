// SPDX-License-Identifier: Apache-2.0
#include "simt/shape.h"

#include <algorithm>
#include <bit>

namespace wideload::simt {

Shape join(const Shape& a, const Shape& b) {
    if (a.kind == Shape::Kind::unknown) return b;
    if (b.kind == Shape::Kind::unknown) return a;
    if (a.kind != b.kind || a.kind == Shape::Kind::varying) return Shape::varying();
    if (a.kind == Shape::Kind::pattern && a.pattern != b.pattern) return Shape::varying();
    Shape joined = a;
    joined.base_alignment = std::min(a.base_alignment, b.base_alignment);
    joined.may_wrap = a.may_wrap || b.may_wrap;
    return joined;
}

PatternId PatternTable::intern(const LaneOffsets& offsets) {
    const auto [found, inserted] = ids_.try_emplace(offsets, patterns_.size());
    if (inserted) patterns_.push_back(offsets);
    return found->second;
}

ThreadLayout ThreadLayout::of(const std::array<std::uint32_t, 3>& block) {
    const auto [x, y, z] = block;
    if (x % kLanes == 0 || (y == 1 && z == 1)) return {Kind::rows, 0};
    if (x < kLanes && std::has_single_bit(x) && (z == 1 || y % (kLanes / x) == 0)) {
        return {Kind::columns, static_cast<std::uint8_t>(std::countr_zero(x))};
    }
    return {};
}

}  // namespace wideload::simt

// SPDX-License-Identifier: Apache-2.0
#include "values.h"

#include <map>

#include "harness.h"

namespace wideload::isa {
namespace {

using Values = std::vector<Bits>;

Values integer_edges(unsigned width) {
    const Bits top = Bits{1} << (width - 1), all = top | (top - 1);
    Values values{0, 1, 2, 3, 7, 8, 15, 16, 31, 32, 33, 63, 64, 65, 127, 128, 255, 256};
    for (const Bits value : {all, all - 1, all - 2, top, top - 1, top + 1, all / 3, all / 3 * 2,
                             all >> (width / 2), (all >> (width / 2)) + 1, top >> (width / 2)}) {
        values.push_back(value);
    }
    return values;
}

Values f16_edges() {
    return {0x0000, 0x8000, 0x0001, 0x8001, 0x03ff, 0x83ff, 0x0400, 0x8400, 0x3c00,
            0xbc00, 0x3c01, 0x3bff, 0x4000, 0xc000, 0x3800, 0x3555, 0x7bff, 0xfbff,
            0x7800, 0x7c00, 0xfc00, 0x7e00, 0xfe00, 0x7c01, 0x7fff, 0x5640, 0x0c00};
}

Values bf16_edges() {
    return {0x0000, 0x8000, 0x0001, 0x8001, 0x007f, 0x807f, 0x0080, 0x8080, 0x3f80,
            0xbf80, 0x3f81, 0x3f7f, 0x4000, 0xc000, 0x3f00, 0x3eab, 0x7f7f, 0xff7f,
            0x7f00, 0x7f80, 0xff80, 0x7fc0, 0xffc0, 0x7f81, 0x7fff, 0x42c8, 0x2000};
}

Values f32_edges() {
    return {0x00000000, 0x80000000, 0x00000001, 0x80000001, 0x007fffff, 0x807fffff, 0x00800000,
            0x80800000, 0x00800001, 0x3f800000, 0xbf800000, 0x3f800001, 0x3f7fffff, 0x40000000,
            0xc0000000, 0x3f000000, 0xbf000000, 0x3fc00000, 0x3eaaaaab, 0x7f7fffff, 0xff7fffff,
            0x7f000000, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc00000, 0x7f800001, 0x7fffffff,
            0x4b000000, 0x4b800000, 0x4f000000, 0xcf000000, 0x4f800000, 0x5f000000, 0x33800000,
            0x42c80000, 0x40490fdb, 0x0d000000, 0x73000000};
}

Values f64_edges() {
    return {0x0000000000000000, 0x8000000000000000, 0x0000000000000001, 0x8000000000000001,
            0x000fffffffffffff, 0x0010000000000000, 0x8010000000000000, 0x3ff0000000000000,
            0xbff0000000000000, 0x3ff0000000000001, 0x3fefffffffffffff, 0x4000000000000000,
            0xc000000000000000, 0x3fe0000000000000, 0x3fd5555555555555, 0x7fefffffffffffff,
            0xffefffffffffffff, 0x7ff0000000000000, 0xfff0000000000000, 0x7ff8000000000000,
            0xfff8000000000000, 0x7ff0000000000001, 0x7fffffffffffffff, 0x41e0000000000000,
            0xc1e0000000000000, 0x43e0000000000000, 0x433fffffffffffff, 0x4059000000000000,
            0x36a0000000000000, 0x380fffffffffffff, 0x47efffffe0000000, 0x47efffffffffffff};
}

/// Packed pairs: edge values of both halves, of `width` bits each, side by side.
Values pairs(const Values& halves, unsigned width = 16) {
    Values values;
    for (std::size_t i = 0; i < halves.size(); ++i) {
        values.push_back(halves[i] | halves[(i * 7 + 3) % halves.size()] << width);
        values.push_back(halves[i] | halves[i] << width);
    }
    return values;
}

}  // namespace

unsigned width_of(std::string_view type) {
    if (type == "pred") return 1;
    if (type.ends_with("x2")) return type == "f32x2" ? 64 : 32;
    if (type.ends_with("16")) return 16;
    return type.ends_with("64") ? 64 : 32;
}

std::vector<Bits> edge_values(std::string_view type) {
    if (type == "pred") return {0, 1};
    if (type == "f16") return f16_edges();
    if (type == "bf16") return bf16_edges();
    if (type == "f16x2") return pairs(f16_edges());
    if (type == "bf16x2") return pairs(bf16_edges());
    if (type == "f32") return f32_edges();
    if (type == "f32x2") return pairs(f32_edges(), 32);
    if (type == "f64") return f64_edges();
    if (type == "u16x2" || type == "s16x2") return pairs(integer_edges(16));
    return integer_edges(width_of(type));
}

OperandValues::OperandValues(const Form& form, bool combine) : form_(form), combine_(combine) {
    for (std::size_t i = 0; i < form.operands.size(); ++i) {
        const bool given = i < form.values.size() && !form.values[i].empty();
        edges_.push_back(given ? form.values[i] : edge_values(form.operands[i]));
    }
}

Bits OperandValues::draw(std::size_t operand) {
    const Values& edges = edges_[operand];
    const bool only = operand < form_.only_values.size() && form_.only_values[operand];
    if (only || random_() % 3 == 0) return edges[random_() % edges.size()];
    const unsigned width = width_of(form_.operands[operand]);
    Bits value = random_();
    const bool is_integer = form_.operands[operand].find('f') == std::string::npos;
    // Every magnitude is as likely; of floats the exponent is random anyway.
    if (is_integer && width > 1) {
        value >>= random_() % 64;
        if (random_() % 2 == 0) value = ~value;
    }
    return width == 64 ? value : value & ((Bits{1} << width) - 1);
}

void OperandValues::take(std::vector<Bits>& operands) {
    operands.resize(edges_.size());
    for (std::size_t i = 0; i < edges_.size(); ++i) operands[i] = draw(i);
    const std::size_t index = index_++;
    if (edges_.empty() || !combine_) return;
    if (edges_.size() == 1) {
        if (index < edges_[0].size()) operands[0] = edges_[0][index];
    } else if (index < edges_[0].size() * edges_[1].size()) {
        operands[0] = edges_[0][index % edges_[0].size()];
        operands[1] = edges_[1][index / edges_[0].size()];
    }
}

}  // namespace wideload::isa

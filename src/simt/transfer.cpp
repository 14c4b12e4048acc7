// SPDX-License-Identifier: Apache-2.0
#include "simt/transfer.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "simt/liveness.h"

namespace wideload::simt {
namespace {

using ptx::Instruction;
using ptx::Opcode;
using ptx::Operand;
using ptx::SpecialRegister;
using ptx::Type;

/// All lanes equal: the pattern is a uniform value.
bool is_flat(const LaneOffsets& offsets) {
    return std::all_of(offsets.begin(), offsets.end(), [](std::int64_t o) { return o == 0; });
}

Shape pattern_shape(const LaneOffsets& offsets, unsigned alignment, bool may_wrap,
                    PatternTable& patterns) {
    if (is_flat(offsets) && !may_wrap) return Shape::uniform(alignment);
    return {Shape::Kind::pattern, patterns.intern(offsets),
            static_cast<std::uint8_t>(std::min(alignment, 63u)), may_wrap};
}

LaneOffsets offsets_of(const Shape& shape, const PatternTable& patterns) {
    return shape.is_pattern() ? patterns[shape.pattern] : LaneOffsets{};
}

Shape lane_index_shape(unsigned alignment, PatternTable& patterns, unsigned mask, unsigned shift) {
    LaneOffsets offsets;
    for (unsigned lane = 0; lane < kLanes; ++lane) offsets[lane] = (lane >> shift) & mask;
    return pattern_shape(offsets, alignment, false, patterns);
}

Shape special_shape(SpecialRegister special, const TransferContext& context) {
    const ThreadLayout& layout = context.layout;
    using Kind = ThreadLayout::Kind;
    switch (special) {
        case SpecialRegister::tid_x:
            if (layout.kind == Kind::rows) return lane_index_shape(5, context.patterns, 31, 0);
            if (layout.kind == Kind::columns) {
                return lane_index_shape(63, context.patterns, (1u << layout.log2_width) - 1, 0);
            }
            return Shape::varying();
        case SpecialRegister::tid_y:
            if (layout.kind == Kind::rows) return Shape::uniform();
            if (layout.kind == Kind::columns) {
                return lane_index_shape(5u - layout.log2_width, context.patterns, 31,
                                        layout.log2_width);
            }
            return Shape::varying();
        case SpecialRegister::tid_z:
            return layout.kind == Kind::general ? Shape::varying() : Shape::uniform();
        case SpecialRegister::laneid:
            return lane_index_shape(63, context.patterns, 31, 0);
        case SpecialRegister::lanemask_eq:
        case SpecialRegister::lanemask_le:
        case SpecialRegister::lanemask_lt:
        case SpecialRegister::lanemask_ge:
        case SpecialRegister::lanemask_gt:
            return Shape::varying();
        default:
            return Shape::uniform();
    }
}

Shape add(const Shape& a, const Shape& b, int sign, unsigned bits, PatternTable& patterns) {
    if (a.is_varying() || b.is_varying()) return Shape::varying();
    // One value's wrapped lanes can be carried along, two values' cannot be told apart.
    if (b.may_wrap && (sign < 0 || a.is_pattern())) return Shape::varying();
    if (a.may_wrap && b.is_pattern()) return Shape::varying();
    LaneOffsets offsets = offsets_of(a, patterns);
    const LaneOffsets other = offsets_of(b, patterns);
    for (unsigned lane = 0; lane < kLanes; ++lane) offsets[lane] += sign * other[lane];
    return pattern_shape(wrap(offsets, bits), std::min(a.base_alignment, b.base_alignment),
                         a.may_wrap || b.may_wrap, patterns);
}

Shape multiply(const Shape& a, std::int64_t factor, unsigned bits, PatternTable& patterns) {
    constexpr std::int64_t kUpperHalf = std::int64_t{1} << 32;
    if (!a.is_pattern() || factor == 0 ||
        (factor > std::numeric_limits<std::int32_t>::max() && factor != kUpperHalf) ||
        factor < std::numeric_limits<std::int32_t>::min()) {
        return a.is_uniform() ? Shape::uniform() : Shape::varying();
    }
    LaneOffsets offsets = patterns[a.pattern];
    for (std::int64_t& offset : offsets) {
        offset = static_cast<std::int64_t>(static_cast<std::uint64_t>(offset) *
                                           static_cast<std::uint64_t>(factor));
    }
    const auto alignment = a.base_alignment + std::countr_zero(static_cast<std::uint64_t>(factor));
    return pattern_shape(wrap(offsets, bits), static_cast<unsigned>(alignment), a.may_wrap,
                         patterns);
}

/// 32-bit base + offset as a 64-bit one: right unless a lane wrapped around.
Shape widen(const Shape& a, PatternTable& patterns) {
    if (a.is_uniform()) return Shape::uniform(a.base_alignment);
    if (!a.is_pattern()) return Shape::varying();
    return pattern_shape(wrap(patterns[a.pattern], 32), a.base_alignment, true, patterns);
}

/// What lanes wrapped around by is a multiple of 2^32, which nothing of 32 bits holds.
Shape without_high_half(Shape a) {
    a.may_wrap = false;
    return a;
}

bool offsets_lie_below(const Shape& a, unsigned log2_limit, const PatternTable& patterns) {
    if (!a.is_pattern() || a.may_wrap || a.base_alignment < log2_limit) return false;
    const LaneOffsets& offsets = patterns[a.pattern];
    return std::all_of(offsets.begin(), offsets.end(), [&](std::int64_t offset) {
        return offset >= 0 && offset < std::int64_t{1} << log2_limit;
    });
}

bool all_uniform(const Instruction& instruction, const TransferContext& context) {
    const unsigned first = destination_count(instruction);
    for (std::size_t i = first; i < instruction.operands.size(); ++i) {
        if (!shape_of(instruction.operands[i], context).is_uniform()) return false;
    }
    return true;
}

Shape by_operands(const Instruction& instruction, const TransferContext& context) {
    return all_uniform(instruction, context) ? Shape::uniform() : Shape::varying();
}

/// Operand `index` and a constant operand, in either order.
struct Scaled {
    Shape shape;
    std::optional<std::int64_t> factor;
};
Scaled scaled(const Instruction& instruction, const TransferContext& context) {
    const Operand &a = instruction.operands[1], &b = instruction.operands[2];
    if (const auto factor = constant_of(b)) return {shape_of(a, context), factor};
    if (const auto factor = constant_of(a)) return {shape_of(b, context), factor};
    return {};
}

bool is_plain_integer(Type type) { return !ptx::is_float(type) && !ptx::is_packed(type); }

Shape product(const Instruction& instruction, const TransferContext& context) {
    const Type type = instruction.type();
    const unsigned bits = ptx::bit_width(type);
    if (!is_plain_integer(type) || instruction.mul_mode == ptx::MulMode::hi) {
        return Shape::varying();
    }
    const Scaled s = scaled(instruction, context);
    if (!s.factor || !s.shape.is_pattern()) return Shape::varying();
    if (instruction.mul_mode == ptx::MulMode::wide) {
        if (bits != 32) return Shape::varying();
        const std::int64_t factor = ptx::is_signed(type) ? static_cast<std::int32_t>(*s.factor)
                                                         : static_cast<std::uint32_t>(*s.factor);
        return multiply(widen(s.shape, context.patterns), factor, 64, context.patterns);
    }
    return multiply(s.shape, *s.factor, bits, context.patterns);
}

Shape multiply_add(const Instruction& instruction, const TransferContext& context) {
    const Operand &a = instruction.operands[1], &b = instruction.operands[2];
    const bool uniform_product =
        shape_of(a, context).is_uniform() && shape_of(b, context).is_uniform();
    const Shape left = uniform_product ? Shape::uniform() : product(instruction, context);
    if (!is_plain_integer(instruction.type()) || instruction.mul_mode == ptx::MulMode::hi) {
        return Shape::varying();
    }
    const unsigned bits =
        ptx::bit_width(instruction.type()) * (instruction.mul_mode == ptx::MulMode::wide ? 2 : 1);
    return add(left, shape_of(instruction.operands[3], context), 1, bits, context.patterns);
}

/// Whether the register holds an integer of exactly that width: one base and what each lane adds to
/// it.
bool can_be_pattern(const Operand& destination, unsigned bits, const TransferContext& context) {
    if (destination.kind != Operand::Kind::reg) return false;
    const Type type = context.function.registers[destination.reg].type;
    return is_plain_integer(type) && ptx::bit_width(type) == bits;
}

Shape move(const Instruction& instruction, const TransferContext& context) {
    const Operand &to = instruction.operands[0], &from = instruction.operands[1];
    if (to.kind != Operand::Kind::reg || from.kind == Operand::Kind::vector) {
        return by_operands(instruction, context);
    }
    const Shape shape = shape_of(from, context);
    const unsigned bits = ptx::bit_width(instruction.type());
    return shape.is_pattern() && !can_be_pattern(to, bits, context) ? Shape::varying() : shape;
}

Shape conversion(const Instruction& instruction, const TransferContext& context) {
    const Shape source = shape_of(instruction.operands[1], context);
    const Type to = instruction.types[0], from = instruction.types[1];
    if (instruction.sat || !is_plain_integer(to) || !is_plain_integer(from)) {
        return Shape::varying();
    }
    const unsigned to_bits = ptx::bit_width(to), from_bits = ptx::bit_width(from);
    // A register wider than the result holds it extended, lane by lane.
    if (!can_be_pattern(instruction.operands[0], to_bits, context)) return Shape::varying();
    if (to_bits == from_bits) return source;
    if (to_bits == 64 && from_bits == 32) return widen(source, context.patterns);
    if (to_bits == 32 && from_bits == 64 && source.is_pattern()) {
        return pattern_shape(wrap(context.patterns[source.pattern], 32), source.base_alignment,
                             false, context.patterns);
    }
    return Shape::varying();
}

Shape mask_low_bits(const Instruction& instruction, const TransferContext& context) {
    const Scaled s = scaled(instruction, context);
    if (!s.factor || !s.shape.is_pattern()) return Shape::varying();
    const auto limit = static_cast<std::uint64_t>(*s.factor) + 1;
    if (!std::has_single_bit(limit)) return Shape::varying();
    const auto log2 = static_cast<unsigned>(std::countr_zero(limit));
    return offsets_lie_below(s.shape, log2, context.patterns) ? s.shape : Shape::varying();
}

Shape shift_left(const Instruction& instruction, const TransferContext& context) {
    const unsigned bits = ptx::bit_width(instruction.type());
    const Shape a = shape_of(instruction.operands[1], context);
    const auto amount = constant_of(instruction.operands[2]);
    if (!amount || *amount < 0 || *amount > 32 || (bits < 64 && *amount >= 31)) {
        return Shape::varying();
    }
    return multiply(*amount == 32 ? without_high_half(a) : a, std::int64_t{1} << *amount, bits,
                    context.patterns);
}

Shape shift_right(const Instruction& instruction, const TransferContext& context) {
    const Shape a = shape_of(instruction.operands[1], context);
    const auto amount = constant_of(instruction.operands[2]);
    if (amount && *amount >= 0 && *amount <= 32) {
        if (const auto low = low_half_moved_up(a, instruction.type(), context.patterns)) {
            return multiply(widen(*low, context.patterns), std::int64_t{1} << (32 - *amount), 64,
                            context.patterns);
        }
    }
    if (amount && *amount >= 0 && *amount < 32 &&
        offsets_lie_below(a, static_cast<unsigned>(*amount), context.patterns)) {
        return Shape::uniform();
    }
    return Shape::varying();
}

/// A kernel's own parameter, which all lanes share; what is passed to and from functions lies in
/// each lane's own memory.
bool is_kernel_parameter(const Operand& address, const TransferContext& context) {
    if (context.parameters_vary) return false;
    if (address.symbol.empty()) return true;
    const auto& parameters = context.function.parameters;
    return std::any_of(parameters.begin(), parameters.end(), [&](const ptx::Variable& parameter) {
        return parameter.name == address.symbol;
    });
}

/// Lanes that read one address get one value, unless each has a memory of its own behind it.
Shape load_shape(const Instruction& instruction, const TransferContext& context) {
    const Operand& address = instruction.operands[1];
    switch (instruction.space) {
        case ptx::Space::param:
            if (!is_kernel_parameter(address, context)) return Shape::varying();
            break;
        case ptx::Space::local:
        case ptx::Space::generic:
            return Shape::varying();
        default:
            break;
    }
    return shape_of(address, context).is_uniform() ? Shape::uniform() : Shape::varying();
}

/// Lanes that name different member masks vote among themselves.
Shape collective_shape(const Instruction& instruction, const TransferContext& context) {
    if (!instruction.sync) return Shape::uniform();
    return shape_of(instruction.operands.back(), context).is_uniform() ? Shape::uniform()
                                                                       : Shape::varying();
}

}  // namespace

LaneOffsets wrap(LaneOffsets offsets, unsigned bits) {
    if (bits >= 64) return offsets;
    const unsigned shift = 64 - bits;
    for (std::int64_t& offset : offsets) {
        offset = static_cast<std::int64_t>(static_cast<std::uint64_t>(offset) << shift) >> shift;
    }
    return offsets;
}

bool is_broadcast(const Instruction& shuffle) {
    if (shuffle.shuffle_mode != ptx::ShuffleMode::idx) return false;
    constexpr std::int64_t kClampAndSegment = 0x1f1f, kWholeWarp = 31;
    const auto segment = constant_of(shuffle.operands[3]);
    return segment && (*segment & kClampAndSegment) == kWholeWarp;
}

std::optional<Shape> low_half_moved_up(const Shape& a, Type type, PatternTable& patterns) {
    if (ptx::bit_width(type) != 64 || !a.is_pattern() || a.may_wrap || a.base_alignment < 32) {
        return std::nullopt;
    }
    LaneOffsets offsets = patterns[a.pattern];
    for (std::int64_t& offset : offsets) {
        if (static_cast<std::uint32_t>(offset) != 0) return std::nullopt;
        offset >>= 32;
    }
    return pattern_shape(offsets, a.base_alignment - 32u, false, patterns);
}

std::optional<std::int64_t> constant_of(const Operand& operand) {
    if (operand.kind != Operand::Kind::immediate || operand.is_float_literal) return std::nullopt;
    return static_cast<std::int64_t>(operand.bits);
}

Shape shape_of(const Operand& operand, const TransferContext& context) {
    switch (operand.kind) {
        case Operand::Kind::reg:
            return context.shapes[operand.reg];
        case Operand::Kind::immediate:
            // What a float's literal looks like as bits depends on where it goes.
            if (operand.is_float_literal) return Shape::uniform();
            return Shape::uniform(
                operand.bits == 0 ? 63 : static_cast<unsigned>(std::countr_zero(operand.bits)));
        case Operand::Kind::special:
            return special_shape(operand.special, context);
        case Operand::Kind::address:
            return operand.has_base_register ? context.shapes[operand.reg] : Shape::uniform();
        case Operand::Kind::vector: {
            for (const Operand& element : operand.elements) {
                const Shape shape = shape_of(element, context);
                if (!shape.is_uniform()) {
                    return shape.kind == Shape::Kind::unknown ? shape : Shape::varying();
                }
            }
            return Shape::uniform();
        }
        default:
            return Shape::uniform();
    }
}

Shape transfer(const Instruction& instruction, const TransferContext& context) {
    // Nothing is known of a result until all that it depends on has been reached.
    bool unknown = false;
    for_each_use(instruction, [&](ptx::RegisterId r) {
        unknown |= context.shapes[r].kind == Shape::Kind::unknown;
    });
    if (unknown) return {};

    const unsigned bits = ptx::bit_width(instruction.type());
    PatternTable& patterns = context.patterns;
    switch (instruction.opcode) {
        case Opcode::mov:
            return move(instruction, context);
        case Opcode::cvta:
            return shape_of(instruction.operands[1], context);
        case Opcode::add:
        case Opcode::sub:
            if (all_uniform(instruction, context)) {
                return Shape::uniform(
                    std::min(shape_of(instruction.operands[1], context).base_alignment,
                             shape_of(instruction.operands[2], context).base_alignment));
            }
            if (!is_plain_integer(instruction.type()) || instruction.sat || instruction.carry_out) {
                return Shape::varying();
            }
            return add(shape_of(instruction.operands[1], context),
                       shape_of(instruction.operands[2], context),
                       instruction.opcode == Opcode::add ? 1 : -1, bits, patterns);
        case Opcode::mul:
        case Opcode::mul24:
            if (all_uniform(instruction, context)) return Shape::uniform();
            return instruction.opcode == Opcode::mul ? product(instruction, context)
                                                     : Shape::varying();
        case Opcode::mad:
            if (all_uniform(instruction, context)) return Shape::uniform();
            if (instruction.sat || instruction.carry_out) return Shape::varying();
            return multiply_add(instruction, context);
        case Opcode::shl: {
            if (!all_uniform(instruction, context)) return shift_left(instruction, context);
            const auto amount = constant_of(instruction.operands[2]);
            return Shape::uniform(
                amount && *amount >= 0 && *amount < 32 ? static_cast<unsigned>(*amount) : 0);
        }
        case Opcode::shr:
            if (all_uniform(instruction, context)) return Shape::uniform();
            return shift_right(instruction, context);
        case Opcode::and_:
            if (all_uniform(instruction, context)) return Shape::uniform();
            return mask_low_bits(instruction, context);
        case Opcode::cvt:
            if (all_uniform(instruction, context)) return Shape::uniform();
            return conversion(instruction, context);
        case Opcode::ld:
        case Opcode::ldu:
            return load_shape(instruction, context);
        case Opcode::shfl:
            if (is_broadcast(instruction) &&
                shape_of(instruction.operands[2], context).is_uniform()) {
                return Shape::uniform();
            }
            // Which lanes had a source in range differs by lane whatever they shuffle.
            return instruction.operands[0].kind == Operand::Kind::vector
                       ? Shape::varying()
                       : by_operands(instruction, context);
        case Opcode::vote:
        case Opcode::redux:
            return collective_shape(instruction, context);
        case Opcode::mbarrier:
            // Lanes arrive one after the other, but ask at once whether a phase has ended.
            return instruction.in_form("test_wait") || instruction.in_form("try_wait")
                       ? by_operands(instruction, context)
                       : Shape::varying();
        case Opcode::activemask:
        case Opcode::bar:
        case Opcode::barrier:
            return Shape::uniform();
        case Opcode::addc:
        case Opcode::subc:
        case Opcode::madc:  // the carry is each lane's own
        case Opcode::atom:
        case Opcode::call:
        case Opcode::match:
        case Opcode::elect:
        case Opcode::alloca_:
            return Shape::varying();
        default:
            return by_operands(instruction, context);
    }
}

}  // namespace wideload::simt

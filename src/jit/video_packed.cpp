// SPDX-License-Identifier: Apache-2.0
// Video instructions on two halves or four bytes side by side. Selectors pick each element from {b,
// a}, a mask says which elements of the result are written; the others come from the third operand
// (PTX ISA, "SIMD Video Instructions").
#include <array>

#include "jit/integer_values.h"
#include "jit/video.h"

namespace wideload::jit {

using ptx::Instruction;
using ptx::Type;

namespace {

struct Packing {
    unsigned count;
    [[nodiscard]] unsigned bits() const { return 32 / count; }
    [[nodiscard]] char letter() const { return count == 2 ? 'h' : 'b'; }
};

using Elements = std::array<unsigned, 4>;

/// ".h10", ".b7654": the element for each place, the last one named being the lowest; counted from
/// a's lowest on.
std::optional<Elements> selection(const std::string& selector, Packing packing, unsigned first) {
    Elements elements{};
    for (unsigned i = 0; i < packing.count; ++i) elements[i] = first + i;
    if (selector.empty()) return elements;
    if (selector.size() != packing.count + 1 || selector[0] != packing.letter())
        return std::nullopt;
    for (unsigned i = 0; i < packing.count; ++i) {
        elements[i] = static_cast<unsigned>(selector[packing.count - i] - '0');
        if (elements[i] >= 2 * packing.count) return std::nullopt;
    }
    return elements;
}

/// ".h1", ".b310": the elements that are written, as bits.
std::optional<unsigned> write_mask(const std::string& selector, Packing packing) {
    if (selector.empty()) return (1u << packing.count) - 1;
    if (selector[0] != packing.letter()) return std::nullopt;
    unsigned mask = 0;
    for (const char digit : selector.substr(1)) {
        const auto index = static_cast<unsigned>(digit - '0');
        if (index >= packing.count) return std::nullopt;
        mask |= 1u << index;
    }
    return mask;
}

llvm::Value* element(Emitter& emitter, llvm::Value* a, llvm::Value* b, unsigned index,
                     Packing packing, bool is_signed) {
    return packed_part(emitter, index < packing.count ? a : b, index % packing.count,
                       packing.bits(), is_signed);
}

}  // namespace

void lower_packed_video(Emitter& emitter, const Instruction& instruction) {
    llvm::IRBuilder<>& ir = emitter.ir();
    const Packing packing{ptx::name(instruction.opcode).back() == '2' ? 2u : 4u};
    const auto mask = write_mask(instruction.operands[0].selector, packing);
    const auto from_a = selection(instruction.operands[1].selector, packing, 0);
    const auto from_b = selection(instruction.operands[2].selector, packing, packing.count);
    const auto operation = video_operation(instruction.opcode);
    if (!mask || !from_a || !from_b || !operation || instruction.operands.size() < 4) {
        emitter.refuse("these selectors do not fit the instruction");
        return;
    }
    const bool compares = *operation == VideoOperation::compare;
    const std::size_t first_type = compares ? 0 : 1;
    const bool a_signed = ptx::is_signed(instruction.types[first_type]);
    const bool b_signed = ptx::is_signed(instruction.types[first_type + 1]);
    const bool result_signed = !compares && ptx::is_signed(instruction.types[0]);
    const auto v = emitter.sources(instruction, 1, {Type::b32, Type::b32, Type::b32});
    const bool accumulates = has_word(instruction, "add");
    const std::uint64_t element_mask = (std::uint64_t{1} << packing.bits()) - 1;
    llvm::Value* result = v[2];
    for (unsigned i = 0; i < packing.count; ++i) {
        if ((*mask >> i & 1) == 0) continue;
        llvm::Value* a = element(emitter, v[0], v[1], (*from_a)[i], packing, a_signed);
        llvm::Value* b = element(emitter, v[0], v[1], (*from_b)[i], packing, b_signed);
        llvm::Value* value = video_result(emitter, instruction, *operation, a, b);
        if (instruction.sat) value = saturated(emitter, value, packing.bits(), result_signed);
        if (accumulates) {
            result = ir.CreateAdd(result, value);
            continue;
        }
        const unsigned shift = packing.bits() * i;
        result = ir.CreateOr(ir.CreateAnd(result, ~(element_mask << shift) & ~0u),
                             ir.CreateShl(ir.CreateAnd(value, element_mask), shift));
    }
    emitter.define(instruction.operands[0], result, Type::b32);
}

}  // namespace wideload::jit

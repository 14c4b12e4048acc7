// SPDX-License-Identifier: Apache-2.0
// atom and red run in host code: each active lane in turn, as hardware serialises lanes that hit
// one word.
#include "jit/comparison.h"
#include "jit/lower.h"
#include "jit/memory_access.h"

namespace wideload::jit {
namespace {

using ptx::Instruction;
using ptx::Operand;

/// A result that nothing reads makes an atomic a reduction, whatever PTX wrote: so hardware counts.
bool result_is_read(const Emitter& e, const Operand& destination) {
    if (destination.kind == Operand::Kind::none) return false;
    if (destination.kind == Operand::Kind::vector) return true;
    return e.is_read(destination.reg);
}

}  // namespace

void lower_atomic(Emitter& e, const Instruction& instruction) {
    auto& ir = e.ir();
    const bool has_result = instruction.opcode == ptx::Opcode::atom;
    const Operand& operand = instruction.operands[has_result ? 1 : 0];
    const unsigned bytes = ptx::byte_size(instruction.type());
    const unsigned width = instruction.vector_width;
    const AddressValue address = e.address(operand, address_bits(e, operand));

    Site site;
    site.element_bytes = bytes;
    site.vector_width = width;
    site.uniform_address = address.shape.is_uniform();
    site.parameter = e.origins().of(instruction);
    const bool used = has_result && result_is_read(e, instruction.operands[0]);
    site.kind = instruction.space == ptx::Space::shared ? profile::SiteKind::shared_atom
                : used                                  ? profile::SiteKind::global_atom
                                                        : profile::SiteKind::global_red;
    const std::uint32_t row = e.add_site(site);
    if (instruction.space == ptx::Space::generic) {
        site.kind = profile::SiteKind::shared_atom;
        e.add_site(site);
        site.kind = profile::SiteKind::local_st;
        e.add_site(site);
    }

    llvm::Type* element = ir.getIntNTy(bytes * 8);
    llvm::Type* lanes = llvm::FixedVectorType::get(element, kLanes);
    llvm::Type* array = llvm::FixedVectorType::get(element, kLanes * width);
    const std::size_t first = has_result ? 2 : 1;
    const auto operand_lanes_of = [&](std::size_t index) -> llvm::Value* {
        if (index >= instruction.operands.size()) {
            return llvm::ConstantPointerNull::get(ir.getPtrTy());
        }
        llvm::AllocaInst* slot = e.scratch(array, index == first ? "operand" : "swap");
        for (unsigned i = 0; i < width; ++i) {
            const Operand& source = element_of(instruction.operands[index], i);
            ir.CreateStore(e.splat(e.source(source, bits_type(instruction.type()))),
                           ir.CreateConstInBoundsGEP1_64(lanes, slot, i));
        }
        return slot;
    };
    llvm::Value* addresses = e.spill(address.lanes(), "addresses");
    llvm::Value* null = llvm::ConstantPointerNull::get(ir.getPtrTy());
    const bool compares = instruction.atom_op == ptx::AtomOp::cas;
    llvm::Value* old = has_result ? static_cast<llvm::Value*>(e.scratch(array, "old")) : null;
    const AtomicCode code = AtomicCode::of(static_cast<unsigned>(instruction.atom_op),
                                           instruction.type(), instruction.space, width);
    llvm::Value* operand_lanes = operand_lanes_of(first);
    llvm::Value* swap_lanes = compares ? operand_lanes_of(first + 1) : null;
    e.call("wl_atomic", {e.context_pointer(), e.warp(), ir.getInt32(row), ir.getInt32(code.bits),
                         addresses, e.mask_bits(), operand_lanes, swap_lanes, old,
                         ir.getInt32(site.uniform_address ? 1 : 0)});
    if (!has_result) return;
    for (unsigned i = 0; i < width; ++i) {
        llvm::Value* value = ir.CreateLoad(lanes, ir.CreateConstInBoundsGEP1_64(lanes, old, i));
        e.define(element_of(instruction.operands[0], i), value, instruction.type());
    }
}

}  // namespace wideload::jit

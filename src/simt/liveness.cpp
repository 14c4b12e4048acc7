// SPDX-License-Identifier: Apache-2.0
#include "simt/liveness.h"

#include "ptx/opcode.h"

namespace wideload::simt {

unsigned destination_count(const ptx::Instruction& instruction) {
    using ptx::Opcode;
    switch (instruction.opcode) {
        case Opcode::st:
        case Opcode::red:
        case Opcode::bra:
        case Opcode::brx:
        case Opcode::ret:
        case Opcode::exit:
        case Opcode::trap:
        case Opcode::brkpt:
        case Opcode::membar:
        case Opcode::fence:
        case Opcode::prefetch:
        case Opcode::prefetchu:
        case Opcode::discard:
        case Opcode::applypriority:
        case Opcode::cp:
        case Opcode::nanosleep:
        case Opcode::pmevent:
        case Opcode::griddepcontrol:
        case Opcode::setmaxnreg:
        case Opcode::stackrestore:
        case Opcode::stmatrix:
            return 0;
        case Opcode::bar:
        case Opcode::barrier:
            return instruction.form.find("red") != std::string::npos ||
                           instruction.atom_op != ptx::AtomOp::none
                       ? 1
                       : 0;
        case Opcode::call:
            // (results), function, (arguments): the results are a vector in front of the function.
            return !instruction.operands.empty() &&
                           instruction.operands[0].kind == ptx::Operand::Kind::vector &&
                           instruction.operands.size() > 1 &&
                           instruction.operands[1].kind != ptx::Operand::Kind::vector
                       ? 1
                       : 0;
        case Opcode::mbarrier:
            return !instruction.operands.empty() &&
                           instruction.operands[0].kind != ptx::Operand::Kind::address
                       ? 1
                       : 0;
        default:
            return instruction.operands.empty() ? 0 : 1;
    }
}

std::vector<Bitset> live_at_entry(const ptx::Function& function, const std::vector<Block>& blocks) {
    const std::size_t registers = function.registers.size();
    std::vector<Bitset> used(blocks.size(), Bitset(registers)), killed = used, live = used;
    for (std::size_t b = 0; b < blocks.size(); ++b) {
        for (std::uint32_t i = blocks[b].first; i < blocks[b].last; ++i) {
            const ptx::Instruction& instruction = function.body[i];
            for_each_use(instruction, [&](ptx::RegisterId r) {
                if (!killed[b].contains(r)) used[b].insert(r);
            });
            // A guarded write leaves the old value to the lanes that it skips.
            if (!instruction.guard) {
                for_each_definition(instruction, [&](ptx::RegisterId r) { killed[b].insert(r); });
            }
        }
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (std::size_t b = blocks.size(); b-- > 0;) {
            Bitset in(registers);
            for (const BlockId next : blocks[b].successors) in.unite(live[next]);
            in.subtract(killed[b]);
            in.unite(used[b]);
            changed |= live[b].unite(in);
        }
    }
    return live;
}

}  // namespace wideload::simt

// SPDX-License-Identifier: Apache-2.0
#include "simt/analysis.h"

#include <algorithm>

#include "simt/liveness.h"
#include "simt/pending.h"
#include "simt/transfer.h"

namespace wideload::simt {
namespace {

using ptx::Instruction;
using ptx::Opcode;

/// What a thread may repeat until another thread has done something.
bool may_wait(const Instruction& instruction) {
    switch (instruction.opcode) {
        case Opcode::atom:
        case Opcode::nanosleep:
        case Opcode::mbarrier:
            return true;
        case Opcode::ld:
            return instruction.semantics == ptx::Semantics::volatile_ ||
                   instruction.semantics == ptx::Semantics::relaxed ||
                   instruction.semantics == ptx::Semantics::acquire ||
                   instruction.semantics == ptx::Semantics::sc ||
                   instruction.cache_op == ptx::CacheOp::cv;
        default:
            return false;
    }
}

bool is_block_barrier(const Instruction& instruction) {
    if (instruction.opcode == Opcode::barrier) {
        return instruction.form.find("cluster") == std::string::npos;
    }
    return instruction.opcode == Opcode::bar &&
           instruction.form.find("warp") == std::string::npos;
}

/// Loops are the ranges from a header to the last block that leads back to it: blocks of a loop are contiguous.
void find_spinning_loops(const ptx::Function& function, Analysis& analysis) {
    const std::vector<Block>& blocks = analysis.blocks;
    analysis.spins.assign(blocks.size(), 0);
    for (BlockId latch = 0; latch < blocks.size(); ++latch) {
        for (const BlockId header : blocks[latch].successors) {
            if (header > latch) continue;
            bool waits = false;
            for (BlockId b = header; b <= latch && !waits; ++b) {
                for (std::uint32_t i = blocks[b].first; i < blocks[b].last; ++i) {
                    waits |= may_wait(function.body[i]);
                }
            }
            if (!waits) continue;
            analysis.spins[latch] = 1;
            analysis.spin_headers.push_back(header);
        }
    }
    std::sort(analysis.spin_headers.begin(), analysis.spin_headers.end());
    analysis.spin_headers.erase(
        std::unique(analysis.spin_headers.begin(), analysis.spin_headers.end()),
        analysis.spin_headers.end());
}

const ptx::Operand* branch_condition(const ptx::Function& function, const Block& block,
                                     ptx::RegisterId& predicate) {
    if (block.first == block.last) return nullptr;
    const Instruction& last = function.body[block.last - 1];
    if (block.exit == Exit::indirect) return &last.operands[0];
    if (last.guard) predicate = last.guard->predicate;
    return nullptr;
}

class Solver {
public:
    Solver(const ptx::Function& function, ThreadLayout layout, bool is_called, Analysis& analysis)
        : function_(function),
          context_{function, analysis.shapes, layout, analysis.patterns, is_called},
          analysis_(analysis) {}

    /// Shapes decide which branches part lanes, those decide which writes must be kept from waiting lanes, and these
    /// make shapes varying: repeated until nothing grows.
    void solve() {
        do {
            find_shielded();
            shape_registers();
        } while (find_divergent());
    }

private:
    void find_shielded() {
        std::vector<BlockId> parked;
        for (const char divergent : analysis_.divergent) {
            if (divergent) parked = analysis_.spin_headers;
        }
        analysis_.pending = pending_blocks(analysis_.blocks, analysis_.divergent, parked);
        analysis_.shielded.assign(analysis_.blocks.size(), Bitset(function_.registers.size()));
        for (std::size_t b = 0; b < analysis_.blocks.size(); ++b) {
            analysis_.pending[b].for_each(
                [&](std::size_t waiting) { analysis_.shielded[b].unite(analysis_.live[waiting]); });
        }
    }

    void shape_registers() {
        for (bool changed = true; changed;) {
            changed = false;
            for (std::size_t b = 0; b < analysis_.blocks.size(); ++b) {
                const Block& block = analysis_.blocks[b];
                for (std::uint32_t i = block.first; i < block.last; ++i) {
                    changed |= shape_results(function_.body[i], analysis_.shielded[b]);
                }
            }
            if (!changed) changed = settle_unwritten();
        }
    }

    /// A register that is read but never written holds anything, the same in all lanes.
    bool settle_unwritten() {
        bool changed = false;
        for (std::size_t r = 0; r < analysis_.shapes.size(); ++r) {
            if (analysis_.shapes[r].kind == Shape::Kind::unknown) {
                analysis_.shapes[r] = Shape::uniform();
                changed = true;
            }
        }
        return changed;
    }

    bool shape_results(const Instruction& instruction, const Bitset& shielded) {
        const Shape result = transfer(instruction, context_);
        if (result.kind == Shape::Kind::unknown) return false;
        bool varying_guard = false;
        if (instruction.guard) {
            const Shape& guard = analysis_.shapes[instruction.guard->predicate];
            varying_guard = !guard.is_uniform();
        }
        bool changed = false;
        for_each_definition(instruction, [&](ptx::RegisterId r) {
            Shape shape = result;
            // A second result (of p|q and the like) and vectors' parts are told apart only as far as this.
            if (instruction.operands[0].kind == ptx::Operand::Kind::vector && shape.is_pattern()) {
                shape = Shape::varying();
            }
            if (varying_guard || shielded.contains(r)) shape = Shape::varying();
            const Shape joined = join(analysis_.shapes[r], shape);
            changed |= joined != analysis_.shapes[r];
            analysis_.shapes[r] = joined;
        });
        return changed;
    }

    bool find_divergent() {
        bool changed = false;
        for (std::size_t b = 0; b < analysis_.blocks.size(); ++b) {
            if (analysis_.divergent[b]) continue;
            ptx::RegisterId predicate = ~0u;
            const ptx::Operand* index = branch_condition(function_, analysis_.blocks[b], predicate);
            const bool parts = index != nullptr
                                   ? !shape_of(*index, context_).is_uniform()
                                   : predicate != ~0u && !analysis_.shapes[predicate].is_uniform();
            analysis_.divergent[b] = parts;
            changed |= parts;
        }
        return changed;
    }

    const ptx::Function& function_;
    TransferContext context_;
    Analysis& analysis_;
};

}  // namespace

Analysis analyse(const ptx::Function& function, ThreadLayout layout, bool is_called) {
    Analysis analysis;
    analysis.blocks = order_blocks(split_into_blocks(function));
    analysis.divergent.assign(analysis.blocks.size(), 0);
    analysis.live = live_at_entry(function, analysis.blocks);
    analysis.shapes.assign(function.registers.size(), Shape{});
    find_spinning_loops(function, analysis);
    for (const Instruction& instruction : function.body) {
        analysis.has_barriers |= is_block_barrier(instruction);
    }
    Solver(function, layout, is_called, analysis).solve();
    return analysis;
}

}  // namespace wideload::simt

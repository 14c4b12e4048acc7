// SPDX-License-Identifier: Apache-2.0
#include "simt/analysis.h"

#include <algorithm>

#include "simt/liveness.h"
#include "simt/pending.h"
#include "simt/transfer.h"
#include "simt/waiting.h"

namespace wideload::simt {
namespace {

using ptx::Instruction;

const ptx::Operand* branch_condition(const ptx::Function& function, const Block& block,
                                     ptx::RegisterId& predicate) {
    if (block.first == block.last || goes_on(block.exit)) return nullptr;
    const Instruction& last = function.body[block.last - 1];
    if (block.exit == Exit::indirect) return &last.operands[0];
    if (last.guard) predicate = last.guard->predicate;
    return nullptr;
}

bool parts_lanes(const Analysis& analysis) {
    return std::find(analysis.divergent.begin(), analysis.divergent.end(), 1) !=
           analysis.divergent.end();
}

/// Blocks that begin where lanes come together. Of interest only where a spinning loop may set
/// lanes aside.
std::vector<BlockId> find_meetings(const ptx::Function& function, const Analysis& analysis) {
    std::vector<BlockId> meetings;
    if (analysis.spinning.loops.empty()) return meetings;
    for (BlockId b = 0; b < analysis.blocks.size(); ++b) {
        const Block& block = analysis.blocks[b];
        if (block.first == block.last) continue;
        const Instruction& first = function.body[block.first];
        if (is_block_barrier(first) || is_warp_meeting(first)) meetings.push_back(b);
    }
    return meetings;
}

class Solver {
public:
    Solver(const ptx::Function& function, ThreadLayout layout, bool is_called, Analysis& analysis)
        : function_(function),
          context_{function, analysis.shapes, layout, analysis.patterns, is_called},
          analysis_(analysis) {}

    /// Shapes decide which branches part lanes, those decide which writes must be kept from waiting
    /// lanes, and these make shapes varying: repeated until nothing grows.
    void solve() {
        do {
            find_shielded();
            shape_registers();
        } while (find_divergent());
    }

private:
    void find_shielded() {
        SetAside set_aside;
        if (parts_lanes(analysis_)) {
            set_aside.stops = analysis_.meetings;
            for (const SpinningLoop& loop : analysis_.spinning.loops) {
                set_aside.headers.push_back(loop.header);
                if (loop.yields) set_aside.stops.push_back(loop.header);
            }
            for (BlockId b = 0; b < analysis_.blocks.size(); ++b) {
                if (analysis_.spinning.latches[b]) set_aside.latches.push_back(b);
            }
        }
        analysis_.pending = pending_blocks(analysis_.blocks, analysis_.divergent, set_aside);
        Bitset aside(function_.registers.size());
        for (const auto* places : {&set_aside.headers, &set_aside.stops}) {
            for (const BlockId place : *places) aside.unite(analysis_.live[place]);
        }
        analysis_.shielded.assign(analysis_.blocks.size(), aside);
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
            // A second result (of p|q and the like) and vectors' parts are told apart only as far
            // as this.
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

Analysis analyse(const ptx::Function& function, ThreadLayout layout, bool is_called,
                 bool calls_may_wait) {
    Analysis analysis;
    analysis.blocks = order_blocks(split_into_blocks(function, Cut::at_barriers));
    const auto find_loops = [&] {
        analysis.live = live_at_entry(function, analysis.blocks);
        analysis.spinning = find_spinning_loops(function, analysis.blocks, analysis.live,
                                                [&](const Instruction&) { return calls_may_wait; });
    };
    find_loops();
    if (!analysis.spinning.loops.empty()) {
        analysis.blocks = order_blocks(split_into_blocks(function, Cut::at_meetings));
        find_loops();
    }
    analysis.divergent.assign(analysis.blocks.size(), 0);
    analysis.shapes.assign(function.registers.size(), Shape{});
    analysis.meetings = find_meetings(function, analysis);
    for (const Instruction& instruction : function.body) {
        analysis.has_barriers |= is_block_barrier(instruction);
    }
    Solver(function, layout, is_called, analysis).solve();
    analysis.sets_aside = !analysis.spinning.loops.empty() && parts_lanes(analysis);
    if (!analysis.sets_aside) analysis.meetings.clear();
    return analysis;
}

}  // namespace wideload::simt

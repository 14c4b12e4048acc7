// SPDX-License-Identifier: Apache-2.0
#include "simt/blocks.h"

#include <algorithm>
#include <map>

#include "simt/waiting.h"

namespace wideload::simt {
namespace {

using ptx::Instruction;
using ptx::Opcode;

bool ends_block(const Instruction& instruction) {
    switch (instruction.opcode) {
        case Opcode::bra:
        case Opcode::brx:
        case Opcode::ret:
        case Opcode::exit:
        case Opcode::trap:
        case Opcode::call:
            return true;
        default:
            return false;
    }
}

bool leaves(const Instruction& instruction) {
    return instruction.opcode == Opcode::ret || instruction.opcode == Opcode::exit ||
           instruction.opcode == Opcode::trap;
}

/// Starts of blocks as instruction indices; body.size() stands for the end.
std::vector<std::uint32_t> find_leaders(const ptx::Function& function, Cut cut) {
    const auto size = static_cast<std::uint32_t>(function.body.size());
    std::vector<std::uint32_t> leaders{0};
    for (const ptx::Label& label : function.labels) leaders.push_back(label.instruction);
    for (std::uint32_t i = 0; i < size; ++i) {
        if (ends_block(function.body[i])) leaders.push_back(i + 1);
        if (is_block_barrier(function.body[i]) ||
            (cut == Cut::at_meetings && is_warp_meeting(function.body[i]))) {
            leaders.push_back(i);
        }
    }
    std::sort(leaders.begin(), leaders.end());
    leaders.erase(std::unique(leaders.begin(), leaders.end()), leaders.end());
    while (!leaders.empty() && leaders.back() >= size) leaders.pop_back();
    return leaders;
}

/// The targets of brx.idx in index order.
std::vector<ptx::LabelId> indirect_targets(const ptx::Function& function,
                                           const Instruction& instruction) {
    for (const ptx::Operand& operand : instruction.operands) {
        const auto found = function.branch_targets.find(operand.symbol);
        if (found != function.branch_targets.end()) return found->second;
    }
    return {};
}

/// Keeps the blocks that the entry reaches, in their order.
std::vector<Block> drop_unreachable(std::vector<Block> blocks) {
    std::vector<char> reached(blocks.size(), 0);
    std::vector<BlockId> work{0};
    reached[0] = 1;
    while (!work.empty()) {
        const BlockId block = work.back();
        work.pop_back();
        for (const BlockId next : blocks[block].successors) {
            if (!reached[next]) {
                reached[next] = 1;
                work.push_back(next);
            }
        }
    }
    std::vector<BlockId> number(blocks.size());
    std::vector<Block> kept;
    for (BlockId b = 0; b < blocks.size(); ++b) {
        if (!reached[b]) continue;
        number[b] = static_cast<BlockId>(kept.size());
        kept.push_back(std::move(blocks[b]));
    }
    for (Block& block : kept) {
        for (BlockId& next : block.successors) next = number[next];
    }
    return kept;
}

}  // namespace

std::vector<Block> split_into_blocks(const ptx::Function& function, Cut cut) {
    const auto size = static_cast<std::uint32_t>(function.body.size());
    const std::vector<std::uint32_t> leaders = find_leaders(function, cut);
    std::map<std::uint32_t, BlockId> block_at;
    std::vector<Block> blocks(leaders.size() + 1);  // the last is an empty one at the body's end
    for (BlockId b = 0; b < leaders.size(); ++b) {
        block_at[leaders[b]] = b;
        blocks[b].first = leaders[b];
        blocks[b].last = b + 1 < leaders.size() ? leaders[b + 1] : size;
    }
    const auto end = static_cast<BlockId>(leaders.size());
    block_at[size] = end;
    blocks[end] = Block{size, size, Exit::leave, {}};

    for (BlockId b = 0; b < end; ++b) {
        Block& block = blocks[b];
        const Instruction& last = function.body[block.last - 1];
        const BlockId next = block_at.at(block.last);
        if (leaves(last)) {
            block.exit = last.guard ? Exit::leave_some : Exit::leave;
            if (last.guard) block.successors = {next};
        } else if (last.opcode == Opcode::bra) {
            const BlockId target = block_at.at(function.labels[last.operands[0].label].instruction);
            block.exit = last.guard ? Exit::branch : Exit::jump;
            block.successors = {target};
            if (last.guard) block.successors.push_back(next);
        } else if (last.opcode == Opcode::brx) {
            block.exit = Exit::indirect;
            for (const ptx::LabelId label : indirect_targets(function, last)) {
                block.successors.push_back(block_at.at(function.labels[label].instruction));
            }
        } else {
            block.exit = last.opcode == Opcode::call ? Exit::call : Exit::fallthrough;
            block.successors = {next};
        }
    }
    return drop_unreachable(std::move(blocks));
}

std::vector<BlockId> distinct_successors(const Block& block) {
    std::vector<BlockId> successors = block.successors;
    std::sort(successors.begin(), successors.end());
    successors.erase(std::unique(successors.begin(), successors.end()), successors.end());
    return successors;
}

}  // namespace wideload::simt

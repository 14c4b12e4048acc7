// SPDX-License-Identifier: Apache-2.0
#include "kernel_text.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "ptx/parser.h"

namespace wideload::simt {
namespace {

ptx::Module parse_kernel(std::string_view body, std::string_view before) {
    std::string text = ".version 8.0\n.target sm_90\n.address_size 64\n";
    text += before;
    text +=
        ".visible .entry kernel(.param .u64 in, .param .u64 out, .param .u32 n)\n{\n"
        ".reg .pred %p<8>;\n.reg .b32 %r<16>;\n.reg .b64 %rd<16>;\n.reg .f32 %f<8>;\n"
        ".shared .align 16 .b8 shared_array[1024];\n.local .align 16 .b8 local_array[64];\n";
    text += body;
    text += "\n}\n";
    auto parsed = ptx::parse(text, "test.ptx");
    if (!parsed) throw std::runtime_error(format(parsed.errors()));
    return std::move(*parsed);
}

}  // namespace

KernelText::KernelText(std::string_view body, std::string_view before)
    : module(parse_kernel(body, before)) {}

ptx::RegisterId KernelText::reg(std::string_view name) const {
    const auto& registers = function().registers;
    for (ptx::RegisterId r = 0; r < registers.size(); ++r) {
        if (registers[r].name == name) return r;
    }
    throw std::runtime_error("no register " + std::string(name));
}

BlockId KernelText::block_at(const std::vector<Block>& blocks, std::string_view label) const {
    for (const ptx::Label& candidate : function().labels) {
        if (candidate.name != label) continue;
        for (BlockId b = 0; b < blocks.size(); ++b) {
            if (blocks[b].first == candidate.instruction) return b;
        }
    }
    throw std::runtime_error("no block begins at " + std::string(label));
}

std::vector<Block> graph(const std::vector<std::vector<BlockId>>& successors) {
    std::vector<Block> blocks;
    for (const auto& to : successors) {
        Block block;
        block.exit = to.empty() ? Exit::leave : to.size() == 1 ? Exit::jump : Exit::branch;
        block.successors = to;
        // So that tests can tell a block after it was renumbered.
        block.first = block.last = static_cast<std::uint32_t>(blocks.size());
        blocks.push_back(block);
    }
    return blocks;
}

}  // namespace wideload::simt

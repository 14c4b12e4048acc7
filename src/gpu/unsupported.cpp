// SPDX-License-Identifier: Apache-2.0
#include "gpu/unsupported.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "gpu/source_frames.h"
#include "jit/lower.h"
#include "profile/place.h"

namespace wideload::gpu {
namespace {

using ptx::Instruction;

std::optional<std::string> reason_of(const Instruction& instruction, const Module::State& module) {
    if (auto reason = jit::why_unsupported(instruction)) return reason;
    if (instruction.opcode == ptx::Opcode::call) return jit::why_uncallable(instruction, module);
    return std::nullopt;
}

/// As __cluster_dims__ fixes it for every launch; 1 where it says nothing.
std::uint32_t blocks_of_cluster(const ptx::Function& kernel) {
    const auto size = kernel.required_cluster.value_or(std::array<std::uint32_t, 3>{1, 1, 1});
    return size[0] * std::max(size[1], 1u) * std::max(size[2], 1u);
}

}  // namespace

std::optional<Diagnostic> find_unsupported(const std::vector<const ptx::Function*>& functions,
                                           const Module::State& module, const std::string& kernel) {
    if (const std::uint32_t blocks = blocks_of_cluster(*functions.front()); blocks > 1) {
        return failure_in(
            module.ptx.name,
            fmt::format("kernel '{}' runs in clusters of {} blocks, which the virtual "
                        "GPU does not",
                        kernel, blocks));
    }
    for (const ptx::Function* function : functions) {
        for (const Instruction& instruction : function->body) {
            const auto reason = reason_of(instruction, module);
            if (!reason) continue;
            Diagnostic diagnostic;
            diagnostic.where = {module.ptx.name, instruction.ptx_line, 0};
            diagnostic.message =
                fmt::format("kernel '{}' uses '{}': {}", kernel, instruction.mnemonic, *reason);
            const profile::Frames frames = SourceFrames(module.ptx).of(instruction);
            if (const profile::Frame* frame = profile::own_frame(*frames)) {
                diagnostic.hint =
                    fmt::format("it comes from {}:{}", frame->where.file, frame->where.line);
            }
            return diagnostic;
        }
    }
    return std::nullopt;
}

}  // namespace wideload::gpu

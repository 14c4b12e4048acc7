// SPDX-License-Identifier: Apache-2.0
#include "gpu/waiting_callee.h"

#include <algorithm>

#include "jit/build_kernel.h"
#include "simt/waiting.h"

namespace wideload::gpu {

const ptx::Function* find_waiting_callee(const Kernel& kernel) {
    const Module::State& module = *kernel.module;
    const auto functions = jit::reachable_functions(*kernel.function, {module.ptx, module, {}});
    const bool may_wait = std::ranges::any_of(
        functions, [](const ptx::Function* function) { return simt::may_wait(*function); });
    for (const ptx::Function* caller : functions) {
        for (const ptx::Instruction& call : caller->body) {
            if (call.opcode != ptx::Opcode::call) continue;
            const ptx::Function* callee = module.function(call.operands[1].symbol);
            if (callee == nullptr || callee->is_declaration) continue;
            if (simt::has_spinning_loop(*callee, [&](const auto&) { return may_wait; })) {
                return callee;
            }
        }
    }
    return nullptr;
}

}  // namespace wideload::gpu

// SPDX-License-Identifier: Apache-2.0
#include "gpu/kernel_compiler.h"

#include <utility>

namespace wideload::gpu {
namespace {

using Clock = std::chrono::steady_clock;

/// Of this many threads even a handful of instructions each run longer than they take to compile.
constexpr std::uint64_t kThreadsWorthEffort = std::uint64_t{1} << 20;

jit::Effort first_effort(Compiling compiling, const LaunchConfiguration& configuration) {
    switch (compiling) {
        case Compiling::quickly:
            return jit::Effort::quick;
        case Compiling::thoroughly:
            return jit::Effort::thorough;
        case Compiling::by_need:
            break;
    }
    return volume(configuration.grid) * volume(configuration.block) < kThreadsWorthEffort
               ? jit::Effort::quick
               : jit::Effort::thorough;
}

}  // namespace

bool KernelCompiler::may_improve(const KernelCode& code) const {
    return code.compiled.effort == jit::Effort::quick && options_.compiling == Compiling::by_need;
}

Result<KernelCode> KernelCompiler::compile(Kernel& kernel, simt::ThreadLayout layout,
                                           jit::Effort effort) {
    const auto begin = Clock::now();
    kernel.module->shared = &kernel.shared;
    const jit::CompileContext context{kernel.module->ptx, *kernel.module, layout,
                                      options_.counters};
    auto compiled = session_.compile(executed_function(kernel, layout), context, effort);
    kernel.module->shared = nullptr;
    if (!compiled) return compiled.errors();
    return KernelCode{std::move(*compiled), Clock::now() - begin, {}};
}

Result<KernelCode*> KernelCompiler::code_for(Kernel& kernel,
                                             const LaunchConfiguration& configuration) {
    const simt::ThreadLayout layout = simt::ThreadLayout::of(configuration.block);
    if (const auto known = kernel.codes.find(layout); known != kernel.codes.end()) {
        KernelCode& code = known->second;
        if (may_improve(code) && code.running >= code.compiling) improve(kernel, layout, code);
        return &code;
    }
    auto code = compile(kernel, layout, first_effort(options_.compiling, configuration));
    if (!code) return code.errors();
    return &kernel.codes.emplace(layout, std::move(*code)).first->second;
}

/// Tables are the same whatever the effort, and workers may be reading them: only what is called
/// changes. Where LLVM fails, what was there stays, and is not tried again.
void KernelCompiler::improve(Kernel& kernel, simt::ThreadLayout layout, KernelCode& code) {
    const auto better = compile(kernel, layout, jit::Effort::thorough);
    code.compiled.effort = jit::Effort::thorough;
    // Fibers that are there already have stacks for the frames of before.
    if (better && better->compiled.host_stack_bytes <= code.compiled.host_stack_bytes) {
        code.compiled.entry = better->compiled.entry;
    }
}

void KernelCompiler::watch(Grid& grid, Kernel& kernel, KernelCode& code) {
    if (!may_improve(code)) return;
    grid.improvement_due = Clock::now() + (code.compiling - code.running);
    grid.improve = [&] {
        grid.improvement_due = Grid::kNever;
        improve(kernel, simt::ThreadLayout::of(grid.configuration.block), code);
        grid.entry.store(code.compiled.entry);
    };
}

}  // namespace wideload::gpu

// SPDX-License-Identifier: Apache-2.0
#include "jit/optimize.h"

#include <llvm/Passes/PassBuilder.h>

namespace wideload::jit {

void optimize(llvm::Module& module, llvm::TargetMachine& machine) {
    llvm::LoopAnalysisManager loops;
    llvm::FunctionAnalysisManager functions;
    llvm::CGSCCAnalysisManager components;
    llvm::ModuleAnalysisManager modules;
    llvm::PassBuilder builder(&machine);
    builder.registerModuleAnalyses(modules);
    builder.registerCGSCCAnalyses(components);
    builder.registerFunctionAnalyses(functions);
    builder.registerLoopAnalyses(loops);
    builder.crossRegisterProxies(loops, functions, components, modules);

    llvm::ModulePassManager passes;
    constexpr const char* kPipeline =
        "function(sroa,early-cse<memssa>,simplifycfg,instcombine<no-verify-fixpoint>,"
        "loop-mssa(licm<allowspeculation>),early-cse<memssa>,"
        "instcombine<no-verify-fixpoint>,simplifycfg,adce)";
    if (auto error = builder.parsePassPipeline(passes, kPipeline)) {
        llvm::consumeError(std::move(error));
        return;  // unoptimised code is still right
    }
    passes.run(module, modules);
}

}  // namespace wideload::jit

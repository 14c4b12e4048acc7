// SPDX-License-Identifier: Apache-2.0
#include "jit/optimize.h"

#include <llvm/Passes/PassBuilder.h>

namespace wideload::jit {

void optimize(llvm::Module& module, llvm::TargetMachine& machine, Effort effort) {
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
    // The quick passes are those that take less time than they save the code generator.
    constexpr const char* kQuick = "function(sroa,early-cse,simplifycfg)";
    constexpr const char* kThorough =
        "function(sroa,early-cse<memssa>,simplifycfg,instcombine<no-verify-fixpoint>,"
        "loop-mssa(licm<allowspeculation>),early-cse<memssa>,"
        "instcombine<no-verify-fixpoint>,simplifycfg,adce)";
    if (auto error =
            builder.parsePassPipeline(passes, effort == Effort::quick ? kQuick : kThorough)) {
        llvm::consumeError(std::move(error));
        return;  // unoptimised code is still right
    }
    passes.run(module, modules);
}

}  // namespace wideload::jit

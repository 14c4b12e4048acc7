// SPDX-License-Identifier: Apache-2.0
#include "jit/session.h"

#include <fmt/format.h>
#include <llvm/Analysis/AliasAnalysis.h>
#include <llvm/ExecutionEngine/Orc/CompileUtils.h>
#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <llvm/IR/Verifier.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/TargetParser/Host.h>

#include <cstdlib>

#include "jit/build_kernel.h"
#include "jit/code_generation_effort.h"
#include "jit/frame_sizes.h"
#include "jit/optimize.h"
#include "jit/runtime/helpers.h"

namespace wideload::jit {
namespace {

/// x86-64's levels as Linux distributions define them; the host's own processor tunes the widest.
const char* processor_of(HostIsa isa) {
    switch (isa) {
        case HostIsa::avx512:
            return "x86-64-v4";
        case HostIsa::avx2:
            return "x86-64-v3";
        default:
            return "x86-64";
    }
}

Diagnostic llvm_failure(std::string_view what, llvm::Error error) {
    return failure(fmt::format("{}: {}", what, llvm::toString(std::move(error))));
}

bool host_runs(HostIsa isa) {
    switch (isa) {
        case HostIsa::avx512:
            return __builtin_cpu_supports("x86-64-v4") != 0;
        case HostIsa::avx2:
            return __builtin_cpu_supports("x86-64-v3") != 0;
        default:
            return true;
    }
}

llvm::StringMap<bool> host_features() {
#if LLVM_VERSION_MAJOR >= 19
    return llvm::sys::getHostCPUFeatures();
#else
    llvm::StringMap<bool> features;
    llvm::sys::getHostCPUFeatures(features);
    return features;
#endif
}

}  // namespace

std::string_view name(HostIsa isa) {
    switch (isa) {
        case HostIsa::avx512:
            return "avx512";
        case HostIsa::avx2:
            return "avx2";
        default:
            return "baseline";
    }
}

Result<HostIsa> choose_isa(std::string_view wanted) {
    for (const HostIsa isa : {HostIsa::avx512, HostIsa::avx2, HostIsa::baseline}) {
        if (!wanted.empty() && wanted != name(isa)) continue;
        if (host_runs(isa)) return isa;
        if (!wanted.empty()) {
            return failure(fmt::format("this machine does not run '{}' code", wanted),
                           "leave the instruction set to be chosen, or name 'baseline'");
        }
    }
    return failure(fmt::format("'{}' is not an instruction set", wanted),
                   "use avx512, avx2 or baseline");
}

struct Session::State {
    HostIsa isa;
    std::unique_ptr<llvm::orc::LLJIT> jit;
    std::unique_ptr<llvm::TargetMachine> machine;
    unsigned compiled = 0;
};

Session::Session(std::unique_ptr<State> state) : state_(std::move(state)) {}
Session::~Session() = default;

HostIsa Session::isa() const { return state_->isa; }

Result<std::unique_ptr<Session>> Session::create(HostIsa isa) {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();

    auto state = std::make_unique<State>();
    state->isa = isa;
    llvm::orc::JITTargetMachineBuilder builder{llvm::Triple{llvm::sys::getProcessTriple()}};
    builder.setCPU(isa == HostIsa::avx512 ? llvm::sys::getHostCPUName().str()
                                          : std::string(processor_of(isa)));
    if (isa == HostIsa::avx512) {
        // The host's own name may stand for fewer features than it has, under a hypervisor for
        // more.
        for (const auto& feature : host_features()) {
            builder.getFeatures().AddFeature(feature.getKey(), feature.getValue());
        }
        // With it LLVM 19 truncates a half that was widened to f32 to the wrong unsigned integer
        // (cvt.rzi.u16.f16 of 1 is 0). Halves go by way of f32 on all hosts then.
        builder.getFeatures().AddFeature("avx512fp16", false);
    }
    builder.setCodeModel(llvm::CodeModel::Small);
    builder.setRelocationModel(llvm::Reloc::PIC_);
    builder.getOptions().EmitStackSizeSection = true;

    auto machine = builder.createTargetMachine();
    if (!machine) return llvm_failure("no code generator", machine.takeError());
    state->machine = std::move(*machine);
    // Of the code generator's two quick ways, the one that takes vectors without falling back.
    state->machine->setO0WantsFastISel(false);

    auto jit = llvm::orc::LLJITBuilder()
                   .setJITTargetMachineBuilder(builder)
                   .setNumCompileThreads(0)
                   .create();
    if (!jit) return llvm_failure("no just-in-time compiler", jit.takeError());
    state->jit = std::move(*jit);

    llvm::orc::SymbolMap symbols;
    for (const Helper& helper : all_helpers()) {
        symbols[state->jit->mangleAndIntern(helper.name)] = {
            llvm::orc::ExecutorAddr::fromPtr(helper.address),
            llvm::JITSymbolFlags::Exported | llvm::JITSymbolFlags::Callable};
    }
    if (auto error =
            state->jit->getMainJITDylib().define(llvm::orc::absoluteSymbols(std::move(symbols)))) {
        return llvm_failure("host functions", std::move(error));
    }
    return std::unique_ptr<Session>(new Session(std::move(state)));
}

Result<CompiledKernel> Session::compile(const ptx::Function& kernel, const CompileContext& context,
                                        Effort effort) {
    const bool dumps = std::getenv("WIDELOAD_DUMP_IR") != nullptr;
    auto llvm_context = std::make_unique<llvm::LLVMContext>();
    llvm_context->setDiscardValueNames(!dumps);
    const std::string entry = fmt::format("kernel{}", state_->compiled++);
    auto module = std::make_unique<llvm::Module>(entry, *llvm_context);
    module->setDataLayout(state_->jit->getDataLayout());
    module->setTargetTriple(state_->machine->getTargetTriple().str());

    CompiledKernel compiled;
    if (Diagnostics errors = build_kernel(*module, entry, kernel, context, compiled);
        !errors.empty()) {
        return errors;
    }
    if (dumps) module->print(llvm::errs(), nullptr);
    std::string complaint;
    llvm::raw_string_ostream stream(complaint);
    if (llvm::verifyModule(*module, &stream)) {
        return failure(
            fmt::format("internal: kernel '{}' became invalid LLVM IR: {}", kernel.name, complaint),
            "please report this with the program's PTX");
    }
    if (compiled.recursive) effort = Effort::thorough;
    optimize(*module, *state_->machine, effort);
    if (std::getenv("WIDELOAD_DUMP_OPTIMIZED") != nullptr) module->print(llvm::errs(), nullptr);

    choose_code_generation_effort(*module->getFunction(entry));
    state_->machine->setOptLevel(effort == Effort::quick ? llvm::CodeGenOptLevel::None
                                                         : llvm::CodeGenOptLevel::Less);
    auto object = llvm::orc::SimpleCompiler(*state_->machine)(*module);
    if (!object) {
        return llvm_failure(fmt::format("kernel '{}'", kernel.name), object.takeError());
    }
    compiled.effort = effort;
    compiled.host_stack_bytes = sum_of_frames(**object);
    if (auto error = state_->jit->addObjectFile(std::move(*object))) {
        return llvm_failure(fmt::format("kernel '{}'", kernel.name), std::move(error));
    }
    auto address = state_->jit->lookup(entry);
    if (!address) {
        return llvm_failure(fmt::format("kernel '{}'", kernel.name), address.takeError());
    }
    compiled.entry = address->toPtr<KernelEntry>();
    return compiled;
}

}  // namespace wideload::jit

// SPDX-License-Identifier: Apache-2.0
#include "jit/build_kernel.h"

#include <algorithm>
#include <functional>
#include <set>

#include "ptx/linker.h"
#include "simt/waiting.h"

namespace wideload::jit {
namespace {

using ptx::Instruction;
using ptx::Opcode;
using ptx::Operand;

std::vector<const ptx::Function*> callees(const ptx::Function& function,
                                          const CompileContext& context) {
    std::vector<const ptx::Function*> called;
    for (const Instruction& instruction : function.body) {
        if (instruction.opcode != Opcode::call) continue;
        const Operand& callee = instruction.operands[1];
        if (callee.kind == Operand::Kind::symbol) {
            const ptx::Function* target = context.symbols.function(callee.symbol);
            if (target != nullptr && !target->is_declaration) called.push_back(target);
        } else {
            const auto pointed = context.symbols.pointed_functions();
            called.insert(called.end(), pointed.begin(), pointed.end());
        }
    }
    return called;
}

/// Local memory of a function and of its deepest chain of calls.
class FrameDepth {
public:
    explicit FrameDepth(const CompileContext& context) : context_(context) {}

    std::uint64_t of(const ptx::Function& function) {
        if (!open_.insert(&function).second) {
            recursive_ = true;
            return 0;
        }
        std::uint64_t deepest = 0;
        for (const ptx::Function* callee : callees(function, context_)) {
            deepest = std::max(deepest, of(*callee));
        }
        open_.erase(&function);
        return frame_bytes(function) + deepest;
    }
    [[nodiscard]] bool recursive() const { return recursive_; }

private:
    const CompileContext& context_;
    std::set<const ptx::Function*> open_;
    bool recursive_ = false;
};

llvm::Function* declare_called(llvm::Module& output, const ptx::Function& function) {
    llvm::LLVMContext& llvm_context = output.getContext();
    llvm::Type* i32 = llvm::Type::getInt32Ty(llvm_context);
    llvm::Type* pointer = llvm::PointerType::get(llvm_context, 0);
    auto* type = llvm::FunctionType::get(
        i32, {pointer, i32, i32, pointer, pointer, llvm::Type::getInt64Ty(llvm_context), i32, i32},
        false);
    return llvm::cast<llvm::Function>(
        output.getOrInsertFunction(function_symbol(function), type).getCallee());
}

}  // namespace

std::string function_symbol(const ptx::Function& function) { return "ptx." + function.name; }

std::uint64_t frame_bytes(const ptx::Function& function) {
    // A frame is never empty, so that the depth of calls is bounded by local memory.
    std::uint64_t bytes = function.is_entry ? 0 : 32;
    for (const ptx::Variable& variable : function.variables) {
        if (variable.space != ptx::Space::local) continue;
        const std::uint64_t alignment = std::max<std::uint64_t>(variable.alignment, 16);
        bytes = (bytes + alignment - 1) / alignment * alignment + variable.size;
    }
    return (bytes + 15) / 16 * 16;
}

std::vector<const ptx::Function*> reachable_functions(const ptx::Function& kernel,
                                                      const CompileContext& context) {
    std::vector<const ptx::Function*> reached{&kernel};
    for (std::size_t i = 0; i < reached.size(); ++i) {
        for (const ptx::Function* callee : callees(*reached[i], context)) {
            if (std::find(reached.begin(), reached.end(), callee) == reached.end()) {
                reached.push_back(callee);
            }
        }
    }
    return reached;
}

Diagnostics build_kernel(llvm::Module& output, const std::string& entry,
                         const ptx::Function& kernel, const CompileContext& context,
                         CompiledKernel& compiled) {
    llvm::LLVMContext& llvm_context = output.getContext();
    llvm::Type* i32 = llvm::Type::getInt32Ty(llvm_context);
    auto* entry_type =
        llvm::FunctionType::get(llvm::Type::getVoidTy(llvm_context),
                                {llvm::PointerType::get(llvm_context, 0), i32, i32}, false);
    Diagnostics errors;
    const std::vector<const ptx::Function*> functions = reachable_functions(kernel, context);
    const bool calls_may_wait =
        std::any_of(functions.begin() + 1, functions.end(),
                    [](const ptx::Function* function) { return simt::may_wait(*function); });
    const bool calls_may_meet =
        std::any_of(functions.begin() + 1, functions.end(), [](const ptx::Function* function) {
            return std::ranges::any_of(function->body, simt::is_warp_meeting);
        });
    // Calls through pointers choose among all of them.
    for (const ptx::Function* function : functions) {
        if (function != &kernel) declare_called(output, *function);
    }
    for (const ptx::Function* function : functions) {
        llvm::Function* target = nullptr;
        if (function == &kernel) {
            target =
                llvm::Function::Create(entry_type, llvm::Function::ExternalLinkage, entry, output);
            target->addParamAttr(0, llvm::Attribute::NoAlias);
        } else {
            target = declare_called(output, *function);
            target->setLinkage(llvm::Function::InternalLinkage);
        }
        target->addFnAttr(llvm::Attribute::NoUnwind);
        target->addFnAttr("prefer-vector-width", "512");
        simt::Analysis analysis =
            simt::analyse(*function, context.layout, function != &kernel, calls_may_wait);
        compiled.needs_fibers |= analysis.has_barriers || !analysis.spinning.loops.empty();
        Emitter emitter(output, context, *function, analysis, compiled.tables, calls_may_meet);
        Diagnostics found = emitter.emit(target);
        errors.insert(errors.end(), found.begin(), found.end());
    }
    FrameDepth depth(context);
    compiled.local_bytes = depth.of(kernel);
    compiled.recursive = depth.recursive();
    return errors;
}

}  // namespace wideload::jit

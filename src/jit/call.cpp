// SPDX-License-Identifier: Apache-2.0
// Calls. Arguments and results lie in buffers in which each lane has its own part; a called
// function gets the lanes that came and says which came back.
#include <fmt/format.h>

#include "jit/build_kernel.h"
#include "jit/emitter.h"
#include "jit/lower.h"
#include "ptx/linker.h"

namespace wideload::jit {
namespace {

using ptx::Instruction;
using ptx::Operand;

/// Pointers to the buffers that a call names, in order.
llvm::Value* buffer_list(Emitter& e, const Operand& list, std::string_view name) {
    auto& ir = e.ir();
    if (list.elements.empty()) return llvm::ConstantPointerNull::get(ir.getPtrTy());
    llvm::AllocaInst* pointers =
        e.scratch(llvm::ArrayType::get(ir.getPtrTy(), list.elements.size()), name);
    for (std::size_t i = 0; i < list.elements.size(); ++i) {
        llvm::Value* buffer = e.call_buffer(list.elements[i].symbol);
        if (buffer == nullptr) {
            e.refuse("a call takes its arguments in .param variables here");
            return pointers;
        }
        ir.CreateStore(buffer, ir.CreateConstInBoundsGEP1_64(ir.getPtrTy(), pointers, i));
    }
    return pointers;
}

llvm::Value* call_function(Emitter& e, const ptx::Function& callee, llvm::Value* lanes,
                           llvm::Value* arguments, llvm::Value* results,
                           const Emitter::CallersLanes& others) {
    auto& ir = e.ir();
    llvm::Value* frame = ir.CreateAdd(e.frame_base(), ir.getInt64(frame_bytes(e.function())));
    return e.call(function_symbol(callee),
                  {e.context_pointer(), e.warp(), lanes, arguments, results, frame,
                   others.elsewhere, others.go_on},
                  ir.getInt32Ty());
}

/// Calls through a pointer: the lanes that name one function go together.
llvm::Value* call_through_pointer(Emitter& e, const Operand& pointer, llvm::Value* arguments,
                                  llvm::Value* results) {
    auto& ir = e.ir();
    llvm::Value* targets = e.splat(e.source(pointer, ptx::Type::b64));
    llvm::Function* function = ir.GetInsertBlock()->getParent();
    const auto block = [&](const char* name) {
        return llvm::BasicBlock::Create(ir.getContext(), name, function);
    };
    llvm::BasicBlock *before = ir.GetInsertBlock(), *loop = block("pointer"), *next = block("next"),
                     *bad = block("bad_pointer"), *done = block("called");
    llvm::Value* all = e.mask_bits();
    ir.CreateCondBr(ir.CreateICmpNE(all, ir.getInt32(0)), loop, done);

    ir.SetInsertPoint(loop);
    llvm::PHINode* waiting = ir.CreatePHI(ir.getInt32Ty(), 2);
    llvm::PHINode* returned = ir.CreatePHI(ir.getInt32Ty(), 2);
    waiting->addIncoming(all, before);
    returned->addIncoming(ir.getInt32(0), before);
    llvm::Value* lane = ir.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, waiting, ir.getFalse());
    llvm::Value* target = ir.CreateExtractElement(targets, ir.CreateAnd(lane, kLanes - 1));
    llvm::Value* same = ir.CreateAnd(e.bits_of(ir.CreateICmpEQ(targets, e.splat(target))), waiting);
    // Those of other functions have not been there yet, or have been, and may go on.
    const Emitter::CallersLanes around = e.lanes_around_call();
    llvm::Value* not_yet = ir.CreateAnd(waiting, ir.CreateNot(same));
    const Emitter::CallersLanes others{
        ir.CreateOr({around.elsewhere, not_yet, ir.CreateAnd(returned, around.go_on)}),
        around.go_on};
    std::vector<const ptx::Function*> candidates;
    for (const ptx::Function& candidate : e.context().module.functions) {
        if (!candidate.is_entry && !candidate.is_declaration &&
            function->getParent()->getFunction(function_symbol(candidate)) != nullptr) {
            candidates.push_back(&candidate);
        }
    }
    llvm::SwitchInst* choose =
        ir.CreateSwitch(target, bad, static_cast<unsigned>(candidates.size()));
    ir.SetInsertPoint(next);
    llvm::PHINode* back = ir.CreatePHI(ir.getInt32Ty(), 2);
    for (const ptx::Function* candidate : candidates) {
        llvm::BasicBlock* chosen = block("callee");
        choose->addCase(ir.getInt64(e.context().symbols.function_address(candidate->name)), chosen);
        ir.SetInsertPoint(chosen);
        back->addIncoming(call_function(e, *candidate, same, arguments, results, others),
                          ir.GetInsertBlock());
        ir.CreateBr(next);
    }
    ir.SetInsertPoint(bad);
    e.call("wl_bad_function_pointer",
           {e.context_pointer(), e.warp(), same, target, ir.getInt32(e.instruction().ptx_line)});
    back->addIncoming(ir.getInt32(0), bad);
    ir.CreateBr(next);

    ir.SetInsertPoint(next);
    llvm::Value* rest = not_yet;
    llvm::Value* so_far = ir.CreateOr(returned, back);
    waiting->addIncoming(rest, next);
    returned->addIncoming(so_far, next);
    ir.CreateCondBr(ir.CreateICmpNE(rest, ir.getInt32(0)), loop, done);

    ir.SetInsertPoint(done);
    llvm::PHINode* result = ir.CreatePHI(ir.getInt32Ty(), 2);
    result->addIncoming(ir.getInt32(0), before);
    result->addIncoming(so_far, next);
    return result;
}

/// Functions that the device runtime provides: helper, how many buffers it takes (arguments, then
/// result).
struct RuntimeFunction {
    std::string_view name, helper;
    std::size_t arguments;
    bool returns;
};
constexpr std::array kRuntimeFunctions = {
    RuntimeFunction{"vprintf", "wl_vprintf", 2, true},
    RuntimeFunction{"malloc", "wl_malloc", 1, true},
    RuntimeFunction{"free", "wl_free", 1, false},
    RuntimeFunction{"__assertfail", "wl_assertfail", 5, false},
};

bool call_runtime(Emitter& e, const Instruction& instruction, const std::string& name) {
    for (const RuntimeFunction& runtime : kRuntimeFunctions) {
        if (runtime.name != name) continue;
        const Operand &results = instruction.operands[0], &arguments = instruction.operands[2];
        if (arguments.elements.size() != runtime.arguments) {
            e.refuse(fmt::format("'{}' takes {} arguments", name, runtime.arguments));
            return true;
        }
        std::vector<llvm::Value*> values{e.context_pointer(), e.warp(), e.mask_bits(),
                                         e.ir().getInt32(instruction.ptx_line),
                                         buffer_list(e, arguments, "arguments")};
        if (runtime.returns) {
            values.push_back(results.elements.empty()
                                 ? llvm::ConstantPointerNull::get(e.ir().getPtrTy())
                                 : e.call_buffer(results.elements[0].symbol));
        }
        e.call(runtime.helper, values);
        return true;
    }
    return false;
}

bool is_runtime_function(std::string_view name) {
    return std::ranges::find(kRuntimeFunctions, name, &RuntimeFunction::name) !=
           std::end(kRuntimeFunctions);
}

/// Names of the library that kernels call to launch kernels begin with this since CUDA 12.
constexpr std::string_view kDeviceRuntimePrefix = "__cudaCDP2";

}  // namespace

std::optional<std::string> why_uncallable(const Instruction& call, const SymbolResolver& symbols) {
    const Operand& callee = call.operands[1];
    if (callee.kind != Operand::Kind::symbol || is_runtime_function(callee.symbol)) {
        return std::nullopt;
    }
    const ptx::Function* function = symbols.function(callee.symbol);
    if (function != nullptr && !function->is_declaration) return std::nullopt;
    if (callee.symbol.starts_with(kDeviceRuntimePrefix)) {
        return fmt::format(
            "the virtual GPU does not launch kernels from kernels (dynamic parallelism), which "
            "'{}' is part of",
            callee.symbol);
    }
    return fmt::format("function '{}' is not defined in this program", callee.symbol);
}

void lower_call(Emitter& e, const Instruction& instruction) {
    const Operand& callee = instruction.operands[1];
    const bool direct = callee.kind == Operand::Kind::symbol;
    if (direct && call_runtime(e, instruction, callee.symbol)) return;

    if (const auto reason = why_uncallable(instruction, e.context().symbols)) {
        e.refuse(*reason);
        return;
    }
    const ptx::Function* function = direct ? e.context().symbols.function(callee.symbol) : nullptr;
    llvm::Value* arguments = buffer_list(e, instruction.operands[2], "arguments");
    llvm::Value* results = buffer_list(e, instruction.operands[0], "results");
    llvm::Value* returned = direct ? call_function(e, *function, e.mask_bits(), arguments, results,
                                                   e.lanes_around_call())
                                   : call_through_pointer(e, callee, arguments, results);
    auto& ir = e.ir();
    // Lanes that did not take part (a guard) go on as well.
    llvm::Value* others = ir.CreateNot(e.mask());
    e.keep_lanes(ir.CreateOr(e.mask_of(returned), others));
}

}  // namespace wideload::jit

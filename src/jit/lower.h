// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <llvm/IR/Value.h>

#include <optional>
#include <string>

#include "ptx/instruction.h"

namespace wideload::jit {

class Emitter;
class SymbolResolver;

using Lowering = void (*)(Emitter&, const ptx::Instruction&);

/// Emits one instruction that is neither control flow nor a result in pattern shape. What is not
/// covered is refused.
void lower(Emitter& emitter, const ptx::Instruction& instruction);

/// Whether the engine covers an instruction; asked of every instruction when a module is loaded.
/// Where it does not, the reason, as one sentence: "wmma needs tensor cores, which the virtual GPU
/// does not have".
[[nodiscard]] std::optional<std::string> why_unsupported(const ptx::Instruction& instruction);

/// The same of what a direct call names: a function that is defined nowhere, or one of a library
/// that the engine does not stand in for.
[[nodiscard]] std::optional<std::string> why_uncallable(const ptx::Instruction& call,
                                                        const SymbolResolver& symbols);

/// A special register's value: i32 or i64, a scalar or 32 lanes.
llvm::Value* lower_special_register(Emitter& emitter, ptx::SpecialRegister reg);
/// %envreg<number>: where cooperative groups look for the grid's workspace, its address' upper half
/// in 1 and its lower in
/// 2. The others read as 0.
llvm::Value* lower_environment_register(Emitter& emitter, std::uint64_t number);

/// Ends the launch with a trap for the lanes.
void lower_trap(Emitter& emitter, llvm::Value* lanes);

// Families of instructions, a file each; lower.cpp says which opcode belongs where. Each reads
// operands through Emitter::sources(), computes on scalars or on 32 lanes alike, and writes through
// Emitter::define().

// integer.cpp: add sub mul mad mul24 mad24 sad div rem abs neg min max addc subc madc dp4a dp2a of
// integer types
void lower_integer(Emitter&, const ptx::Instruction&);
// bits.cpp: and or xor not cnot lop3 shl shr shf prmt bfe bfi bfind clz popc brev fns bmsk szext
void lower_bits(Emitter&, const ptx::Instruction&);
// compare.cpp: set setp selp slct testp
void lower_compare(Emitter&, const ptx::Instruction&);
// move.cpp: mov (pairs and vectors packed and unpacked), cvta, isspacep
void lower_move(Emitter&, const ptx::Instruction&);
// video.cpp: vadd vsub vabsdiff vmin vmax vshl vshr vmad vset, and their 2- and 4-wide forms
void lower_video(Emitter&, const ptx::Instruction&);
// warp.cpp: shfl vote match redux activemask elect
void lower_warp(Emitter&, const ptx::Instruction&);
// floating.cpp: add sub mul fma mad div abs neg min max copysign sqrt rcp of f32 and f64
void lower_floating(Emitter&, const ptx::Instruction&);
// approximation.cpp: rcp rsqrt sqrt sin cos lg2 ex2 tanh and div with .approx or .full
void lower_approximation(Emitter&, const ptx::Instruction&);
// half.cpp: arithmetic of f16, f16x2, bf16, bf16x2
void lower_half(Emitter&, const ptx::Instruction&);
// conversion.cpp: cvt
void lower_conversion(Emitter&, const ptx::Instruction&);
[[nodiscard]] std::optional<std::string> why_conversion_unsupported(const ptx::Instruction&);
// cluster.cpp: mapa getctarank
void lower_cluster_address(Emitter&, const ptx::Instruction&);
// cache_policy.cpp: createpolicy
void lower_cache_policy(Emitter&, const ptx::Instruction&);
// load_store.cpp, atomic.cpp, async_copy.cpp, bulk_copy.cpp
void lower_load(Emitter&, const ptx::Instruction&);
void lower_store(Emitter&, const ptx::Instruction&);
void lower_atomic(Emitter&, const ptx::Instruction&);
void lower_async_copy(Emitter&, const ptx::Instruction&);
void lower_bulk_copy(Emitter&, const ptx::Instruction&);
/// Why a bulk copy is one that the engine does not cover, or nothing.
[[nodiscard]] std::optional<std::string> why_bulk_copy_unsupported(const ptx::Instruction&);
/// Whether it only orders bulk copies or warms a cache: nothing that a program can see.
[[nodiscard]] bool is_bulk_group_operation(const ptx::Instruction&);
// mbarrier.cpp: mbarrier, and cp.async.mbarrier.arrive
void lower_mbarrier(Emitter&, const ptx::Instruction&);
void lower_copy_arrival(Emitter&, const ptx::Instruction&);
// synchronization.cpp: bar barrier membar fence nanosleep, and hints that change nothing a program
// can see
void lower_synchronization(Emitter&, const ptx::Instruction&);
void lower_nothing(Emitter&, const ptx::Instruction&);
// call.cpp
void lower_call(Emitter&, const ptx::Instruction&);

}  // namespace wideload::jit

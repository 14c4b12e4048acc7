// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "jit/emitter.h"

namespace wideload::jit {

/// The operation of a video instruction on one element, whatever its width: wide enough that
/// nothing is lost.
enum class VideoOperation : std::uint8_t {
    add,
    subtract,
    absolute_difference,
    minimum,
    maximum,
    average,
    compare
};

/// Of vadd, vadd2, vadd4, ...; nothing for vshl, vshr and vmad, which have no packed forms.
[[nodiscard]] std::optional<VideoOperation> video_operation(ptx::Opcode opcode);

llvm::Value* video_result(Emitter& emitter, const ptx::Instruction& instruction,
                          VideoOperation operation, llvm::Value* a, llvm::Value* b);

/// Clamped to what so many bits hold, two's complement where it is signed.
llvm::Value* saturated(Emitter& emitter, llvm::Value* value, unsigned bits, bool is_signed);

/// Whether a word stands among the modifiers that no field of Instruction holds.
[[nodiscard]] bool has_word(const ptx::Instruction& instruction, std::string_view word);

/// video_packed.cpp: two halves or four bytes side by side.
void lower_packed_video(Emitter& emitter, const ptx::Instruction& instruction);

}  // namespace wideload::jit

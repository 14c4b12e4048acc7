// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "ptx/instruction.h"
#include "ptx/parse_context.h"

namespace wideload::ptx {

/// One operand at the current token. Names are looked up; an unknown one, or a form that no operand
/// has, is reported.
[[nodiscard]] std::optional<Operand> parse_operand(FunctionContext& context);

/// The label at the current token, as a reference that FunctionScope::resolve_labels() resolves.
[[nodiscard]] std::optional<Operand> parse_label_operand(FunctionContext& context);

/// A name at the current token that means a register, variable or function, without anything after
/// it.
[[nodiscard]] std::optional<Operand> parse_named_operand(FunctionContext& context);

}  // namespace wideload::ptx

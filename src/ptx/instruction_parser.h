// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ptx/parse_context.h"

namespace wideload::ptx {

/// One instruction with its guard and its `;`, appended to the function's body. False after an
/// error was reported.
bool parse_instruction(FunctionContext& context);

}  // namespace wideload::ptx

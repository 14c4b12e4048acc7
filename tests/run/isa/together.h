// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "form.h"

namespace wideload::isa {

/// Forms of the same operands as fewer of up to eight results each, where one kernel a form would
/// take long: neighbours are executed one after the other. Without the forms' literals.
[[nodiscard]] std::vector<Form> together(const std::vector<Form>& forms);

/// The results of one lane, from all its operands.
using LaneFunction = std::function<std::vector<Bits>(const std::vector<Bits>&)>;
[[nodiscard]] WarpReference by_results(LaneFunction function);

}  // namespace wideload::isa

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace wideload::cli {

/// Says on a terminal's stderr what a long run is doing now; what is printed next covers it.
/// @param wanted  false, or no terminal: nothing is drawn
void show_step(std::string_view step, bool wanted);

}  // namespace wideload::cli

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace wideload::jit {

/// How much work compiling a kernel may be. Quick code means the same, is there in a third of the
/// time, and takes up to three times as long to run.
enum class Effort : std::uint8_t { quick, thorough };

}  // namespace wideload::jit

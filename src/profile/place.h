// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "profile/profile.h"

namespace wideload::profile {

/// The line to blame: of the lines that an instruction was inlined from, innermost first, the first
/// that is not in a header of the CUDA toolkit. Those hold intrinsics and cooperative groups: what
/// matters is who called them. The innermost where all are; null where there is none.
[[nodiscard]] const Frame* own_frame(std::span<const Frame> frames);

}  // namespace wideload::profile

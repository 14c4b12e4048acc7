// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu/kernel.h"

namespace wideload::gpu {

/// A function with a spinning loop that the kernel calls by its name, as simt/inline_waiting.h
/// leaves those that call themselves or are too large; null where there is none. In it, lanes of
/// one warp cannot wait for those of them that would have returned.
[[nodiscard]] const ptx::Function* find_waiting_callee(const Kernel& kernel);

}  // namespace wideload::gpu

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gpu/kernel.h"

namespace wideload::gpu {

/// The first instruction, of a kernel and of all that it may call, that the engine does not run.
/// @param functions what the kernel reaches, itself first
/// @param kernel the kernel's name, as the message spells it
[[nodiscard]] std::optional<Diagnostic> find_unsupported(
    const std::vector<const ptx::Function*>& functions, const Module::State& module,
    const std::string& kernel);

}  // namespace wideload::gpu

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu/launch.h"
#include "preload/engine/abi.h"

namespace wideload::preload {

/// What cudaGetErrorName and cudaGetErrorString say.
[[nodiscard]] const char* error_name(int error);
[[nodiscard]] const char* error_text(int error);

/// Makes `error` what the calling thread's cudaGetLastError returns, unless it is cudaSuccess or
/// only says "not yet".
Error remember(Error error);

/// The CUDA error that a GPU gives for a fault.
[[nodiscard]] Error error_of(gpu::Fault fault);
/// True for faults that leave the GPU's context unusable: every later call fails with the same
/// error.
[[nodiscard]] bool is_sticky(gpu::Fault fault);
/// "illegal_address", ... as profiles spell it.
[[nodiscard]] const char* name_of(gpu::Fault fault);

}  // namespace wideload::preload

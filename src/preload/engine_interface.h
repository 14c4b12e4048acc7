// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What the preload library asks of libwideload-engine.so when the program makes its first CUDA
/// call.
namespace wideload::preload {

/// The engine's function `kEngineAttach`: writes the implementation of each of the `count` runtime
/// functions into `slots`, in the order of `names` (runtime_api.def; "@12" after a name asks for
/// its form in CUDA 12). Every slot is filled.
using EngineAttach = void (*)(const char* const* names, void** slots, unsigned count);
inline constexpr const char* kEngineAttach = "wideload_engine_attach";

/// The engine's function `kEngineFinish`: writes the profile, if that was not done yet; for ends of
/// a process that run no exit handlers.
using EngineFinish = void (*)();
inline constexpr const char* kEngineFinish = "wideload_engine_finish";

}  // namespace wideload::preload

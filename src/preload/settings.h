// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace wideload::preload {

/// Copies what the preload library itself needs of the environment. The C library may not be
/// initialised yet and the program may change its environment later, so this is done once, from the
/// vector that the loader passes.
void read_settings(char** environment);

/// Path that `wideload run` gave for the engine, or "".
[[nodiscard]] const char* engine_path_setting();
/// Path of the file for messages, or "".
[[nodiscard]] const char* message_path_setting();
[[nodiscard]] const char* status_path_setting();

}  // namespace wideload::preload

// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace wideload::preload {

/// What profiles name as their producer; the version comes from the build.
inline constexpr const char* kProducer = "wideload " WIDELOAD_VERSION;

}  // namespace wideload::preload

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "profile/profile.h"

namespace wideload::cli {

/// Adds to a profile what machine code says of the kernels that were launched: of the cubins for
/// the profile's GPUs in the files of its processes. Kernels of libraries are left out, as are very
/// large cubins, those beyond the first eight, and what nvdisasm cannot read: what is not known is
/// absent.
/// @returns why there is none of it although there is machine code: no nvdisasm; else empty
[[nodiscard]] std::string add_machine_code(profile::Profile& profile);

}  // namespace wideload::cli

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "preload/engine/context.h"

namespace wideload::preload {

/// The kernel's parameter buffer, filled from one pointer per argument.
Error pack_arguments(Context& context, KernelRegistration* registration, void* const* arguments,
                     std::vector<std::byte>& buffer);

}  // namespace wideload::preload

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "preload/engine/context.h"
#include "preload/engine/work.h"

namespace wideload::preload {

/// The kernel's parameter buffer, filled from one pointer per argument.
Error pack_arguments(Context& context, KernelRegistration* registration, void* const* arguments,
                     std::vector<std::byte>& buffer);

/// One pointer per argument, into the work's parameter buffer.
Error find_arguments(Context& context, KernelWork& work, std::vector<void*>& arguments);

}  // namespace wideload::preload

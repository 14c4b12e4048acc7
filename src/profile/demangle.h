// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace wideload::profile {

/// "_Z4copyPKfPfi" as "copy(float const*, float*, int)"; a name that is not mangled comes back as
/// it is.
[[nodiscard]] std::string demangle(std::string_view mangled);

/// The same for a sentence: of a name longer than 160 bytes, as templates of templates have, the
/// beginning and "…".
[[nodiscard]] std::string demangle_briefly(std::string_view mangled);

}  // namespace wideload::profile

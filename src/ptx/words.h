// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string_view>

namespace wideload::ptx {

/// Takes what stands before the next `separator` off the front of `text`, and the separator.
inline std::string_view take_until(std::string_view& text, char separator) {
    const std::size_t end = std::min(text.find(separator), text.size());
    const std::string_view part = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    return part;
}

/// Whether a modifier says no more than how caches are to treat an access.
inline bool is_cache_hint(std::string_view word) {
    return word.starts_with("L1::") || word.starts_with("L2::");
}

}  // namespace wideload::ptx

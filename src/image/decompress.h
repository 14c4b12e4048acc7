// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "image/fatbinary.h"
#include "support/result.h"

namespace wideload::image {

/// Far above any real module; a corrupt size must not exhaust memory.
inline constexpr std::uint64_t kMaxExpandedBytes = std::uint64_t{1} << 30;

/// The payload as it was before compression, padding included.
/// @param most an entry that says it expands to more bytes is an error
[[nodiscard]] Result<std::vector<std::byte>> decompress(const Entry& entry,
                                                        std::uint64_t most = kMaxExpandedBytes);

/// The text of a PTX entry without the NULs that pad it.
[[nodiscard]] Result<std::string> ptx_text(const Entry& entry,
                                           std::uint64_t most = kMaxExpandedBytes);

}  // namespace wideload::image

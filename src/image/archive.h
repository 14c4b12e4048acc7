// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "support/bytes.h"
#include "support/result.h"

namespace wideload::image {

[[nodiscard]] bool is_archive(std::span<const std::byte> bytes);

/// The files in a static library (`ar`, GNU or BSD flavour), its own symbol and name tables left
/// out. Each range's `input` is "libx.a(member.o)" where the member's name stands in its header,
/// else "libx.a".
[[nodiscard]] Result<std::vector<ByteRange>> read_archive(const ByteRange& file);

}  // namespace wideload::image

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace wideload::image {

/// The two directives that every PTX module starts with.
struct PtxHeader {
    std::uint16_t version_major = 0;
    std::uint16_t version_minor = 0;
    std::uint32_t arch = 0;  ///< 90 of `.target sm_90a`
    char suffix = '\0';      ///< 'a', 'f' or NUL
};

/// @returns nothing where the text does not start with `.version` and `.target`, comments aside
[[nodiscard]] std::optional<PtxHeader> read_ptx_header(std::string_view text);

}  // namespace wideload::image

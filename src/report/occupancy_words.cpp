// SPDX-License-Identifier: Apache-2.0
#include "report/occupancy_words.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

namespace wideload::report {

std::string_view limiter_words(arch::Limiter limiter) {
    constexpr std::array<std::string_view, arch::kLimiters.size()> kWords = {
        "warps", "registers", "shared memory", "blocks", "barriers"};
    return kWords[static_cast<std::size_t>(limiter)];
}

std::string limiters_words(const arch::Occupancy& occupancy) {
    if (occupancy.blocks == 0) return "does not fit";
    std::string text;
    for (const arch::Limiter limiter : arch::kLimiters) {
        if (!occupancy.is_limited_by(limiter)) continue;
        text += (text.empty() ? "" : ", ") + std::string(limiter_words(limiter));
    }
    return text;
}

std::string occupancy_words(const arch::Device& device, const arch::Occupancy& occupancy) {
    const double percent = arch::occupancy_percent(device, occupancy);
    return percent == std::floor(percent) ? fmt::format("{:.0f} %", percent)
                                          : fmt::format("{:.1f} %", percent);
}

}  // namespace wideload::report

// SPDX-License-Identifier: Apache-2.0
#include "profile/names.h"

#include <array>
#include <cstddef>

namespace wideload::profile {
namespace {

// In the order of the enumerations.
constexpr std::array<std::string_view, 14> kSiteKinds = {
    "global_ld", "global_st",   "global_red",  "global_atom", "shared_ld",
    "shared_st", "shared_atom", "local_ld",    "local_st",    "bulk_ld",
    "bulk_st",   "bulk_red",    "constant_ld", "branch"};
constexpr std::array<std::string_view, 5> kPatterns = {"contiguous", "strided", "broadcast",
                                                       "misaligned", "irregular"};
constexpr std::array<std::string_view, 2> kMismatchKinds = {"absent_lanes", "unnamed_lanes"};

template <class Enum, std::size_t kCount>
std::optional<Enum> find(const std::array<std::string_view, kCount>& names, std::string_view name) {
    for (std::size_t i = 0; i < kCount; ++i) {
        if (names[i] == name) {
            return static_cast<Enum>(i);
        }
    }
    return std::nullopt;
}

}  // namespace

std::string_view name(SiteKind kind) { return kSiteKinds[static_cast<std::size_t>(kind)]; }
std::optional<SiteKind> site_kind(std::string_view name) {
    return find<SiteKind>(kSiteKinds, name);
}

std::string_view name(MismatchKind kind) { return kMismatchKinds[static_cast<std::size_t>(kind)]; }
std::optional<MismatchKind> mismatch_kind(std::string_view name) {
    return find<MismatchKind>(kMismatchKinds, name);
}

std::string_view name(Pattern pattern) { return kPatterns[static_cast<std::size_t>(pattern)]; }
std::optional<Pattern> pattern(std::string_view name) { return find<Pattern>(kPatterns, name); }

}  // namespace wideload::profile

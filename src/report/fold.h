// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "profile/profile.h"

/// A profile as a reader wants it: the launches of one kernel as one, the unrolled copies of one
/// source line as one.
namespace wideload::report {

/// A site's figures over all launches of its kernel and over its unrolled copies.
struct FoldedSite {
    profile::Site total;                ///< figures are sums; the rest is the first copy's
    std::set<std::uint32_t> ptx_lines;  ///< of the copies

    /// Sectors or wavefronts, whichever this kind of site is counted in.
    [[nodiscard]] std::uint64_t moved() const;
    /// The fewest that would have done.
    [[nodiscard]] std::uint64_t ideal() const;
    /// moved() - ideal(); of a branch its divergent executions.
    [[nodiscard]] std::uint64_t excess() const;
    /// What the reader is shown of where it stands: the innermost place that is no header of the
    /// CUDA toolkit, which no user can change; null without -lineinfo.
    [[nodiscard]] const profile::Frame* place() const;
};

/// Sites that stand at one place of the source.
struct FoldedLine {
    std::vector<FoldedSite> sites;  ///< most excess first
    [[nodiscard]] std::uint64_t excess() const;
};

/// What a site's cost is measured in, and so the part of a report that it stands in.
enum class SiteClass : std::uint8_t { memory, shared, constant, branch };
inline constexpr std::size_t kSiteClasses = 4;
[[nodiscard]] SiteClass class_of(profile::SiteKind kind);

struct FoldedKernel {
    std::string name;
    std::string mangled;
    std::uint64_t launches = 0;
    std::vector<const profile::Launch*> entries;    ///< of the profile, in its order
    profile::Counters counters;                     ///< sums over the launches
    const profile::MachineCode* machine = nullptr;  ///< of the profile; null where there is none
    std::vector<profile::Mismatch> mismatches;      ///< sums over the launches
    /// By class; most excess first, then in the order of the source.
    std::array<std::vector<FoldedLine>, kSiteClasses> lines;

    [[nodiscard]] const std::vector<FoldedLine>& of(SiteClass site_class) const {
        return lines[static_cast<std::size_t>(site_class)];
    }
    /// A counter's sum; 0 where it was not measured.
    [[nodiscard]] std::uint64_t counter(std::string_view name) const;
    /// Bytes of global and local memory that moved, and those of them that fewer sectors could have
    /// saved.
    [[nodiscard]] std::uint64_t moved_bytes() const;
    [[nodiscard]] std::uint64_t excess_bytes() const;
    /// Whether a tenth of its warps' lanes are idle, over all instructions, or it is not known.
    [[nodiscard]] bool idles_lanes() const;
};

/// @returns kernels with most excess bytes first, equal ones in the order of their first launches.
/// They point into `profile`.
[[nodiscard]] std::vector<FoldedKernel> fold(const profile::Profile& profile);

}  // namespace wideload::report

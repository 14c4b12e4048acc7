// SPDX-License-Identifier: Apache-2.0
#include "report/fold.h"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "arch/compute_capability.h"
#include "profile/counter_names.h"
#include "profile/mismatch.h"
#include "profile/place.h"
#include "profile/site_sum.h"

namespace wideload::report {
namespace {

/// The pattern of most requests, as far as copies of one access share it: rows of an odd length are
/// misaligned by many distances, a stride is one.
std::optional<std::pair<profile::Pattern, std::int32_t>> common_pattern(const profile::Site& site) {
    if (site.patterns.empty()) return std::nullopt;
    const profile::PatternShare& most = site.patterns.front();
    return std::pair(most.pattern, most.pattern == profile::Pattern::strided ? most.bytes : 0);
}

/// Unrolled copies of one access: at the same place of the source, or where that is unknown through
/// the same parameter, and with the same pattern. The line table names statements, not operands:
/// `a[i] + b[32 * i]` are two sites of one place that only their patterns tell apart.
bool are_copies(const profile::Site& left, const profile::Site& right) {
    return left.kind == right.kind && left.element_bytes == right.element_bytes &&
           left.vector_width == right.vector_width && left.frames == right.frames &&
           left.parameter == right.parameter &&
           (!left.frames->empty() || !left.parameter.empty()) &&
           common_pattern(left) == common_pattern(right);
}

std::vector<FoldedSite> fold_copies(std::vector<profile::Site> sites) {
    std::vector<FoldedSite> folded;
    for (profile::Site& site : sites) {
        const auto copy = std::ranges::find_if(
            folded, [&](const FoldedSite& candidate) { return are_copies(candidate.total, site); });
        if (copy == folded.end()) {
            folded.push_back({std::move(site), {}});
            folded.back().ptx_lines.insert(folded.back().total.ptx_line);
        } else {
            profile::add_figures(copy->total, site, 1);
            copy->ptx_lines.insert(site.ptx_line);
        }
    }
    return folded;
}

/// Sites of one shown place are one line; without -lineinfo each is its own.
std::vector<FoldedLine> fold_lines(std::vector<FoldedSite> sites) {
    std::vector<FoldedLine> lines;
    for (FoldedSite& site : sites) {
        const auto same_line = std::ranges::find_if(lines, [&](const FoldedLine& line) {
            const profile::Frame* left = line.sites.front().place();
            const profile::Frame* right = site.place();
            return left != nullptr && right != nullptr && left->where.file == right->where.file &&
                   left->where.line == right->where.line;
        });
        if (same_line == lines.end()) {
            lines.push_back({{std::move(site)}});
        } else {
            same_line->sites.push_back(std::move(site));
        }
    }
    for (FoldedLine& line : lines) {
        std::ranges::stable_sort(line.sites, std::ranges::greater{}, &FoldedSite::excess);
    }
    std::ranges::stable_sort(lines, std::ranges::greater{}, &FoldedLine::excess);
    return lines;
}

/// The same instruction in every launch of the kernel.
using SiteKey = std::tuple<std::uint32_t, std::string>;

FoldedKernel fold_kernel(std::vector<const profile::Launch*> entries) {
    FoldedKernel kernel;
    kernel.name = entries.front()->kernel;
    kernel.mangled = entries.front()->mangled;
    std::map<SiteKey, profile::Site> instructions;  // in PTX order
    for (const profile::Launch* launch : entries) {
        kernel.launches += launch->launches();
        for (const auto& [name, figure] : *launch->counters) {
            kernel.counters[name] += figure * launch->count;
        }
        profile::add_mismatches(kernel.mismatches, launch->mismatches, launch->count);
        for (const profile::Site& site : *launch->sites) {
            const SiteKey key{site.ptx_line, site.opcode};
            profile::Site& sum =
                instructions.try_emplace(key, profile::without_figures(site)).first->second;
            profile::add_figures(sum, site, launch->count);
        }
    }
    kernel.entries = std::move(entries);

    std::array<std::vector<profile::Site>, kSiteClasses> by_class;
    for (auto& [key, site] : instructions) {
        by_class[static_cast<std::size_t>(class_of(site.kind))].push_back(std::move(site));
    }
    for (std::size_t i = 0; i < kSiteClasses; ++i) {
        kernel.lines[i] = fold_lines(fold_copies(std::move(by_class[i])));
    }
    return kernel;
}

std::uint64_t sum_over_memory(const FoldedKernel& kernel, std::string_view figure) {
    std::uint64_t sum = 0;
    for (const std::string_view access :
         {"global_ld_", "global_st_", "global_red_", "global_atom_", "local_ld_", "local_st_",
          "bulk_ld_", "bulk_st_", "bulk_red_"}) {
        sum += kernel.counter(std::string(access) + std::string(figure));
    }
    return sum;
}

}  // namespace

SiteClass class_of(profile::SiteKind kind) {
    switch (kind) {
        using enum profile::SiteKind;
        case global_ld:
        case global_st:
        case global_red:
        case global_atom:
        case local_ld:
        case local_st:
        case bulk_ld:
        case bulk_st:
        case bulk_red:
            return SiteClass::memory;
        case shared_ld:
        case shared_st:
        case shared_atom:
            return SiteClass::shared;
        case constant_ld:
            return SiteClass::constant;
        case branch:
            return SiteClass::branch;
    }
    return SiteClass::memory;
}

std::uint64_t FoldedSite::moved() const {
    return class_of(total.kind) == SiteClass::shared ? total.wavefronts.value_or(0)
                                                     : total.sectors.value_or(0);
}

std::uint64_t FoldedSite::ideal() const {
    return class_of(total.kind) == SiteClass::shared ? total.ideal_wavefronts.value_or(moved())
                                                     : total.ideal_sectors.value_or(moved());
}

std::uint64_t FoldedSite::excess() const {
    if (total.kind == profile::SiteKind::branch) return total.divergent_executions.value_or(0);
    return moved() - std::min(moved(), ideal());
}

const profile::Frame* FoldedSite::place() const { return profile::own_frame(*total.frames); }

std::uint64_t FoldedLine::excess() const {
    std::uint64_t sum = 0;
    for (const FoldedSite& site : sites) sum += site.excess();
    return sum;
}

std::uint64_t FoldedKernel::counter(std::string_view counter_name) const {
    const auto found = counters.find(counter_name);
    return found == counters.end() ? 0 : found->second;
}

std::uint64_t FoldedKernel::moved_bytes() const {
    return sum_over_memory(*this, "sectors") * arch::kSectorBytes;
}

std::uint64_t FoldedKernel::excess_bytes() const {
    std::uint64_t excess = 0;
    for (const FoldedLine& line : of(SiteClass::memory)) excess += line.excess();
    return excess * arch::kSectorBytes;
}

bool FoldedKernel::idles_lanes() const {
    return counter(profile::kThreadInstructions) * 10 <=
           counter(profile::kInstructions) * arch::kWarpSize * 9;
}

std::vector<FoldedKernel> fold(const profile::Profile& profile) {
    std::map<std::string_view, std::vector<const profile::Launch*>> by_name;
    std::vector<std::string_view> order;
    for (const profile::Launch& launch : profile.launches) {
        const std::string_view name = launch.mangled.empty() ? launch.kernel : launch.mangled;
        std::vector<const profile::Launch*>& entries = by_name[name];
        if (entries.empty()) order.push_back(name);
        entries.push_back(&launch);
    }
    std::vector<FoldedKernel> kernels;
    for (const std::string_view name : order) {
        kernels.push_back(fold_kernel(by_name[name]));
        const auto machine =
            std::ranges::find(profile.machine_code, name, &profile::MachineCode::mangled);
        if (machine != profile.machine_code.end()) kernels.back().machine = &*machine;
    }
    std::ranges::stable_sort(kernels, std::ranges::greater{}, &FoldedKernel::excess_bytes);
    return kernels;
}

}  // namespace wideload::report

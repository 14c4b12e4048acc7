// SPDX-License-Identifier: Apache-2.0
#include "report/machine_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "report/words.h"

namespace wideload::report {
namespace {

using profile::SiteKind;

constexpr std::array<std::string_view, 4> kSpaces = {"global", "generic", "shared", "local"};

std::string spills_of(const profile::MachineCode& code) {
    if (!code.spills) return "spills not marked";
    if (*code.spills == profile::MachineSpills{}) return "no spills";
    return fmt::format("{} B spilled by {}, got back by {}", grouped(code.spills->store_bytes),
                       counted(code.spills->stores, "store"), counted(code.spills->loads, "load"));
}

/// "global 4 B × 2, 16 B × 1"; empty where the code has none of that space.
std::string widths_of(const profile::MachineCode& code, std::string_view space) {
    std::map<std::uint32_t, std::uint64_t> by_width;
    for (const profile::MachineAccess& access : code.accesses) {
        if (access.space == space) by_width[access.bytes] += access.count;
    }
    std::string text;
    for (const auto& [bytes, count] : by_width) {
        text += text.empty() ? fmt::format("{} ", space) : ", ";
        text += bytes == 0 ? fmt::format("blocks × {}", grouped(count))
                           : fmt::format("{} B × {}", bytes, grouped(count));
    }
    return text;
}

/// A generic access may be of any space.
bool may_be_of(const profile::MachineAccess& access, SiteKind kind) {
    const std::string_view space = class_of(kind) == SiteClass::shared ? "shared"
                                   : kind == SiteKind::local_ld || kind == SiteKind::local_st
                                       ? "local"
                                       : "global";
    return access.space == space || access.space == "generic";
}

/// Spills are ptxas's own: they stand at the line whose value they move and carry nothing of it. So
/// do accesses that ptxas adds to an instruction of another kind: the table of a branch.
bool carries(const profile::MachineAccess& access, const FoldedSite& site) {
    return site.total.kind != SiteKind::branch && !access.spill && access.ptx_line != 0 &&
           site.ptx_lines.contains(access.ptx_line) && may_be_of(access, site.total.kind);
}

/// Whether what stands at none of a site's lines does not stand anywhere.
bool names_all_lines(const profile::MachineCode& code) {
    return !code.accesses.empty() &&
           std::ranges::all_of(code.accesses, [](const profile::MachineAccess& access) {
               return access.spill || access.ptx_line != 0;
           });
}

Carriage carriage_by_others(const FoldedSite& site, const profile::MachineCode& code) {
    const SiteClass site_class = class_of(site.total.kind);
    const bool is_listed = site_class == SiteClass::memory || site_class == SiteClass::shared;
    if (!is_listed || !names_all_lines(code)) return Carriage::unknown;
    const bool has_another =
        std::ranges::any_of(code.accesses, [&](const profile::MachineAccess& access) {
            return !access.spill && may_be_of(access, site.total.kind) &&
                   (access.bytes == 0 || access.bytes >= site.total.bytes_per_lane());
        });
    return has_another ? Carriage::by_another : Carriage::by_none;
}

}  // namespace

std::string machine_words(const profile::MachineCode& code) {
    std::string text =
        fmt::format("{}: {}, {}", code.arch, counted(code.registers, "register"), spills_of(code));
    std::string_view separator = "; ";
    for (const std::string_view space : kSpaces) {
        const std::string widths = widths_of(code, space);
        if (widths.empty()) continue;
        text += fmt::format("{}{}", std::exchange(separator, ", "), widths);
    }
    return text;
}

Carriage carriage(const FoldedSite& site, const profile::MachineCode& code) {
    std::uint64_t count = 0;
    bool has_other_width = false;
    for (const profile::MachineAccess& access : code.accesses) {
        if (!carries(access, site)) continue;
        count += access.count;
        has_other_width = has_other_width || access.bytes != site.total.bytes_per_lane();
    }
    if (count == 0) return carriage_by_others(site, code);
    return has_other_width || count != site.ptx_lines.size() ? Carriage::otherwise
                                                             : Carriage::as_in_ptx;
}

std::string carrier_words(const FoldedSite& site, const profile::MachineCode& code) {
    std::map<std::string, std::uint64_t> by_opcode;
    for (const profile::MachineAccess& access : code.accesses) {
        if (carries(access, site)) by_opcode[access.opcode] += access.count;
    }
    std::string text;
    for (const auto& [opcode, count] : by_opcode) {
        text += fmt::format("{}{} × {}", text.empty() ? "" : ", ", opcode, grouped(count));
    }
    return text;
}

std::string carriage_words(const FoldedSite& site, const profile::MachineCode& code) {
    switch (carriage(site, code)) {
        case Carriage::unknown:
            return {};
        case Carriage::by_another:
            return "no machine instruction of its own; another may carry it";
        case Carriage::by_none:
            return "no machine instruction carries it: ptxas found it not needed";
        case Carriage::as_in_ptx:
        case Carriage::otherwise:
            break;
    }
    return fmt::format("{} for {} of PTX", carrier_words(site, code),
                       counted(site.ptx_lines.size(), "instruction"));
}

}  // namespace wideload::report

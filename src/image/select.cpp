// SPDX-License-Identifier: Apache-2.0
#include "image/select.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "image/decompress.h"
#include "image/ptx_header.h"

namespace wideload::image {
namespace {

std::string describe(const Entry& entry) {
    switch (entry.kind) {
        case EntryKind::ptx:
            return "PTX for " + entry.target_name();
        case EntryKind::elf:
            return "machine code for " + entry.target_name();
        case EntryKind::other:
            break;
    }
    return "intermediate code for " + entry.target_name();
}

Diagnostic no_ptx(const FatBinary& binary, std::uint32_t gpu) {
    std::vector<std::string> held;
    held.reserve(binary.entries.size());
    for (const Entry& entry : binary.entries) held.push_back(describe(entry));
    return failure_in(
        binary.name,
        fmt::format("no PTX that compute capability {}.{} can run; it holds {}", gpu / 10, gpu % 10,
                    held.empty() ? "nothing" : fmt::format("{}", fmt::join(held, ", "))),
        fmt::format("rebuild with -gencode arch=compute_{0},code=compute_{0}", gpu));
}

/// Of two targets with one number the one that allows more instructions.
int specificity(char suffix) { return suffix == 'a' ? 2 : suffix == 'f' ? 1 : 0; }

bool runs_better(const Entry* left, const Entry* right) {
    if (left->arch != right->arch) return left->arch > right->arch;
    return specificity(left->suffix) > specificity(right->suffix);
}

std::vector<const Entry*> candidates(const FatBinary& binary, std::uint32_t gpu) {
    std::vector<const Entry*> found;
    for (const Entry& entry : binary.entries) {
        if (entry.kind == EntryKind::ptx && can_run_ptx(entry.arch, entry.suffix, gpu)) {
            found.push_back(&entry);
        }
    }
    std::ranges::sort(found, runs_better);
    return found;
}

bool has_ptx_for(const FatBinary& binary, std::uint32_t gpu) {
    return !candidates(binary, gpu).empty();
}

}  // namespace

bool can_run_ptx(std::uint32_t arch, char suffix, std::uint32_t gpu) {
    if (suffix == 'a') return arch == gpu;
    if (suffix == 'f') return arch / 10 == gpu / 10 && arch <= gpu;
    return arch <= gpu;
}

Result<std::string> select_ptx(const FatBinary& binary, std::uint32_t gpu) {
    for (const Entry* entry : candidates(binary, gpu)) {
        auto text = ptx_text(*entry);
        if (!text) return text;
        // Toolkits before 12.9 do not mark `sm_90a` in the entry: the text decides.
        const auto header = read_ptx_header(*text);
        if (!header || can_run_ptx(header->arch, header->suffix, gpu)) return text;
    }
    return no_ptx(binary, gpu);
}

const Entry* select_cubin(const FatBinary& binary, std::uint32_t gpu) {
    const Entry* best = nullptr;
    for (const Entry& entry : binary.entries) {
        if (entry.kind != EntryKind::elf || entry.arch / 10 != gpu / 10 ||
            !can_run_ptx(entry.arch, entry.suffix, gpu)) {
            continue;
        }
        if (best == nullptr || runs_better(&entry, best)) best = &entry;
    }
    return best;
}

Result<PtxSelection> select_modules(std::span<const FatBinary> binaries, std::uint32_t gpu) {
    const bool linked = std::ranges::any_of(binaries, &FatBinary::relocatable);
    PtxSelection selection;
    const FatBinary* last_without = nullptr;
    for (const FatBinary& binary : binaries) {
        if (linked && !binary.relocatable) continue;
        if (!has_ptx_for(binary, gpu)) {
            selection.without_ptx.push_back(binary.name);
            last_without = &binary;
            continue;
        }
        auto text = select_ptx(binary, gpu);
        if (!text) return text.errors();
        selection.modules.push_back({binary.name, std::move(*text)});
    }
    if (!selection.modules.empty()) return selection;
    return no_ptx(last_without != nullptr ? *last_without : FatBinary{}, gpu);
}

}  // namespace wideload::image

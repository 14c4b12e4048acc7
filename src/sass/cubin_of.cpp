// SPDX-License-Identifier: Apache-2.0
#include "sass/cubin_of.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <set>

#include "image/decompress.h"
#include "image/program.h"
#include "image/select.h"

namespace wideload::sass {
namespace {

using image::Entry;
using image::EntryKind;
using image::FatBinary;

bool can_run_ptx(const FatBinary& binary, std::uint32_t arch) {
    return std::ranges::any_of(binary.entries, [&](const Entry& entry) {
        return entry.kind == EntryKind::ptx && image::can_run_ptx(entry.arch, entry.suffix, arch);
    });
}

/// Of all there is, for a file that has nothing for the default GPU.
const Entry* newest(const FatBinary& binary, EntryKind kind) {
    const Entry* newest = nullptr;
    for (const Entry& entry : binary.entries) {
        if (entry.kind != kind) continue;
        if (newest == nullptr || entry.arch > newest->arch) newest = &entry;
    }
    return newest;
}

Result<std::optional<Cubin>> expand(const FatBinary& binary, const Entry& entry) {
    auto bytes = image::decompress(entry);
    if (!bytes) return bytes.errors();
    return std::optional(Cubin{binary.name, {entry.arch, entry.suffix}, false, std::move(*bytes)});
}

Result<std::optional<Cubin>> compile_best_ptx(const FatBinary& binary, Target target) {
    const auto ptx = image::select_ptx(binary, target.arch);
    if (!ptx) return ptx.errors();
    auto bytes = compile_ptx(*ptx, target, binary.relocatable, binary.name);
    if (!bytes) return bytes.errors();
    return std::optional(Cubin{binary.name, target, true, std::move(*bytes)});
}

/// @returns nothing where the fat binary has neither machine code nor PTX for the target
Result<std::optional<Cubin>> cubin_of(const FatBinary& binary, const CubinOptions& options) {
    const std::uint32_t arch = options.target.arch;
    if (const Entry* entry = image::select_cubin(binary, arch)) return expand(binary, *entry);
    if (can_run_ptx(binary, arch)) return compile_best_ptx(binary, options.target);
    if (options.target_is_asked) return std::optional<Cubin>{};
    if (const Entry* entry = newest(binary, EntryKind::elf)) return expand(binary, *entry);
    if (const Entry* entry = newest(binary, EntryKind::ptx))
        return compile_best_ptx(binary, {entry->arch, entry->suffix});
    return std::optional<Cubin>{};
}

std::string kinds_held(const std::vector<FatBinary>& binaries) {
    std::set<std::string> held;
    for (const FatBinary& binary : binaries) {
        for (const Entry& entry : binary.entries) {
            if (entry.kind == EntryKind::ptx) held.insert("PTX for " + entry.target_name());
            if (entry.kind == EntryKind::elf)
                held.insert("machine code for " + entry.target_name());
        }
    }
    return held.empty() ? "nothing" : fmt::format("{}", fmt::join(held, ", "));
}

Diagnostics look_at_source(const std::filesystem::path& file, const CubinOptions& options,
                           const LookAtCubin& look) {
    auto bytes = compile_cuda(file, options.target, options.nvcc_flags);
    if (!bytes) return bytes.errors();
    const auto looked = look({file.string(), options.target, true, std::move(*bytes)});
    return looked ? Diagnostics{} : looked.errors();
}

}  // namespace

Diagnostics for_each_cubin(const std::filesystem::path& file, const CubinOptions& options,
                           const LookAtCubin& look, std::string& held) {
    held = "nothing";
    if (file.extension() == ".cu") return look_at_source(file, options, look);
    const auto binaries = image::read_file(file);
    if (!binaries) return binaries.errors();
    held = kinds_held(*binaries);
    bool is_found = false;
    for (const bool relocatable : {false, true}) {
        for (const FatBinary& binary : *binaries) {
            if (binary.relocatable != relocatable) continue;
            const auto cubin = cubin_of(binary, options);
            if (!cubin) return cubin.errors();
            if (!*cubin) continue;
            const auto looked = look(**cubin);
            if (!looked) return looked.errors();
            is_found = is_found || *looked;
        }
        if (is_found) break;
    }
    return {};
}

}  // namespace wideload::sass

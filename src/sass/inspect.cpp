// SPDX-License-Identifier: Apache-2.0
#include "sass/inspect.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <set>

#include "image/decompress.h"
#include "image/program.h"
#include "image/select.h"
#include "sass/disassemble.h"
#include "sass/tool.h"

namespace wideload::sass {
namespace {

using image::Entry;
using image::EntryKind;
using image::FatBinary;

/// Machine code, and what it is for.
struct Cubin {
    std::vector<std::byte> bytes;
    Target target;
    bool compiled = false;
};

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

Result<std::optional<Cubin>> expand(const Entry& entry) {
    auto bytes = image::decompress(entry);
    if (!bytes) return bytes.errors();
    return std::optional(Cubin{std::move(*bytes), {entry.arch, entry.suffix}, false});
}

Result<std::optional<Cubin>> compile_best_ptx(const FatBinary& binary, Target target) {
    const auto ptx = image::select_ptx(binary, target.arch);
    if (!ptx) return ptx.errors();
    auto bytes = compile_ptx(*ptx, target, binary.relocatable, binary.name);
    if (!bytes) return bytes.errors();
    return std::optional(Cubin{std::move(*bytes), target, true});
}

/// @returns nothing where the fat binary has neither machine code nor PTX for the target
Result<std::optional<Cubin>> cubin_of(const FatBinary& binary, const InspectOptions& options) {
    const std::uint32_t arch = options.target.arch;
    if (const Entry* entry = image::select_cubin(binary, arch)) return expand(*entry);
    if (can_run_ptx(binary, arch)) return compile_best_ptx(binary, options.target);
    if (options.target_is_asked) return std::optional<Cubin>{};
    if (const Entry* entry = newest(binary, EntryKind::elf)) return expand(*entry);
    if (const Entry* entry = newest(binary, EntryKind::ptx))
        return compile_best_ptx(binary, {entry->arch, entry->suffix});
    return std::optional<Cubin>{};
}

Result<InspectedCode> read(const Cubin& cubin, const std::string& name,
                           const InspectOptions& options) {
    DisassemblyOptions disassembly;
    disassembly.nvdisasm = options.nvdisasm;
    disassembly.wanted = options.wanted;
    auto kernels = disassemble({cubin.bytes, name}, disassembly);
    if (!kernels) return kernels.errors();
    return InspectedCode{name, cubin.target, cubin.compiled, std::move(*kernels)};
}

Result<std::vector<InspectedCode>> inspect_cuda(const std::filesystem::path& file,
                                                const InspectOptions& options) {
    auto bytes = compile_cuda(file, options.target, options.nvcc_flags);
    if (!bytes) return bytes.errors();
    auto code = read({std::move(*bytes), options.target, true}, file.string(), options);
    if (!code) return code.errors();
    std::vector<InspectedCode> all;
    all.push_back(std::move(*code));
    return all;
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

/// Why there is no kernel to show.
Diagnostic nothing_found(const std::filesystem::path& file, const std::vector<FatBinary>& binaries,
                         const InspectOptions& options) {
    if (options.wanted) {
        return failure_in(file.string(), "has no kernel of that name for " + options.target.name(),
                          "without --kernel all are shown");
    }
    return failure_in(file.string(),
                      fmt::format("has no kernel that runs on {}; it holds {}",
                                  options.target.name(), kinds_held(binaries)),
                      "name one of them with --arch");
}

Result<std::vector<InspectedCode>> inspect_binaries(const std::filesystem::path& file,
                                                    const InspectOptions& options) {
    const auto binaries = image::read_file(file);
    if (!binaries) return binaries.errors();
    std::vector<InspectedCode> all;
    for (const bool relocatable : {false, true}) {
        for (const FatBinary& binary : *binaries) {
            if (binary.relocatable != relocatable) continue;
            const auto cubin = cubin_of(binary, options);
            if (!cubin) return cubin.errors();
            if (!*cubin) continue;
            auto code = read(**cubin, binary.name, options);
            if (!code) return code.errors();
            // nvcc links one without any kernel into every program: that of its device runtime.
            if (!code->kernels.empty()) all.push_back(std::move(*code));
        }
        // Relocatable code is what the linked code was made of.
        if (!all.empty()) return all;
    }
    return nothing_found(file, *binaries, options);
}

}  // namespace

Result<std::vector<InspectedCode>> inspect(const std::filesystem::path& file,
                                           const InspectOptions& options) {
    InspectOptions complete = options;
    if (complete.nvdisasm.empty()) {
        const auto found = find_tool("nvdisasm");
        if (!found) return found.errors();
        complete.nvdisasm = *found;
    }
    return file.extension() == ".cu" ? inspect_cuda(file, complete)
                                     : inspect_binaries(file, complete);
}

}  // namespace wideload::sass

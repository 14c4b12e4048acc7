// SPDX-License-Identifier: Apache-2.0
#include "cli/machine_code.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>
#include <utility>

#include "image/cubin.h"
#include "image/decompress.h"
#include "image/program.h"
#include "image/select.h"
#include "sass/disassemble.h"
#include "sass/tool.h"

namespace wideload::cli {
namespace {

/// nvdisasm reads a cubin whole before it gives the first kernel: those of large libraries, linked
/// into the program, would keep the user waiting.
constexpr std::uint64_t kMostCubinBytes = std::uint64_t{32} << 20;
/// nvdisasm takes a third of a second before its first instruction.
constexpr std::size_t kMostCubins = 8;

std::set<std::string> launched_kernels(const profile::Profile& profile) {
    std::set<std::string> names;
    for (const profile::Launch& launch : profile.launches) names.insert(launch.mangled);
    return names;
}

std::set<std::uint32_t> capabilities(const profile::Profile& profile) {
    std::set<std::uint32_t> numbers;
    for (const profile::Device& device : profile.devices) {
        numbers.insert(device.compute_major * 10 + device.compute_minor);
    }
    return numbers;
}

std::set<std::string> program_files(const profile::Profile& profile) {
    std::set<std::string> files;
    for (const profile::Process& process : profile.processes) files.insert(process.program);
    return files;
}

/// Machine code, and whether it was compiled from the PTX that the virtual GPU runs, so that lines
/// of that PTX are lines of this.
struct Candidate {
    const image::Entry* cubin = nullptr;
    const image::FatBinary* binary = nullptr;
    bool is_of_run_ptx = false;
};

std::optional<Candidate> candidate_of(const image::FatBinary& binary, std::uint32_t gpu) {
    const image::Entry* cubin = image::select_cubin(binary, gpu);
    if (cubin == nullptr || cubin->payload.size() > kMostCubinBytes ||
        cubin->expanded_bytes > kMostCubinBytes) {
        return std::nullopt;
    }
    std::uint32_t ptx_arch = 0;
    for (const image::Entry& entry : binary.entries) {
        const bool runs = entry.kind == image::EntryKind::ptx &&
                          image::can_run_ptx(entry.arch, entry.suffix, gpu);
        if (runs) ptx_arch = std::max(ptx_arch, entry.arch);
    }
    return Candidate{cubin, &binary, ptx_arch == cubin->arch};
}

profile::MachineCode to_profile(const sass::KernelCode& kernel, const Candidate& candidate) {
    profile::MachineCode code;
    code.mangled = kernel.resources.name;
    code.arch = candidate.cubin->target_name();
    code.registers = kernel.resources.registers;
    code.stack_bytes = std::max(kernel.resources.stack_bytes, kernel.resources.frame_bytes);
    if (kernel.spills) {
        code.spills = {kernel.spills->stores, kernel.spills->store_bytes, kernel.spills->loads,
                       kernel.spills->load_bytes};
    }
    code.instructions = kernel.instructions;
    for (const sass::Access& access : kernel.accesses) {
        code.accesses.push_back({access.opcode, std::string(sass::name(access.space)), access.bytes,
                                 access.count, access.spill,
                                 candidate.is_of_run_ptx ? access.ptx_line : 0});
    }
    return code;
}

/// Adds kernels that are still missing, cubin by cubin.
class Joiner {
public:
    explicit Joiner(profile::Profile& profile)
        : profile_(profile), missing_(launched_kernels(profile)) {}

    void add_file(const std::string& file) {
        const auto binaries = image::read_file(file);
        if (!binaries) return;
        for (const std::uint32_t gpu : capabilities(profile_)) {
            for (const image::FatBinary& binary : *binaries) {
                // What relocatable code was linked to is there too, and is what runs.
                if (binary.relocatable || missing_.empty()) continue;
                if (const auto candidate = candidate_of(binary, gpu)) add_cubin(*candidate);
            }
        }
    }

    [[nodiscard]] bool lacks_nvdisasm() const { return lacks_nvdisasm_; }

private:
    void add_cubin(const Candidate& candidate) {
        const auto bytes = image::decompress(*candidate.cubin, kMostCubinBytes);
        if (!bytes) return;
        const ByteRange cubin{*bytes, candidate.binary->name};
        if (!holds_missing(cubin) || cubins_ == kMostCubins || !find_nvdisasm()) return;
        ++cubins_;
        sass::DisassemblyOptions options;
        options.nvdisasm = nvdisasm_;
        options.ptx_lines = true;
        options.wanted = [&](std::string_view name) {
            return missing_.contains(std::string(name));
        };
        const auto kernels = sass::disassemble(cubin, options);
        if (!kernels) return;
        for (const sass::KernelCode& kernel : *kernels) {
            missing_.erase(kernel.resources.name);
            profile_.machine_code.push_back(to_profile(kernel, candidate));
        }
    }

    [[nodiscard]] bool holds_missing(const ByteRange& cubin) const {
        const auto kernels = image::read_cubin(cubin);
        return kernels && std::ranges::any_of(*kernels, [&](const image::CubinKernel& kernel) {
                   return missing_.contains(kernel.name);
               });
    }

    bool find_nvdisasm() {
        if (nvdisasm_.empty() && !lacks_nvdisasm_) {
            auto found = sass::find_tool("nvdisasm");
            lacks_nvdisasm_ = !found;
            if (found) nvdisasm_ = std::move(*found);
        }
        return !lacks_nvdisasm_;
    }

    profile::Profile& profile_;
    std::set<std::string> missing_;
    std::filesystem::path nvdisasm_;
    bool lacks_nvdisasm_ = false;
    std::size_t cubins_ = 0;
};

}  // namespace

std::string add_machine_code(profile::Profile& profile) {
    Joiner joiner(profile);
    for (const std::string& file : program_files(profile)) joiner.add_file(file);
    if (!joiner.lacks_nvdisasm()) return {};
    return "no nvdisasm: the program's machine code is left out; the CUDA toolkit has one";
}

}  // namespace wideload::cli

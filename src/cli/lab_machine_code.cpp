// SPDX-License-Identifier: Apache-2.0
#include "cli/lab_machine_code.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "arch/occupancy.h"
#include "cli/kernels_of_file.h"
#include "sass/inspect.h"
#include "sass/tool.h"

namespace wideload::cli {
namespace {

/// Disassembled where nvdisasm is at hand; else what the ELF's tables alone say.
std::vector<sass::KernelCode> code_of(const std::filesystem::path& program,
                                      const arch::Device& device,
                                      const std::set<std::string, std::less<>>& names) {
    sass::InspectOptions options;
    options.target = {device.capability.number(), '\0'};
    options.target_is_asked = true;
    options.wanted = [&](std::string_view mangled) { return names.contains(mangled); };
    std::vector<sass::KernelCode> all;
    if (auto inspected = sass::inspect(program, options)) {
        for (sass::InspectedCode& code : *inspected) {
            std::ranges::move(code.kernels, std::back_inserter(all));
        }
    } else if (const auto kernels = kernels_of_file(program, device)) {
        for (const image::CubinKernel& kernel : *kernels) all.emplace_back().resources = kernel;
    }
    return all;
}

arch::BlockResources resources_of(const image::CubinKernel& kernel, const lab::Point& point) {
    return {.threads = point.block[0] * point.block[1] * point.block[2],
            .registers = kernel.registers,
            .static_shared_bytes = kernel.static_shared_bytes,
            .dynamic_shared_bytes = point.dynamic_shared_bytes,
            .barriers = std::max(kernel.barriers, 1u)};
}

/// "LDG.E.128, LDG.E": each opcode of global memory once, the widest first.
std::string opcodes_of(const sass::KernelCode& code, sass::Action action) {
    std::set<std::pair<std::uint32_t, std::string>, std::greater<>> opcodes;
    for (const sass::Access& access : code.accesses) {
        if (access.space == sass::Category::global && access.action == action) {
            opcodes.emplace(access.bytes, access.opcode);
        }
    }
    std::string text;
    for (const auto& [_, opcode] : opcodes) text += (text.empty() ? "" : ", ") + opcode;
    return text;
}

using Facts = std::map<std::string, double, std::less<>>;

/// What the driver answers too, when a program asks it.
Facts facts_of_driver(const lab::Point& point, const image::CubinKernel& kernel,
                      const arch::Device& device) {
    Facts facts = {{"registers", kernel.registers},
                   {"local_bytes", static_cast<double>(kernel.frame_bytes)},
                   {"static_shared_bytes", static_cast<double>(kernel.static_shared_bytes)}};
    if (point.block[0] != 0) {  // a run that was only timed does not know its blocks
        const arch::Occupancy found = arch::occupancy(device, resources_of(kernel, point));
        facts["resident_blocks"] = found.blocks;
        facts["occupancy_percent"] = arch::occupancy_percent(device, found);
    }
    return facts;
}

void add_facts(lab::Point& point, const sass::KernelCode& code, const arch::Device& device,
               bool is_virtual) {
    for (const auto& [name, value] : facts_of_driver(point, code.resources, device)) {
        if (is_virtual) {
            point.facts[name] = value;
        } else {
            point.facts.try_emplace(name, value);
        }
    }
    if (code.instructions == 0) return;
    point.notes["load_instructions"] = opcodes_of(code, sass::Action::load);
    point.notes["store_instructions"] = opcodes_of(code, sass::Action::store);
    if (!code.spills) return;
    point.facts["spill_store_bytes"] = static_cast<double>(code.spills->store_bytes);
    point.facts["spill_load_bytes"] = static_cast<double>(code.spills->load_bytes);
}

}  // namespace

void add_machine_code(lab::Results& results, const std::filesystem::path& program,
                      const arch::Device& device) {
    std::set<std::string, std::less<>> names;
    for (const lab::Point& point : results.points) names.insert(point.kernel);
    const std::vector<sass::KernelCode> codes = code_of(program, device, names);
    for (lab::Point& point : results.points) {
        const auto code = std::ranges::find_if(
            codes, [&](const sass::KernelCode& one) { return one.resources.name == point.kernel; });
        if (code != codes.end()) add_facts(point, *code, device, results.machine.is_virtual);
    }
}

std::string missing_machine_code(const std::vector<lab::Outcome>& outcomes) {
    const auto nvdisasm = sass::find_tool("nvdisasm");
    if (nvdisasm) return {};
    std::vector<std::string> names;
    for (const lab::Outcome& outcome : outcomes) {
        const std::string& name = outcome.description.name;
        // On a real GPU an experiment has an outcome of its times and one of its counts.
        if (outcome.description.names_machine_code() &&
            std::ranges::find(names, name) == names.end()) {
            names.push_back(name);
        }
    }
    if (names.empty()) return {};
    const Diagnostic& why = nvdisasm.errors().front();
    return fmt::format("instructions and spills are left out of {}: {}{}{}", fmt::join(names, ", "),
                       why.message, why.hint.empty() ? "" : "; ", why.hint);
}

}  // namespace wideload::cli

// SPDX-License-Identifier: Apache-2.0
#include "profile/json_out.h"

#include <algorithm>
#include <cstdio>

#include "profile/mismatch_json.h"
#include "profile/names.h"

namespace wideload::profile {
namespace {

template <class T>
void set(Json& json, const char* name, const std::optional<T>& value) {
    if (value) {
        json[name] = *value;
    }
}

void set(Json& json, const char* name, const std::string& value) {
    if (!value.empty()) {
        json[name] = value;
    }
}

Json location_to_json(const SourceLocation& where) {
    Json json = Json::object();
    set(json, "file", where.file);
    json["line"] = where.line;
    json["column"] = where.column;
    return json;
}

Json diagnostic_to_json(const Diagnostic& diagnostic) {
    Json json = Json::object();
    json["message"] = diagnostic.message;
    json["where"] = location_to_json(diagnostic.where);
    set(json, "source_line", diagnostic.source_line);
    set(json, "hint", diagnostic.hint);
    return json;
}

/// The lowest active lane's address, and each lane's distance from it; null for inactive lanes.
Json sample_to_json(const Sample& sample) {
    std::uint64_t base = UINT64_MAX;
    for (std::size_t lane = 0; lane < sample.addresses.size(); ++lane) {
        if (sample.mask >> lane & 1) {
            base = std::min(base, sample.addresses[lane]);
        }
    }
    Json offsets = Json::array();
    for (std::size_t lane = 0; lane < sample.addresses.size(); ++lane) {
        offsets.push_back(sample.mask >> lane & 1 ? Json(sample.addresses[lane] - base)
                                                  : Json(nullptr));
    }
    // As text: not every JSON reader holds 64 bits.
    char base_text[20];
    std::snprintf(base_text, sizeof(base_text), "0x%llx",
                  static_cast<unsigned long long>(sample.mask == 0 ? 0 : base));
    Json json = Json::object();
    set(json, "block", sample.block);
    set(json, "warp", sample.warp);
    json["sectors"] = sample.sectors;
    json["base"] = base_text;
    json["offsets"] = std::move(offsets);
    return json;
}

Json patterns_to_json(const std::vector<PatternShare>& patterns) {
    Json json = Json::array();
    for (const PatternShare& share : patterns) {
        Json entry = {{"pattern", name(share.pattern)}};
        if (share.pattern == Pattern::strided || share.pattern == Pattern::misaligned) {
            entry["bytes"] = share.bytes;
        }
        entry["requests"] = share.requests;
        json.push_back(std::move(entry));
    }
    return json;
}

void set_figures(Json& json, const Site& site) {
    json["executions"] = site.executions;
    set(json, "requests", site.requests);
    set(json, "active_lanes", site.active_lanes);
    set(json, "sectors", site.sectors);
    set(json, "ideal_sectors", site.ideal_sectors);
    set(json, "distinct_bytes", site.distinct_bytes);
    set(json, "wavefronts", site.wavefronts);
    set(json, "ideal_wavefronts", site.ideal_wavefronts);
    set(json, "divergent_executions", site.divergent_executions);
    if (!site.histogram.empty()) {
        Json histogram = Json::object();
        for (const auto& [sectors, requests] : site.histogram) {
            histogram[std::to_string(sectors)] = requests;
        }
        json["histogram"] = std::move(histogram);
    }
    if (!site.patterns.empty()) {
        json["patterns"] = patterns_to_json(site.patterns);
    }
    if (site.first) {
        json["first"] = sample_to_json(*site.first);
    }
    if (site.worst) {
        json["worst"] = sample_to_json(*site.worst);
    }
}

Json site_to_json(const Site& site, const PlaceTable& places) {
    Json json = {{"opcode", site.opcode}, {"kind", name(site.kind)}};
    if (site.kind != SiteKind::branch) {
        json["element_bytes"] = site.element_bytes;
        json["vector_width"] = site.vector_width;
    }
    json["ptx_line"] = site.ptx_line;
    if (!site.frames->empty()) {
        json["place"] = places.index_of(site.frames);
    }
    set(json, "parameter", site.parameter);
    set_figures(json, site);
    return json;
}

Json access_to_json(const MachineAccess& access) {
    Json json = {{"opcode", access.opcode}, {"space", access.space}};
    if (access.bytes != 0) json["bytes"] = access.bytes;
    json["count"] = access.count;
    json["spill"] = access.spill;
    if (access.ptx_line != 0) json["ptx_line"] = access.ptx_line;
    return json;
}

Json machine_code_to_json(const std::vector<MachineCode>& codes) {
    Json json = Json::array();
    for (const MachineCode& code : codes) {
        Json entry = {{"mangled", code.mangled},
                      {"arch", code.arch},
                      {"registers", code.registers},
                      {"stack_bytes", code.stack_bytes}};
        if (code.spills) {
            entry["spills"] = {{"stores", code.spills->stores},
                               {"store_bytes", code.spills->store_bytes},
                               {"loads", code.spills->loads},
                               {"load_bytes", code.spills->load_bytes}};
        }
        entry["instructions"] = code.instructions;
        Json accesses = Json::array();
        for (const MachineAccess& access : code.accesses) {
            accesses.push_back(access_to_json(access));
        }
        entry["accesses"] = std::move(accesses);
        json.push_back(std::move(entry));
    }
    return json;
}

Json processes_to_json(const std::vector<Process>& processes) {
    Json json = Json::array();
    for (const Process& process : processes) {
        Json entry = {
            {"pid", process.pid}, {"program", process.program}, {"arguments", process.arguments}};
        set(entry, "exit_code", process.exit_code);
        set(entry, "signal", process.signal);
        json.push_back(std::move(entry));
    }
    return json;
}

Json devices_to_json(const std::vector<Device>& devices) {
    Json json = Json::array();
    for (const Device& device : devices) {
        json.push_back({{"key", device.key},
                        {"name", device.name},
                        {"compute_capability", {device.compute_major, device.compute_minor}},
                        {"multiprocessors", device.multiprocessors}});
    }
    return json;
}

}  // namespace

Json place_to_json(const std::vector<Frame>& frames) {
    Json json = Json::array();
    for (const Frame& frame : frames) {
        Json entry = location_to_json(frame.where);
        set(entry, "function", frame.function);
        json.push_back(std::move(entry));
    }
    return json;
}

Json header_to_json(const Profile& profile) {
    return {{"schema", profile.schema},
            {"producer", profile.producer},
            {"processes", processes_to_json(profile.processes)},
            {"devices", devices_to_json(profile.devices)},
            {"options",
             {{"workers", profile.options.workers},
              {"deterministic", profile.options.deterministic},
              {"counters", profile.options.counters},
              {"host_isa", profile.options.host_isa}}},
            {"merged", profile.merged}};
}

Json footer_to_json(const Profile& profile) {
    Json diagnostics = Json::array();
    for (const Diagnostic& diagnostic : profile.diagnostics) {
        diagnostics.push_back(diagnostic_to_json(diagnostic));
    }
    Json calls = Json::array();
    for (const UnsupportedCall& call : profile.unsupported_calls) {
        calls.push_back(
            {{"function", call.function}, {"calls", call.calls}, {"reason", call.reason}});
    }
    Json json = {{"diagnostics", std::move(diagnostics)}, {"unsupported_calls", std::move(calls)}};
    if (!profile.machine_code.empty()) {
        json["machine_code"] = machine_code_to_json(profile.machine_code);
    }
    return json;
}

Json to_json(const Launch& launch, const PlaceTable& places) {
    Json json = {{"kernel", launch.kernel},
                 {"mangled", launch.mangled},
                 {"grid", launch.grid},
                 {"block", launch.block},
                 {"dynamic_shared_bytes", launch.dynamic_shared_bytes},
                 {"static_shared_bytes", launch.static_shared_bytes}};
    set(json, "registers", launch.registers);
    json["cooperative"] = launch.cooperative;
    json["process"] = launch.process;
    json["device"] = launch.device;
    json["stream"] = launch.stream;
    json["count"] = launch.count;
    if (launch.summed != 1) json["summed"] = launch.summed;
    json["host_ns"] = launch.host_ns;
    if (launch.fault) {
        json["fault"] = {{"kind", launch.fault->kind},
                         {"diagnostic", diagnostic_to_json(launch.fault->diagnostic)}};
    }
    if (!launch.mismatches.empty()) {
        Json mismatches = Json::array();
        for (const Mismatch& mismatch : launch.mismatches) {
            mismatches.push_back(to_json(mismatch, places));
        }
        json["mismatches"] = std::move(mismatches);
    }
    json["counters"] = *launch.counters;
    Json site_array = Json::array();
    for (const Site& site : *launch.sites) {
        site_array.push_back(site_to_json(site, places));
    }
    json["sites"] = std::move(site_array);
    return json;
}

}  // namespace wideload::profile

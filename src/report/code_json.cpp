// SPDX-License-Identifier: Apache-2.0
#include "report/code_json.h"

#include <nlohmann/json.hpp>

#include "profile/demangle.h"

namespace wideload::report {
namespace {

using Json = nlohmann::ordered_json;

Json frames_json(const std::vector<SourceLocation>& frames) {
    Json json = Json::array();
    for (const SourceLocation& frame : frames) {
        json.push_back({{"file", frame.file}, {"line", frame.line}});
    }
    return json;
}

Json access_json(const sass::Access& access) {
    Json json = {{"opcode", access.opcode},
                 {"space", sass::name(access.space)},
                 {"action", sass::name(access.action)}};
    if (access.bytes != 0) json["bytes"] = access.bytes;
    json["spill"] = access.spill;
    json["instructions"] = access.count;
    if (!access.frames.empty()) json["frames"] = frames_json(access.frames);
    return json;
}

Json mix_json(const sass::KernelCode& kernel) {
    Json json = Json::object();
    for (std::size_t i = 0; i < sass::kCategories; ++i) {
        const auto category = static_cast<sass::Category>(i);
        if (kernel.of(category) != 0) json[std::string(sass::name(category))] = kernel.of(category);
    }
    return json;
}

Json constants_json(const image::CubinKernel& kernel) {
    Json json = Json::array();
    for (const image::CubinConstantBank& bank : kernel.constant_banks) {
        json.push_back({{"bank", bank.bank}, {"bytes", bank.bytes}});
    }
    return json;
}

Json kernel_json(const sass::KernelCode& kernel) {
    const image::CubinKernel& resources = kernel.resources;
    Json json = {{"kernel", profile::demangle(resources.name)},
                 {"mangled", resources.name},
                 {"registers", resources.registers},
                 {"frame_bytes", resources.frame_bytes},
                 {"stack_bytes", resources.stack_bytes},
                 {"static_shared_bytes", resources.static_shared_bytes},
                 {"barriers", resources.barriers},
                 {"parameter_bytes", resources.parameter_bytes},
                 {"constant_banks", constants_json(resources)}};
    if (resources.max_threads) json["max_threads"] = *resources.max_threads;
    if (resources.required_threads) json["required_threads"] = *resources.required_threads;
    if (kernel.spills) {
        json["spills"] = {{"stores", kernel.spills->stores},
                          {"store_bytes", kernel.spills->store_bytes},
                          {"loads", kernel.spills->loads},
                          {"load_bytes", kernel.spills->load_bytes}};
    }
    json["instructions"] = kernel.instructions;
    json["mix"] = mix_json(kernel);
    Json accesses = Json::array();
    for (const sass::Access& access : kernel.accesses) accesses.push_back(access_json(access));
    json["accesses"] = std::move(accesses);
    return json;
}

Json code_to_json(const sass::InspectedCode& code) {
    Json kernels = Json::array();
    for (const sass::KernelCode& kernel : code.kernels) kernels.push_back(kernel_json(kernel));
    return {{"name", code.name},
            {"arch", code.target.name()},
            {"compiled", code.compiled},
            {"kernels", std::move(kernels)}};
}

}  // namespace

std::string code_json(const Inspection& inspection) {
    Json codes = Json::array();
    for (const sass::InspectedCode& code : inspection.codes) codes.push_back(code_to_json(code));
    const Json json = {{"schema", kInspectSchema},
                       {"producer", inspection.producer},
                       {"file", inspection.file},
                       {"code", std::move(codes)}};
    // Names in a file need not be UTF-8; JSON must be.
    return json.dump(1, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace wideload::report

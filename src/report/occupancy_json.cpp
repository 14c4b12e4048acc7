// SPDX-License-Identifier: Apache-2.0
#include "report/occupancy_json.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "report/occupancy_words.h"

namespace wideload::report {
namespace {

using Json = nlohmann::ordered_json;
using model::Cliffs;
using model::OccupancyStudy;

constexpr std::string_view kOccupancySchema = "wideload-occupancy/1";
constexpr std::array<const char*, model::kAxes.size()> kAxisNames = {"threads", "registers",
                                                                     "shared_bytes"};

std::string name_of(arch::Limiter limiter) {
    std::string name(limiter_words(limiter));
    std::ranges::replace(name, ' ', '_');
    return name;
}

Json figures(const arch::Device& device, const arch::Occupancy& occupancy) {
    Json limiters = Json::array();
    for (const arch::Limiter limiter : arch::kLimiters) {
        if (occupancy.is_limited_by(limiter)) limiters.push_back(name_of(limiter));
    }
    return {{"blocks", occupancy.blocks},
            {"warps", occupancy.warps},
            {"percent", arch::occupancy_percent(device, occupancy)},
            {"limited_by", std::move(limiters)}};
}

Json limits(const arch::Occupancy& occupancy) {
    Json all = Json::object();
    for (const arch::Limiter limiter : arch::kLimiters) {
        const std::uint32_t blocks = occupancy.allowed_by(limiter);
        if (blocks != arch::kUnlimited) all[name_of(limiter)] = blocks;
    }
    return all;
}

Json cliffs(const arch::Device& device, const Cliffs& around) {
    Json all = Json::object();
    const auto add = [&](const char* side, const std::optional<Cliffs::Edge>& edge) {
        if (!edge) return;
        all[side] = figures(device, edge->occupancy);
        all[side]["value"] = edge->value;
    };
    add("below", around.below);
    add("above", around.above);
    return all;
}

Json staircase(const arch::Device& device, const std::vector<model::Step>& steps) {
    Json all = Json::array();
    for (const model::Step& step : steps) {
        Json one = figures(device, step.occupancy);
        one["first"] = step.first;
        one["last"] = step.last;
        all.push_back(std::move(one));
    }
    return all;
}

Json to_json(const OccupancyStudy& study) {
    const arch::Device& device = *study.device;
    Json one;
    if (!study.kernel.empty()) one["kernel"] = study.kernel;
    one["gpu"] = device.key;
    one["device"] = device.name;
    one["compute_capability"] = {device.capability.major, device.capability.minor};
    one["max_warps"] = device.limits().max_warps();
    one["threads"] = study.resources.threads;
    one["registers"] = study.resources.registers;
    one["launched_registers"] = study.resources.launched_registers();
    one["static_shared_bytes"] = study.resources.static_shared_bytes;
    one["dynamic_shared_bytes"] = study.resources.dynamic_shared_bytes;
    one["barriers"] = study.resources.barriers;
    one["occupancy"] = figures(device, study.occupancy);
    one["limits"] = limits(study.occupancy);
    for (std::size_t i = 0; i < kAxisNames.size(); ++i) {
        one["cliffs"][kAxisNames[i]] = cliffs(device, study.cliffs[i]);
    }
    for (std::size_t i = 0; i < kAxisNames.size(); ++i) {
        one["steps"][kAxisNames[i]] = staircase(device, study.steps[i]);
    }
    return one;
}

}  // namespace

std::string occupancy_json(std::span<const OccupancyStudy> studies, std::string_view producer) {
    Json all = Json::array();
    for (const OccupancyStudy& study : studies) all.push_back(to_json(study));
    const Json whole = {
        {"schema", kOccupancySchema}, {"producer", producer}, {"studies", std::move(all)}};
    return whole.dump(-1, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace wideload::report

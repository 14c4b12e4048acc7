// SPDX-License-Identifier: Apache-2.0
#include "report/roofline_json.h"

#include <nlohmann/json.hpp>

namespace wideload::report {
namespace {

using Json = nlohmann::ordered_json;
using model::Roof;
using model::Roofline;

constexpr std::string_view kRooflineSchema = "wideload-roofline/1";
constexpr std::array<const char*, model::kRoofs.size()> kNames = {"f16", "f32", "f64", "i32",
                                                                  "l1",  "l2",  "dram"};

const char* name_of(Roof roof) { return kNames[static_cast<std::size_t>(roof)]; }

Json to_json(const Roofline& kernel) {
    Json one = {{"kernel", kernel.kernel},
                {"launches", kernel.launches},
                {"gpu", kernel.device->key},
                {"bound_s", kernel.bound_s}};
    if (kernel.binding) one["binding"] = name_of(*kernel.binding);
    if (kernel.binding) one["memory_bound"] = kernel.is_memory_bound();
    one["operations"] = kernel.operations();
    if (const std::optional<double> intensity = kernel.intensity()) one["intensity"] = *intensity;
    Json roofs = Json::object();
    for (const Roof roof : model::kRoofs) {
        const auto i = static_cast<std::size_t>(roof);
        Json figures = Json::object();
        if (kernel.work[i]) figures["work"] = *kernel.work[i];
        if (const std::optional<double> rate = model::peak(roof, *kernel.device)) {
            figures["peak_per_s"] = *rate;
        }
        if (kernel.seconds[i]) figures["seconds"] = *kernel.seconds[i];
        roofs[name_of(roof)] = std::move(figures);
    }
    one["roofs"] = std::move(roofs);
    return one;
}

}  // namespace

std::string roofline_json(std::span<const Roofline> kernels, std::string_view producer) {
    Json all = Json::array();
    for (const Roofline& kernel : kernels) all.push_back(to_json(kernel));
    const Json whole = {
        {"schema", kRooflineSchema}, {"producer", producer}, {"kernels", std::move(all)}};
    return whole.dump(-1, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace wideload::report

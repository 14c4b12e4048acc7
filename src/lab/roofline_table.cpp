// SPDX-License-Identifier: Apache-2.0
#include "lab/roofline_table.h"

#include <fmt/format.h>

#include <algorithm>

#include "lab/bounds.h"
#include "lab/dram_traffic.h"
#include "lab/figures.h"

namespace wideload::lab {
namespace {

constexpr const char* kTimesStated = "DRAM's bytes, times the stated";

}  // namespace

Table roofline_table(const std::vector<Outcome>& outcomes) {
    const std::vector<Spot> spots = spots_of(outcomes);
    const bool has_traffic = std::ranges::any_of(
        spots, [](const Spot& spot) { return spot.dram_times_stated.has_value(); });
    Table table{{"number", "experiment", "kernel", "operations a byte", "bound, µs", "measured, µs",
                 "limited by"},
                {},
                3,
                {false, false, false, false, false, false, true}};
    if (has_traffic) table.heads.emplace_back(kTimesStated);
    for (const Spot& spot : spots) {
        auto& row = table.rows.emplace_back();
        row = {std::to_string(table.rows.size()),
               spot.experiment,
               spot.series,
               figure(spot.intensity),
               figure(spot.bound_us),
               spot.us ? figure(*spot.us) : "",
               spot.binding};
        if (!has_traffic) continue;
        row.push_back(spot.dram_times_stated ? figure(*spot.dram_times_stated) : "");
    }
    return table;
}

std::string roofline_words(const std::vector<Outcome>& outcomes) {
    const std::vector<Spot> spots = spots_of(outcomes);
    const auto counted =
        static_cast<std::size_t>(std::ranges::count(spots, true, &Spot::is_by_dram));
    if (counted == 0) return {};
    if (counted == spots.size()) {
        return "Operations a byte and bounds are by the bytes that DRAM moved, counted at full "
               "size.";
    }
    return fmt::format(
        "Operations a byte and bounds of {} of {} kernels are by the bytes that DRAM moved, "
        "counted at full size; of the others by those that their programs state.",
        counted, spots.size());
}

Table traffic_table(const std::vector<Outcome>& outcomes) {
    Table table{
        {"experiment", "kernel", "at", "stated bytes", "DRAM's bytes", kTimesStated}, {}, 3};
    table.key_columns = 2;
    for (const Traffic& traffic : traffic_of(outcomes)) {
        table.rows.push_back({traffic.experiment, traffic.series, traffic.parameters,
                              figure(traffic.stated_bytes, "bytes"),
                              figure(traffic.dram_bytes, "bytes"), figure(traffic.times_stated())});
    }
    return table;
}

std::string traffic_words(const std::vector<Outcome>& outcomes) {
    const std::vector<Traffic> all = traffic_of(outcomes);
    if (all.empty()) return {};
    const auto [least, most] = std::ranges::minmax_element(all, {}, &Traffic::times_stated);
    const auto whose = [](const Traffic& traffic) {
        return fmt::format("{} times ({}: {})", figure(traffic.times_stated()), traffic.experiment,
                           traffic.series);
    };
    return fmt::format(
        "At full size DRAM moved from {} to {} the bytes that a program states. What lies in the "
        "L2 at a launch's end is not yet written.",
        whose(*least), whose(*most));
}

}  // namespace wideload::lab

// SPDX-License-Identifier: Apache-2.0
#include "lab/figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "report/words.h"

namespace wideload::lab {
namespace {

constexpr double kExactWholes = 9007199254740992.0;  // 2^53

std::string whole(double value) {
    const std::string digits = report::grouped(static_cast<std::uint64_t>(std::abs(value)));
    return value < 0 ? "-" + digits : digits;
}

/// "blocks", but "block" of one.
std::string_view in_number(std::string_view plural, double value) {
    if (value == 1 && plural.ends_with('s')) plural.remove_suffix(1);
    return plural;
}

}  // namespace

std::string figure(double value) {
    if (!std::isfinite(value)) return "?";
    const double magnitude = std::abs(value);
    if (magnitude < kExactWholes && value == std::round(value)) return whole(value);
    if (magnitude >= 99.95) return whole(std::round(value));
    if (magnitude >= 9.995) return fmt::format("{:.1f}", value);
    if (magnitude >= 0.9995) return fmt::format("{:.2f}", value);
    return fmt::format("{:.3g}", value);
}

std::string figure(double value, std::string_view unit) {
    if (unit == "bytes" && value >= 0 && value < kExactWholes) {
        return report::byte_words(static_cast<std::uint64_t>(value));
    }
    return figure(value);
}

std::string range(std::span<const double> values) {
    const auto [low, high] = std::ranges::minmax(values);
    const std::string from = figure(low), to = figure(high);
    return from == to ? from : from + " to " + to;
}

std::string machine_words(const Results& results) {
    const Machine& machine = results.machine;
    std::string text = fmt::format("{}{} ({}), CUDA {}", machine.is_virtual ? "virtual " : "",
                                   machine.gpu, machine.compute_capability, machine.runtime);
    if (!machine.driver_build.empty()) text += ", driver " + machine.driver_build;
    if (!results.date.empty()) text += ", " + results.date;
    if (!machine.is_virtual) text += fmt::format("; {} sizes", results.sizes);
    if (results.best_copy_gbps) {
        text += fmt::format("; best copy of this run {} GB/s", figure(*results.best_copy_gbps));
    }
    return text;
}

std::string run_words(const Results& results) {
    const std::string& gpu = results.machine.gpu;
    return results.machine.is_virtual ? "virtual " + gpu : gpu + ", " + results.sizes + " sizes";
}

std::string quantity(std::string_view title, std::string_view unit, double value) {
    if (unit == "bytes") return fmt::format("{} {}", title, figure(value, unit));
    const std::size_t first = std::min(title.find(' '), title.size());
    if (title.substr(0, first).ends_with('s')) {
        return fmt::format("{} {}{}", figure(value), in_number(title.substr(0, first), value),
                           title.substr(first));
    }
    return fmt::format("{} {}{}{}", title, figure(value), unit.empty() ? "" : " ",
                       in_number(unit, value));
}

std::string words(const Parameters& parameters, const Description& description) {
    std::string text;
    for (const Parameter& parameter : description.parameters) {
        const auto found = parameters.find(parameter.key);
        if (found == parameters.end()) continue;
        text +=
            (text.empty() ? "" : ", ") + quantity(parameter.title, parameter.unit, found->second);
    }
    return text.empty() ? "all" : text;
}

}  // namespace wideload::lab

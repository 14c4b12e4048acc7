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
    if (!machine.is_virtual) text += fmt::format("; {} sizes", results.sizes);
    if (results.best_copy_gbps) {
        text += fmt::format("; best copy of this run {} GB/s", figure(*results.best_copy_gbps));
    }
    return text;
}

std::string words(const Parameters& parameters) {
    if (parameters.empty()) return "all";
    std::string text;
    for (const auto& [name, value] : parameters) {
        text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, figure(value));
    }
    return text;
}

}  // namespace wideload::lab

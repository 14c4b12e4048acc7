// SPDX-License-Identifier: Apache-2.0
#include "lab/csv.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>

#include "lab/metric.h"

namespace wideload::lab {
namespace {

constexpr std::string_view kFixedHeads =
    "experiment,sizes,series,parameters,bytes,flops,correct,median_us,lowest_us,highest_us,gbps,"
    "copy_percent";

/// Machines that ran experiments, each once: "# virtual NVIDIA H200 (9.0), 132 multiprocessors,
/// ..."
std::string machines_text(const std::vector<Outcome>& outcomes) {
    std::vector<std::string> lines;
    for (const Outcome& outcome : outcomes) {
        const Machine& machine = outcome.results.machine;
        std::string line = fmt::format(
            "# {}{} ({}), {} multiprocessors, {} bytes of L2, driver's CUDA {}, runtime {}{}{}\n",
            machine.is_virtual ? "virtual " : "", machine.gpu, machine.compute_capability,
            machine.multiprocessors, machine.l2_bytes, machine.driver, machine.runtime,
            machine.driver_build.empty() ? "" : ", driver " + machine.driver_build,
            outcome.results.date.empty() ? "" : ", " + outcome.results.date);
        if (std::ranges::find(lines, line) == lines.end()) lines.push_back(std::move(line));
    }
    std::string text;
    for (const std::string& line : lines) text += line;
    return text;
}

std::string csv_text(std::string_view text) {
    if (text.find_first_of(",\"\n") == std::string_view::npos) return std::string(text);
    std::string cell = "\"";
    for (const char c : text) cell += c == '"' ? std::string("\"\"") : std::string(1, c);
    return cell + '"';
}

/// "blocks=4;n=1024"
std::string parameters_text(const Parameters& parameters) {
    std::string text;
    for (const auto& [name, value] : parameters) {
        text += fmt::format("{}{}={}", text.empty() ? "" : ";", name, value);
    }
    return text;
}

template <class Value>
std::string cell(const std::optional<Value>& value) {
    return value ? fmt::format("{}", *value) : std::string{};
}

std::string rounded(const std::optional<double>& value) {
    return value ? fmt::format("{:.3f}", *value) : std::string{};
}

/// What the table has besides the fixed columns.
struct Heads {
    std::set<std::string> numbers;  ///< facts, and counters but those of single sites
    std::set<std::string> notes;
};

Heads heads_of(const std::vector<Outcome>& outcomes) {
    Heads heads;
    for (const Outcome& outcome : outcomes) {
        for (const Point& point : outcome.results.points) {
            for (const auto& [name, _] : point.facts) heads.numbers.insert(name);
            for (const auto& [name, _] : point.notes) heads.notes.insert(name);
            for (const auto& [name, _] : point.counters) {
                if (name.find(':') == std::string::npos) heads.numbers.insert(name);
            }
        }
    }
    return heads;
}

std::string row_of(const Results& results, const Point& point, const Heads& heads) {
    std::string row =
        fmt::format("{},{},{},{},{},{},{}", csv_text(results.experiment), results.sizes,
                    csv_text(point.series), csv_text(parameters_text(point.parameters)),
                    point.bytes, point.flops, point.correct ? 1 : 0);
    row += point.time ? fmt::format(",{:.3f},{:.3f},{:.3f}", point.time->median, point.time->lowest,
                                    point.time->highest)
                      : std::string(",,,");
    for (const char* rate : {"gbps", "copy_percent"}) {
        row += "," + rounded(metric(results, point, rate));
    }
    for (const std::string& name : heads.numbers) row += "," + cell(metric(results, point, name));
    for (const std::string& name : heads.notes) {
        const auto note = point.notes.find(name);
        row += "," + (note == point.notes.end() ? std::string{} : csv_text(note->second));
    }
    return row + '\n';
}

}  // namespace

std::string csv(const std::vector<Outcome>& outcomes) {
    const Heads heads = heads_of(outcomes);
    std::string text = machines_text(outcomes) + std::string(kFixedHeads);
    for (const std::set<std::string>& names : {heads.numbers, heads.notes}) {
        for (const std::string& name : names) text += "," + csv_text(name);
    }
    text += '\n';
    for (const Outcome& outcome : outcomes) {
        for (const Point& point : outcome.results.points) {
            text += row_of(outcome.results, point, heads);
        }
    }
    return text;
}

}  // namespace wideload::lab

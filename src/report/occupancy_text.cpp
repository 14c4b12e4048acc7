// SPDX-License-Identifier: Apache-2.0
#include "report/occupancy_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "report/layout.h"
#include "report/occupancy_words.h"
#include "report/step_plot.h"
#include "report/words.h"

namespace wideload::report {
namespace {

using model::Axis;
using model::Cliffs;
using model::OccupancyStudy;

std::string edge_words(const OccupancyStudy& study, const std::optional<Cliffs::Edge>& edge) {
    if (!edge) return "-";
    return fmt::format("{}: {}", grouped(edge->value),
                       occupancy_words(*study.device, edge->occupancy));
}

std::string heading(const OccupancyStudy& study) {
    const arch::Device& device = *study.device;
    std::string text = study.kernel.empty() ? std::string{} : wrapped(study.kernel, "", 100);
    text += fmt::format("{} ({}.{}): {} a block, {} a thread, {} of shared memory a block\n",
                        device.name, device.capability.major, device.capability.minor,
                        counted(study.resources.threads, "thread"),
                        counted(study.resources.registers, "register"),
                        counted(study.resources.shared_bytes(), "byte"));
    if (study.occupancy.blocks == 0) return text + "A block does not fit: it cannot be launched.\n";
    return text + fmt::format("{} and {} of {} warps a multiprocessor: {}, limited by {}.\n",
                              counted(study.occupancy.blocks, "block"), study.occupancy.warps,
                              device.limits().max_warps(), occupancy_words(device, study.occupancy),
                              limiters_words(study.occupancy));
}

std::string limits_table(const OccupancyStudy& study) {
    std::string text = "\n  limit            blocks\n";
    for (const arch::Limiter limiter : arch::kLimiters) {
        const std::uint32_t blocks = study.occupancy.allowed_by(limiter);
        text += fmt::format("  {:<16} {:>6}{}\n", limiter_words(limiter),
                            blocks == arch::kUnlimited ? "-" : grouped(blocks),
                            study.occupancy.is_limited_by(limiter) ? "  <" : "");
    }
    return text;
}

std::string cliffs_table(const OccupancyStudy& study) {
    constexpr std::array<std::string_view, model::kAxes.size()> kTitles = {
        "threads a block", "registers a thread", "shared bytes a block"};
    std::string text = fmt::format("\n  {:<20}  {:>12}  {:>18}  {:>18}\n", "cliffs", "here",
                                   "last below", "first above");
    for (const Axis axis : model::kAxes) {
        const auto i = static_cast<std::size_t>(axis);
        text += fmt::format("  {:<20}  {:>12}  {:>18}  {:>18}\n", kTitles[i],
                            grouped(model::value_on(axis, study.resources)),
                            edge_words(study, study.cliffs[i].below),
                            edge_words(study, study.cliffs[i].above));
    }
    return text;
}

std::string in_full(const OccupancyStudy& study) {
    std::string text = heading(study);
    if (study.occupancy.blocks != 0) text += limits_table(study);
    text += cliffs_table(study);
    for (const Axis axis : model::kAxes) {
        // A block that fits with no amount of this would make an empty plot.
        const bool fits =
            std::ranges::any_of(study.steps[static_cast<std::size_t>(axis)],
                                [](const model::Step& step) { return step.occupancy.blocks != 0; });
        if (fits) text += '\n' + step_plot(study, axis);
    }
    return text;
}

/// Columns of a table; the last is as wide as it is.
std::string row(std::string_view gpu, std::string_view threads, std::string_view registers,
                std::string_view shared, std::string_view blocks, std::string_view warps,
                std::string_view percent, std::string_view limiters, std::string_view kernel) {
    std::string text =
        fmt::format("{:<10} {:>7} {:>9} {:>9} {:>6} {:>7} {:>9}  {:<22} {}", gpu, threads,
                    registers, shared, blocks, warps, percent, limiters, kernel);
    text.erase(text.find_last_not_of(' ') + 1);
    return text + '\n';
}

std::string row(const OccupancyStudy& study) {
    return row(study.device->key, grouped(study.resources.threads),
               grouped(study.resources.registers), grouped(study.resources.shared_bytes()),
               grouped(study.occupancy.blocks),
               fmt::format("{}/{}", study.occupancy.warps, study.device->limits().max_warps()),
               occupancy_words(*study.device, study.occupancy), limiters_words(study.occupancy),
               study.kernel);
}

}  // namespace

std::string occupancy_text(std::span<const OccupancyStudy> studies) {
    if (studies.size() == 1) return in_full(studies.front());
    const bool has_kernels = !studies.empty() && !studies.front().kernel.empty();
    std::string text = row("gpu", "threads", "registers", "shared B", "blocks", "warps",
                           "occupancy", "limited by", has_kernels ? "kernel" : "");
    for (const OccupancyStudy& study : studies) text += row(study);
    return text;
}

}  // namespace wideload::report

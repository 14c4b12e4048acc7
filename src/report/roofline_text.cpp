// SPDX-License-Identifier: Apache-2.0
#include "report/roofline_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "report/layout.h"
#include "report/roofline_plot.h"
#include "report/words.h"

namespace wideload::report {
namespace {

using model::Roof;
using model::Roofline;

std::string seconds_words(const Roofline& kernel, Roof roof) {
    const std::optional<double>& seconds = kernel.seconds[static_cast<std::size_t>(roof)];
    return seconds ? duration_words(*seconds) : "-";
}

std::string three_digits(double value) {
    return fmt::format("{:.{}f}", value, value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2);
}

/// The slowest of the arithmetic roofs, with its type.
std::string arithmetic_words(const Roofline& kernel) {
    std::optional<Roof> slowest;
    for (const Roof roof : model::kRoofs) {
        const std::optional<double>& seconds = kernel.seconds[static_cast<std::size_t>(roof)];
        if (model::is_memory(roof) || seconds.value_or(0) == 0) continue;
        if (!slowest || *seconds > *kernel.seconds[static_cast<std::size_t>(*slowest)]) {
            slowest = roof;
        }
    }
    if (!slowest) return "-";
    return fmt::format("{} {}", seconds_words(kernel, *slowest), model::name(*slowest));
}

std::string roofline_row(std::string_view letter, std::string_view bound, std::string_view by,
                         std::string_view dram, std::string_view l2, std::string_view l1,
                         std::string_view arithmetic, std::string_view intensity,
                         std::string_view kernel) {
    return fmt::format("  {:<2} {} {:<5} {} {} {} {} {:>8}  {}\n", letter, pad_left(bound, 9), by,
                       pad_left(dram, 9), pad_left(l2, 9), pad_left(l1, 9),
                       pad_left(arithmetic, 13), intensity, kernel);
}

std::string roofline_row(const Roofline& kernel, char letter) {
    const std::optional<double> intensity = kernel.intensity();
    return roofline_row(
        std::string(1, letter), duration_words(kernel.bound_s),
        kernel.binding ? model::name(*kernel.binding) : "-", seconds_words(kernel, Roof::dram),
        seconds_words(kernel, Roof::l2), seconds_words(kernel, Roof::l1), arithmetic_words(kernel),
        intensity ? fmt::format("{:.3g}", *intensity) : "-",
        kernel.launches == 1
            ? kernel.kernel
            : fmt::format("{} ({})", kernel.kernel, counted(kernel.launches, "launch")));
}

/// "0.125", "42.7", "1,365"
std::string intensity_words(double intensity) {
    return intensity >= 999.5 ? grouped(static_cast<std::uint64_t>(std::llround(intensity)))
                              : fmt::format("{:.3g}", intensity);
}

std::string notes(std::span<const Roofline> kernels) {
    const bool lacks_dram = std::ranges::any_of(kernels, [](const Roofline& kernel) {
        return !kernel.work[static_cast<std::size_t>(Roof::dram)];
    });
    std::string text = wrapped(
        "Bounds by peak rates, nothing measured: no launch takes less whose caches are empty at "
        "its "
        "start and written back at its end.",
        "", 100);
    if (lacks_dram) {
        text += wrapped(
            "DRAM was not counted: 'wideload run --roofline --json FILE' counts distinct bytes "
            "too.",
            "", 100);
    }
    return text;
}

}  // namespace

std::string duration_words(double seconds) {
    using Unit = std::pair<double, const char*>;
    constexpr std::array kUnits = {Unit{1.0, "s"}, Unit{1e-3, "ms"}, Unit{1e-6, "µs"},
                                   Unit{1e-9, "ns"}};
    for (const auto& [unit, name] : kUnits) {
        if (seconds >= unit) return three_digits(seconds / unit) + ' ' + name;
    }
    return seconds == 0 ? "0 ns" : three_digits(seconds / 1e-12) + " ps";
}

std::string roofline_words(const Roofline& kernel) {
    const bool has_dram = kernel.work[static_cast<std::size_t>(Roof::dram)].has_value();
    std::string text;
    if (const auto intensity = kernel.intensity(has_dram ? Roof::dram : Roof::l1)) {
        text = fmt::format("{} {}{}, ", intensity_words(*intensity),
                           kernel.has_floating_point() ? "FLOP/B" : "integer op/B",
                           has_dram ? "" : " of L1");
    }
    const std::string bound = duration_words(kernel.bound_s);
    const std::string_view roof = model::name(*kernel.binding);
    // What was not counted may bind.
    return text + (has_dram ? fmt::format("bound by {}, at least {}", roof, bound)
                            : fmt::format("at least {} by {}; --roofline adds DRAM", bound, roof));
}

std::string roofline_text(std::span<const Roofline> kernels) {
    if (kernels.empty()) return "No launch has counters: nothing to bound.\n";
    std::string text;
    const arch::Device* device = nullptr;
    for (std::size_t begin = 0; begin < kernels.size();) {
        device = kernels[begin].device;
        std::size_t end = begin;
        while (end < kernels.size() && kernels[end].device == device) ++end;
        const auto group = kernels.subspan(begin, end - begin);
        text += fmt::format("{} ({}.{})\n", device->name, device->capability.major,
                            device->capability.minor);
        text +=
            roofline_row("", "bound", "by", "DRAM", "L2", "L1", "arithmetic", "ops/byte", "kernel");
        for (std::size_t i = 0; i < group.size(); ++i)
            text += roofline_row(group[i], plot_letter(i));
        text += '\n' + roofline_plot(group) + '\n';
        begin = end;
    }
    return text + notes(kernels);
}

}  // namespace wideload::report

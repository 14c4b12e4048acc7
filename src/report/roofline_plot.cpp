// SPDX-License-Identifier: Apache-2.0
#include "report/roofline_plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

namespace wideload::report {
namespace {

using model::Roof;
using model::Roofline;

constexpr int kColumns = 72, kRows = 18;
/// Powers of ten at the edges. Operations a byte, and below the highest peak.
constexpr double kFirstDecade = -2, kLastDecade = 4;
constexpr double kDecadesUp = 6;

/// A grid of characters over logarithmic axes.
class Canvas {
public:
    explicit Canvas(double top) : top_(top), cells_(kRows, std::string(kColumns, ' ')) {}

    [[nodiscard]] static double intensity_of(int column) {
        return std::pow(10, kFirstDecade + (kLastDecade - kFirstDecade) * column / (kColumns - 1));
    }
    void put(double intensity, double rate, char mark) {
        const int column =
            static_cast<int>(std::lround((std::log10(intensity) - kFirstDecade) /
                                         (kLastDecade - kFirstDecade) * (kColumns - 1)));
        const int row =
            static_cast<int>(std::lround((top_ - std::log10(rate)) / kDecadesUp * (kRows - 1)));
        if (column < 0 || column >= kColumns || row < 0 || row >= kRows) return;
        cells_[static_cast<std::size_t>(row)][static_cast<std::size_t>(column)] = mark;
    }
    [[nodiscard]] std::string text() const {
        std::string text;
        for (int row = 0; row < kRows; ++row) {
            const double decade = top_ - kDecadesUp * row / (kRows - 1);
            text += row % 4 == 0 ? fmt::format("  {:>8.1e} |", std::pow(10, decade))
                                 : std::string("           |");
            std::string line = cells_[static_cast<std::size_t>(row)];
            line.erase(line.find_last_not_of(' ') + 1);
            text += line + '\n';
        }
        return text + "           +" + std::string(kColumns, '-') + '\n';
    }

private:
    double top_;
    std::vector<std::string> cells_;
};

/// Below the machine's balance of each type DRAM is the roof, above it the type's arithmetic.
void draw_roofs(Canvas& canvas, const arch::Device& device) {
    const double dram = *model::peak(Roof::dram, device);
    const double highest = *model::peak(Roof::f16, device);
    for (int column = 0; column < kColumns; ++column) {
        const double intensity = Canvas::intensity_of(column);
        if (intensity * dram < highest) canvas.put(intensity, intensity * dram, '/');
        for (const Roof roof : {Roof::f64, Roof::f32, Roof::f16}) {
            const double rate = *model::peak(roof, device);
            if (intensity * dram >= rate) canvas.put(intensity, rate, '-');
        }
    }
}

}  // namespace

char plot_letter(std::size_t index) {
    constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    return index < kLetters.size() ? kLetters[index] : '*';
}

std::string roofline_plot(std::span<const Roofline> kernels) {
    const arch::Device& device = *kernels.front().device;
    Canvas canvas(std::ceil(std::log10(*model::peak(Roof::f16, device))));
    draw_roofs(canvas, device);
    for (std::size_t i = 0; i < kernels.size(); ++i) {
        const std::optional<double> intensity = kernels[i].intensity();
        if (!intensity || *intensity == 0 || kernels[i].bound_s == 0) continue;
        canvas.put(*intensity, kernels[i].operations() / kernels[i].bound_s, plot_letter(i));
    }
    std::string labels(kColumns, ' ');
    for (int decade = static_cast<int>(kFirstDecade); decade <= static_cast<int>(kLastDecade);
         ++decade) {
        const std::string label = fmt::format("{:g}", std::pow(10, decade));
        const auto at = static_cast<std::size_t>((decade - kFirstDecade) /
                                                 (kLastDecade - kFirstDecade) * (kColumns - 1));
        labels.replace(std::min(at, labels.size() - label.size()), label.size(), label);
    }
    return "  operations/s at the bound, over operations a DRAM byte; roofs: DRAM, f64, f32, "
           "f16\n" +
           canvas.text() + "            " + labels + '\n';
}

}  // namespace wideload::report

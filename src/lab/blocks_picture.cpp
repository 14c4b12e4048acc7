// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <span>

#include "lab/picture.h"
#include "report/svg.h"
#include "report/words.h"

namespace wideload::lab {
namespace {

namespace svg = report::svg;

constexpr double kLeft = 44, kBlocksTop = 30, kRow = 18, kWidestColumn = 24, kRight = 10;
constexpr std::size_t kWavesALine = 3;
constexpr const char* kGrey = R"(fill="#555" text-anchor="middle")";

std::string wave_colour(std::size_t wave) {
    constexpr std::size_t kStep = 137;  // degrees of the golden angle: no two neighbours are alike
    return fmt::format(R"svg(fill="hsl({} 60% 70%)" stroke="#fff")svg", wave * kStep % 360);
}

/// Where the blocks of each multiprocessor are drawn.
struct Columns {
    std::map<double, double> left;  ///< by multiprocessor
    double width = kWidestColumn;

    explicit Columns(std::span<const double> multiprocessors) {
        for (const double multiprocessor : multiprocessors) left[multiprocessor] = 0;
        const auto count = static_cast<double>(std::max<std::size_t>(left.size(), 1));
        width = std::min(kWidestColumn, (kPictureWidth - kLeft - kRight) / count);
        double x = kLeft;
        for (auto& [_, place] : left) {
            place = x;
            x += width;
        }
    }
    /// As many multiprocessors' numbers as there is room for.
    [[nodiscard]] std::string names() const {
        constexpr double kRoom = 26;
        std::string content =
            svg::text({kLeft - 6, kBlocksTop - 5}, "SM", 11, R"(fill="#555" text-anchor="end")");
        double free_from = 0;
        for (const auto& [multiprocessor, x] : left) {
            if (x < free_from) continue;
            content += svg::text({x + width / 2, kBlocksTop - 5}, fmt::format("{}", multiprocessor),
                                 10, kGrey);
            free_from = x + kRoom;
        }
        return content;
    }
};

/// The blocks of each wave by their colour.
std::string legend(std::size_t blocks, std::size_t resident, double top) {
    constexpr std::size_t kMostWaves = 2 * kWavesALine;
    constexpr double kEntry = 230;
    std::string content;
    const std::size_t waves = (blocks + resident - 1) / resident;
    for (std::size_t wave = 0; wave < std::min(waves, kMostWaves); ++wave) {
        const std::size_t line = wave / kWavesALine, column = wave % kWavesALine;
        const double x = kLeft + static_cast<double>(column) * kEntry;
        const double y = top + static_cast<double>(line) * kRow;
        const std::size_t first = wave * resident, last = std::min(blocks, first + resident) - 1;
        const std::string numbers = first == last ? fmt::format("block {}", first)
                                                  : fmt::format("blocks {} to {}", first, last);
        content += svg::rectangle({x, y, 14, 14}, wave_colour(wave)) +
                   svg::text({x + 20, y + 11}, fmt::format("wave {}: {}", wave + 1, numbers), 12,
                             R"(fill="#333")");
    }
    return content;
}

}  // namespace

std::string blocks_picture(std::span<const double> multiprocessors, std::size_t resident) {
    resident = std::max<std::size_t>(resident, 1);
    const Columns columns(multiprocessors);
    std::map<double, std::size_t> held;  // blocks that each multiprocessor has had so far
    std::string content = columns.names();
    std::size_t deepest = 0;
    for (std::size_t block = 0; block < multiprocessors.size(); ++block) {
        const std::size_t row = held[multiprocessors[block]]++;
        const double x = columns.left.at(multiprocessors[block]);
        const double y = kBlocksTop + static_cast<double>(row) * kRow;
        content += svg::rectangle({x, y, columns.width, kRow}, wave_colour(block / resident));
        if (columns.width >= 20) {
            content += svg::text(x + columns.width / 2, y + 12, std::to_string(block), 9);
        }
        deepest = std::max(deepest, row + 1);
    }
    for (std::size_t row = 0; row < deepest; ++row) {
        content += svg::text({kLeft - 6, kBlocksTop + static_cast<double>(row) * kRow + 13},
                             fmt::format("{}.", row + 1), 10, R"(fill="#555" text-anchor="end")");
    }
    const double bottom = kBlocksTop + static_cast<double>(deepest) * kRow;
    const std::size_t waves = (multiprocessors.size() + resident - 1) / resident;
    content += legend(multiprocessors.size(), resident, bottom + 10);
    const double below = bottom + (waves > kWavesALine ? 3 : 2) * kRow;
    const std::string caption =
        fmt::format("{} on {}, a column each, in the order of their numbers; at most {} on one",
                    report::counted(multiprocessors.size(), "block"),
                    report::counted(columns.left.size(), "multiprocessor"), deepest);
    content += svg::text(kPictureWidth / 2, below + 18, caption, 13);
    return svg::drawing(kPictureWidth, below + 26, content, caption);
}

}  // namespace wideload::lab

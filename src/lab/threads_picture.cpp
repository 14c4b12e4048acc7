// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "arch/compute_capability.h"
#include "lab/picture.h"
#include "report/svg.h"
#include "report/words.h"

namespace wideload::lab {
namespace {

namespace svg = report::svg;

constexpr double kThreadCell = 21, kEdge = 34, kHead = 34, kSliceGap = 14;
constexpr const char* kAxis = R"(fill="#555" text-anchor="end")";

/// Neighbouring warps are told apart by hue, lanes of a warp are not.
std::string warp_colour(std::uint32_t warp) {
    constexpr unsigned kStep = 137;  // degrees of the golden angle: no two neighbours are alike
    return fmt::format(R"svg(fill="hsl({} 60% 70%)" stroke="#fff")svg", warp * kStep % 360);
}

/// The threads of one z, in rows no longer than a warp: a row of the block that is longer goes on
/// below.
struct Slice {
    std::uint32_t across, down;  ///< threads along x and y

    [[nodiscard]] std::uint32_t columns() const { return std::min(across, arch::kWarpSize); }
    [[nodiscard]] std::uint32_t lines_a_row() const {
        return (across + arch::kWarpSize - 1) / arch::kWarpSize;
    }
    [[nodiscard]] double width() const { return kEdge + columns() * kThreadCell; }
    [[nodiscard]] double height() const { return kHead + down * lines_a_row() * kThreadCell; }
};

/// What a thread is called: its lane, or the warp that begins with it.
std::string draw_thread(std::uint32_t thread, double left, double top) {
    const std::uint32_t lane = thread % arch::kWarpSize;
    const svg::Place middle{left + kThreadCell / 2, top + kThreadCell * 0.68};
    const std::string name = lane == 0
                                 ? svg::text(middle, fmt::format("W{}", thread / arch::kWarpSize),
                                             thread / arch::kWarpSize < 10 ? 9.5 : 8,
                                             R"(text-anchor="middle" font-weight="bold")")
                                 : svg::text(middle.x, middle.y, std::to_string(lane), 9.5);
    return svg::rectangle({left, top, kThreadCell, kThreadCell},
                          warp_colour(thread / arch::kWarpSize)) +
           name;
}

/// x over its columns, y before its rows; where a row goes on below, the x that it goes on with.
std::string draw_axes(const Slice& slice, double left, double top, std::string_view z) {
    std::string content = svg::text({left, top + 12}, z, 12, R"(fill="#222")");
    const double line = top + kHead - 5;
    content += svg::text({left + kEdge - 6, line}, "y\\x", 10, kAxis);
    for (const std::uint32_t x : {0U, slice.columns() - 1}) {
        content += svg::text({left + kEdge + x * kThreadCell + kThreadCell / 2, line},
                             std::to_string(x), 10, R"(fill="#555" text-anchor="middle")");
    }
    for (std::uint32_t y = 0; y < slice.down; ++y) {
        for (std::uint32_t part = 0; part < slice.lines_a_row(); ++part) {
            const double row = y * slice.lines_a_row() + part;
            const std::string name =
                part == 0 ? std::to_string(y) : fmt::format("x={}", part * arch::kWarpSize);
            content +=
                svg::text({left + kEdge - 6, top + kHead + row * kThreadCell + kThreadCell * 0.68},
                          name, part == 0 ? 10 : 8.5, kAxis);
        }
    }
    return content;
}

std::string draw_slice(const Slice& slice, std::uint32_t z, double left, double top) {
    std::string content = draw_axes(slice, left, top, fmt::format("z = {}", z));
    for (std::uint32_t y = 0; y < slice.down; ++y) {
        for (std::uint32_t x = 0; x < slice.across; ++x) {
            const std::uint32_t row = y * slice.lines_a_row() + x / arch::kWarpSize;
            content += draw_thread((z * slice.down + y) * slice.across + x,
                                   left + kEdge + x % arch::kWarpSize * kThreadCell,
                                   top + kHead + row * kThreadCell);
        }
    }
    return content;
}

std::string caption_of(const std::array<std::uint32_t, 3>& block) {
    const std::uint32_t threads = block[0] * block[1] * block[2];
    std::string caption =
        fmt::format("{} × {} × {} threads: {}", block[0], block[1], block[2],
                    report::counted((threads + arch::kWarpSize - 1) / arch::kWarpSize, "warp"));
    if (const std::uint32_t last = threads % arch::kWarpSize; last != 0) {
        caption += fmt::format(", the last with {} of 32 lanes", last);
    }
    return caption + "; the figures are lanes, W0 is where warp 0 begins";
}

}  // namespace

std::string threads_picture(const std::array<std::uint32_t, 3>& block) {
    const Slice slice{block[0], block[1]};
    std::string content;
    double left = 0, top = 0;
    for (std::uint32_t z = 0; z < block[2]; ++z) {
        if (z > 0 && left + slice.width() > kPictureWidth) {
            left = 0;
            top += slice.height() + kSliceGap;
        }
        content += draw_slice(slice, z, left, top);
        left += slice.width() + kSliceGap;
    }
    const double bottom = top + slice.height();
    const std::string caption = caption_of(block);
    content += svg::text(kPictureWidth / 2, bottom + 20, caption, 13);
    return svg::drawing(kPictureWidth, bottom + 28, content, caption);
}

}  // namespace wideload::lab

// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <vector>

#include "lab/picture.h"
#include "report/svg.h"

namespace wideload::lab {
namespace {

namespace svg = report::svg;

constexpr unsigned kLanes = 32;
constexpr std::uint64_t kSectorBytes = 32;
constexpr double kWidth = 760, kLaneTop = 4, kLaneHeight = 18, kSectorTop = 84, kSectorHeight = 22;
constexpr double kGap = 5;  // between sectors that are no neighbours

bool is_active(const Request& request, unsigned lane) { return (request.mask >> lane & 1) != 0; }

/// Where each touched sector is drawn.
struct Shelf {
    std::vector<std::uint64_t> sectors;  ///< numbers, ascending
    std::vector<double> left;
    double width = 0;  ///< of one sector

    [[nodiscard]] double place(std::uint64_t address) const {
        const auto found = std::ranges::lower_bound(sectors, address / kSectorBytes);
        const auto index = static_cast<std::size_t>(found - sectors.begin());
        const double within = static_cast<double>(address % kSectorBytes) / kSectorBytes;
        return left[index] + within * width;
    }
};

Shelf shelf_of(const Request& request) {
    std::set<std::uint64_t> touched;
    for (unsigned lane = 0; lane < kLanes; ++lane) {
        if (!is_active(request, lane)) continue;
        const std::uint64_t first = request.addresses[lane];
        const std::uint64_t last = first + std::max(request.bytes_per_lane, 1U) - 1;
        touched.insert(first / kSectorBytes);
        touched.insert(last / kSectorBytes);
    }
    Shelf shelf{{touched.begin(), touched.end()}, {}, 0};
    std::size_t gaps = 0;
    for (std::size_t i = 1; i < shelf.sectors.size(); ++i) {
        if (shelf.sectors[i] != shelf.sectors[i - 1] + 1) ++gaps;
    }
    const auto count = static_cast<double>(std::max<std::size_t>(shelf.sectors.size(), 1));
    shelf.width = std::min(kWidth / 4, (kWidth - kGap * static_cast<double>(gaps)) / count);
    double x = 0;
    for (std::size_t i = 0; i < shelf.sectors.size(); ++i) {
        if (i > 0 && shelf.sectors[i] != shelf.sectors[i - 1] + 1) x += kGap;
        shelf.left.push_back(x);
        x += shelf.width;
    }
    return shelf;
}

std::string draw_sectors(const Shelf& shelf) {
    std::string content;
    for (const double left : shelf.left) {
        content += svg::rectangle({left, kSectorTop, shelf.width, kSectorHeight},
                                  R"(fill="#eee" stroke="#555")");
    }
    return content;
}

std::string draw_lane(const Request& request, const Shelf& shelf, unsigned lane) {
    constexpr double kPitch = kWidth / kLanes;
    const double x = lane * kPitch;
    const bool active = is_active(request, lane);
    const std::string fill =
        active ? fmt::format(R"(fill="{}")", svg::lane_colour(lane)) : R"(fill="#ddd")";
    std::string content = svg::rectangle({x + 1, kLaneTop, kPitch - 2, kLaneHeight}, fill);
    content += svg::text(x + kPitch / 2, kLaneTop + 13, std::to_string(lane), 10);
    if (!active) return content;
    const double bytes = shelf.width * request.bytes_per_lane / kSectorBytes;
    const double to = shelf.place(request.addresses[lane]);
    content += svg::rectangle({to, kSectorTop + 1, bytes, kSectorHeight - 2}, fill);
    content += svg::line(x + kPitch / 2, kLaneTop + kLaneHeight, to + bytes / 2, kSectorTop,
                         fmt::format(R"(stroke="{}")", svg::lane_colour(lane)));
    return content;
}

std::size_t distinct_bytes(const Request& request) {
    std::set<std::uint64_t> bytes;
    for (unsigned lane = 0; lane < kLanes; ++lane) {
        if (!is_active(request, lane)) continue;
        for (std::uint32_t i = 0; i < request.bytes_per_lane; ++i) {
            bytes.insert(request.addresses[lane] + i);
        }
    }
    return bytes.size();
}

}  // namespace

std::string lanes_picture(const Request& request) {
    const Shelf shelf = shelf_of(request);
    std::string content = draw_sectors(shelf);
    for (unsigned lane = 0; lane < kLanes; ++lane) content += draw_lane(request, shelf, lane);
    const std::string caption =
        fmt::format("{} sectors of 32 bytes, {} of {} bytes used", shelf.sectors.size(),
                    distinct_bytes(request), shelf.sectors.size() * kSectorBytes);
    content += svg::text(kWidth / 2, kSectorTop + kSectorHeight + 18, caption, 13);
    return svg::drawing(kWidth, kSectorTop + kSectorHeight + 26, content, caption);
}

}  // namespace wideload::lab

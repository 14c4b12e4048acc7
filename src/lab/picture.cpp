// SPDX-License-Identifier: Apache-2.0
#include "lab/picture.h"

#include <algorithm>

#include "lab/metric.h"

namespace wideload::lab {
namespace {

const Request* find_request(const Picture& picture, const Point& point) {
    std::uint32_t ordinal = 0;
    for (const Request& request : point.requests) {
        if (request.kind != picture.site) continue;
        if (ordinal++ == picture.ordinal) return &request;
    }
    return nullptr;
}

/// From the facts of a point: "side", "tile" and, of a product, "tile_depth".
std::optional<Tiling> tiling_of(const Point& point) {
    constexpr double kMostElements = 1 << 20;
    const auto fact = [&](std::string_view name, double fallback) {
        const auto found = point.facts.find(name);
        return found == point.facts.end() ? fallback : found->second;
    };
    const Tiling tiling{fact("side", 0), fact("tile", 0), fact("tile_depth", 0)};
    const bool has_sides = tiling.side >= 1 && tiling.side <= kMostElements;
    const bool has_tile = tiling.tile >= 1 && tiling.tile <= tiling.side;
    if (!has_sides || !has_tile || !(tiling.depth >= 0 && tiling.depth <= tiling.side)) {
        return std::nullopt;
    }
    return tiling;
}

}  // namespace

std::optional<std::string> draw(const Picture& picture, const Results& results) {
    constexpr std::uint32_t kMostThreads = 1024, kMostBlocks = 8192;
    for (const Point& point : results.points) {
        if (point.series != picture.series || !fits(point, picture.where)) continue;
        if (picture.kind == PictureKind::threads) {
            const auto [x, y, z] = point.block;
            if (std::max({x, y, z}) > kMostThreads) continue;
            const std::uint64_t threads = std::uint64_t{x} * y * z;
            if (threads == 0 || threads > kMostThreads) continue;
            return threads_picture(point.block);
        }
        if (picture.kind == PictureKind::blocks) {
            const auto blocks = point.lists.find("multiprocessor");
            const auto resident = point.facts.find("resident");
            if (blocks == point.lists.end() || resident == point.facts.end()) continue;
            if (blocks->second.size() > kMostBlocks || !(resident->second >= 1)) continue;
            return blocks_picture(blocks->second, static_cast<std::size_t>(std::min<double>(
                                                      resident->second, kMostBlocks)));
        }
        if (picture.kind == PictureKind::tiles) {
            const std::optional<Tiling> tiling = tiling_of(point);
            if (!tiling) continue;
            return tiles_picture(*tiling);
        }
        const Request* request = find_request(picture, point);
        if (request == nullptr) continue;
        return picture.kind == PictureKind::lanes ? lanes_picture(*request)
                                                  : banks_picture(*request);
    }
    return std::nullopt;
}

}  // namespace wideload::lab

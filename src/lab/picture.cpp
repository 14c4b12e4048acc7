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

std::optional<std::string> threads_of(const Point& point) {
    constexpr std::uint32_t kMostThreads = 1024;
    const auto [x, y, z] = point.block;
    if (std::max({x, y, z}) > kMostThreads) return std::nullopt;
    const std::uint64_t threads = std::uint64_t{x} * y * z;
    if (threads == 0 || threads > kMostThreads) return std::nullopt;
    return threads_picture(point.block);
}

std::optional<std::string> blocks_of(const Point& point) {
    constexpr std::uint32_t kMostBlocks = 8192;
    const auto blocks = point.lists.find("multiprocessor");
    const auto resident = point.facts.find("resident");
    if (blocks == point.lists.end() || resident == point.facts.end()) return std::nullopt;
    if (blocks->second.size() > kMostBlocks || !(resident->second >= 1)) return std::nullopt;
    return blocks_picture(
        blocks->second, static_cast<std::size_t>(std::min<double>(resident->second, kMostBlocks)));
}

std::optional<std::string> draw(const Picture& picture, const Point& point) {
    switch (picture.kind) {
        case PictureKind::threads:
            return threads_of(point);
        case PictureKind::blocks:
            return blocks_of(point);
        case PictureKind::tiles:
            if (const auto tiling = tiling_of(point)) return tiles_picture(*tiling);
            return std::nullopt;
        case PictureKind::lanes:
            if (const auto* request = find_request(picture, point)) return lanes_picture(*request);
            return std::nullopt;
        case PictureKind::banks:
            if (const auto* request = find_request(picture, point)) return banks_picture(*request);
            return std::nullopt;
    }
    return std::nullopt;
}

bool is_of(const Picture& picture, const Point& point) {
    return point.series == picture.series && fits(point, picture.where);
}

}  // namespace

const Request* drawn_request(const Picture& picture, const Results& results) {
    if (picture.kind != PictureKind::lanes && picture.kind != PictureKind::banks) return nullptr;
    for (const Point& point : results.points) {
        if (!is_of(picture, point)) continue;
        if (const Request* request = find_request(picture, point)) return request;
    }
    return nullptr;
}

std::optional<std::string> draw(const Picture& picture, const Results& results) {
    for (const Point& point : results.points) {
        if (!is_of(picture, point)) continue;
        if (auto drawn = draw(picture, point)) return drawn;
    }
    return std::nullopt;
}

}  // namespace wideload::lab

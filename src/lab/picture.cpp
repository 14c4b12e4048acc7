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

}  // namespace

std::optional<std::string> draw(const Picture& picture, const Results& results) {
    constexpr std::uint32_t kMostThreads = 1024;
    for (const Point& point : results.points) {
        if (point.series != picture.series || !fits(point, picture.where)) continue;
        if (picture.kind == PictureKind::threads) {
            const auto [x, y, z] = point.block;
            if (std::max({x, y, z}) > kMostThreads) continue;
            const std::uint64_t threads = std::uint64_t{x} * y * z;
            if (threads == 0 || threads > kMostThreads) continue;
            return threads_picture(point.block);
        }
        const Request* request = find_request(picture, point);
        if (request == nullptr) continue;
        return picture.kind == PictureKind::lanes ? lanes_picture(*request)
                                                  : banks_picture(*request);
    }
    return std::nullopt;
}

}  // namespace wideload::lab

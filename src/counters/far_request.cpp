// SPDX-License-Identifier: Apache-2.0
#include "counters/far_request.h"

#include <algorithm>

namespace wideload::counters {

Figures measure_far(const std::uint64_t* addresses, std::uint32_t mask, unsigned bytes_per_lane,
                    Rule rule) {
    Request request;
    std::copy_n(addresses, kLanes, request.addresses.begin());
    request.mask = mask;
    request.bytes_per_lane = bytes_per_lane;
    return measure(request, rule);
}

}  // namespace wideload::counters

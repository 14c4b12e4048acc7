// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "lab/record.h"

namespace wideload::lab {

/// A metric of a point, as lab/harness/claim.cuh names them: a fact, counter or parameter, "bytes",
/// "us", "gbps", "gflops", "copy_percent", "<kind>_degree", "launched_warps" and the others of
/// docs/lab.md, or a quotient of two of them. Nothing where it was not measured.
[[nodiscard]] std::optional<double> metric(const Results& results, const Point& point,
                                           std::string_view name);

/// A point with the metric that a side of a claim or a chart asks for.
struct Measured {
    const Point* point = nullptr;
    double value = 0;
};

/// The points of a side, in their order, that have its metric.
[[nodiscard]] std::vector<Measured> select(const Results& results, const Side& side);

/// Whether a point has all these parameters.
[[nodiscard]] bool fits(const Point& point, const Parameters& where);

}  // namespace wideload::lab

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "report/svg.h"

namespace wideload::report {

/// Finds room for labels beside dots that may lie close together.
class LabelPlaces {
public:
    /// @param area  labels stay inside
    explicit LabelPlaces(const svg::Box& area) : area_(area) {}

    /// Nothing may stand on this place.
    void avoid(const svg::Place& dot);
    /// Nor here.
    void avoid(const svg::Box& box) { taken_.push_back(box); }

    /// The label, as near to its dot as there is room, with a line to it where that is not beside.
    [[nodiscard]] std::string draw(const svg::Place& dot, const std::string& label,
                                   const std::string& colour);

private:
    [[nodiscard]] bool is_free(const svg::Box& box) const;

    svg::Box area_;
    std::vector<svg::Box> taken_;
};

}  // namespace wideload::report

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

namespace lab {

/// The points that a run is asked for by name; without a name every point.
class Selection {
public:
    using Parameters = std::vector<std::pair<std::string, double>>;

    /// Adds a point as "SERIES:NAME=VALUE,NAME=VALUE" spells it, with all of its parameters; one
    /// without any is "SERIES".
    /// @returns false where it is not spelled so
    bool add(const std::string& spelling) {
        const std::size_t colon = spelling.find(':');
        Named point{spelling.substr(0, colon), {}};
        std::size_t at = colon == std::string::npos ? spelling.size() : colon + 1;
        while (at < spelling.size()) {
            const std::size_t end = std::min(spelling.find(',', at), spelling.size());
            if (!add_parameter(point.parameters, spelling.substr(at, end - at))) return false;
            at = end + 1;
        }
        if (point.series.empty()) return false;
        points_.push_back(std::move(point));
        return true;
    }

    bool is_of_all() const { return points_.empty(); }
    /// Whether the point was asked for.
    bool has(const std::string& series, const Parameters& parameters) const {
        if (is_of_all()) return true;
        for (const Named& point : points_) {
            if (point.series == series && are_same(point.parameters, parameters)) return true;
        }
        return false;
    }
    /// Whether a point of the series was asked for by name.
    bool names(const std::string& series) const {
        for (const Named& point : points_) {
            if (point.series == series) return true;
        }
        return false;
    }

private:
    struct Named {
        std::string series;
        Parameters parameters;
    };

    static bool add_parameter(Parameters& parameters, const std::string& spelling) {
        const std::size_t equals = spelling.find('=');
        if (equals == std::string::npos || equals + 1 == spelling.size()) return false;
        char* end = nullptr;
        const double value = std::strtod(spelling.c_str() + equals + 1, &end);
        parameters.emplace_back(spelling.substr(0, equals), value);
        return *end == '\0';
    }
    /// In any order.
    static bool are_same(const Parameters& some, const Parameters& others) {
        for (const auto& parameter : others) {
            if (std::find(some.begin(), some.end(), parameter) == some.end()) return false;
        }
        return some.size() == others.size();
    }

    std::vector<Named> points_;
};

}  // namespace lab

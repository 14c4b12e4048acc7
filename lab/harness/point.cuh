// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "json.cuh"
#include "timer.cuh"

namespace lab {

/// A counter that all launches of a point together must have, on the virtual GPU and on hardware.
struct Expected {
    std::string counter;  ///< as profiles spell it: "global_ld_sectors"
    std::uint64_t value = 0;
    std::string formula;    ///< how it follows from the launch, for the reader
    bool at_least = false;  ///< what the launch leaves open may only add to it
};

/// One point of a sweep: what was launched, and what came out.
struct PointResult {
    std::string series;
    std::vector<std::pair<std::string, double>> parameters;
    std::uint64_t bytes = 0;  ///< that the work must read and write at least
    double flops = 0;
    std::vector<Expected> expected;
    std::vector<std::pair<std::string, double>> facts;
    std::vector<std::pair<std::string, std::string>> notes;
    std::vector<std::pair<std::string, std::vector<double>>> lists;
    std::string kernel;  ///< mangled, where the point names it
    bool correct = true;
    Time time;

    std::string to_json() const {
        const auto numbers = [](const std::vector<std::pair<std::string, double>>& pairs) {
            json::Members members;
            for (const auto& [name, value] : pairs) members.emplace_back(name, json::number(value));
            return json::object(members);
        };
        json::Members texts;
        for (const auto& [name, value] : notes) texts.emplace_back(name, json::text(value));
        json::Members sequences;
        for (const auto& [name, values] : lists) {
            sequences.emplace_back(name, json::array(values, json::number));
        }
        const auto one_expected = [](const Expected& one) {
            json::Members members = {{"counter", json::text(one.counter)},
                                     {"value", json::whole(one.value)},
                                     {"formula", json::text(one.formula)}};
            if (one.at_least) members.emplace_back("at_least", json::boolean(true));
            return json::object(members);
        };
        json::Members members = {{"series", json::text(series)},
                                 {"parameters", numbers(parameters)},
                                 {"bytes", json::whole(bytes)},
                                 {"flops", json::number(flops)},
                                 {"expected", json::array(expected, one_expected)},
                                 {"facts", numbers(facts)},
                                 {"notes", json::object(texts)},
                                 {"lists", json::object(sequences)},
                                 {"kernel", json::text(kernel)},
                                 {"correct", json::boolean(correct)}};
        if (time.repeats > 0) {
            members.emplace_back(
                "us",
                json::object({{"median", json::number(time.median)},
                              {"lowest", json::number(time.lowest)},
                              {"highest", json::number(time.highest)},
                              {"repeats", json::whole(static_cast<unsigned>(time.repeats))}}));
        }
        return json::object(members);
    }
};

}  // namespace lab

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lab/description.h"
#include "profile/profile.h"

/// What came out of experiments: the results that a program writes, to which counters are joined,
/// and the file that keeps many of them with their descriptions.
namespace wideload::lab {

inline constexpr std::string_view kResultsSchema = "wideload-lab-results/1";
inline constexpr std::string_view kRecordSchema = "wideload-lab-record/1";

struct Expected {
    std::string counter;
    std::uint64_t value = 0;
    std::string formula;
    bool at_least = false;  ///< more is right, too
};

/// Microseconds of one launch, over the repeats.
struct Time {
    double median = 0, lowest = 0, highest = 0;
    std::uint32_t repeats = 0;
};

/// One request of a site whose addresses were kept, for pictures.
struct Request {
    std::string kind;    ///< of the site: "global_ld"
    std::string opcode;  ///< as PTX spells it
    std::uint32_t bytes_per_lane = 0;
    std::uint32_t mask = 0;                     ///< active lanes
    std::array<std::uint64_t, 32> addresses{};  ///< 0 for inactive lanes
    std::uint32_t sectors = 0;                  ///< as counted, or wavefronts; 0: not known
};

struct Point {
    std::string series;
    Parameters parameters;
    std::uint64_t bytes = 0;
    double flops = 0;
    std::vector<Expected> expected;
    std::map<std::string, double, std::less<>> facts;
    std::map<std::string, std::string, std::less<>> notes;
    std::map<std::string, std::vector<double>, std::less<>>
        lists;  ///< a figure of each block or thread
    bool correct = true;
    std::optional<Time> time;

    // Joined from a profile, or from a GPU's counters.
    profile::Counters counters;                    ///< of all its launches together
    std::uint64_t launches = 0;                    ///< 0: not joined
    std::string kernel;                            ///< of its first launch, mangled
    std::array<std::uint32_t, 3> grid{}, block{};  ///< of its first launch
    std::uint64_t dynamic_shared_bytes = 0;        ///< of its first launch
    std::vector<Request> requests;                 ///< of its first launch, in PTX order
};

/// What the point's program expects of a counter; null where it says nothing of it.
[[nodiscard]] const Expected* find_expected(const Point& point, std::string_view counter);

struct Machine {
    std::string gpu, compute_capability, driver, runtime;
    std::string driver_build;  ///< "580.159.04"; of a real GPU
    std::uint32_t multiprocessors = 0;
    std::uint64_t l2_bytes = 0;
    bool is_virtual = false;
};

struct Results {
    std::string experiment;
    std::string sizes;  ///< "small" or "full"
    Machine machine;
    std::string date;  ///< of a timed run
    std::optional<double> best_copy_gbps;
    std::vector<Point> points;
};

/// An experiment with its results.
struct Outcome {
    Description description;
    Results results;
};

/// @param source  for the errors
[[nodiscard]] Result<Results> parse_results(std::string_view text, const std::string& source);
[[nodiscard]] Result<std::vector<Outcome>> parse_record(std::string_view text,
                                                        const std::string& source);
/// A record as JSON, one experiment a line.
[[nodiscard]] std::string record_json(const std::vector<Outcome>& outcomes);

}  // namespace wideload::lab

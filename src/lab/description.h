// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "arch/occupancy.h"
#include "model/occupancy_steps.h"
#include "support/result.h"

/// What a lab program says of its experiment with --describe; lab/harness/experiment.cuh and
/// claim.cuh state each member's meaning.
namespace wideload::lab {

inline constexpr std::string_view kDescriptionSchema = "wideload-lab/1";

/// Parameters by name, as a point has them or as a claim demands them.
using Parameters = std::map<std::string, double, std::less<>>;

struct Series {
    std::string key, title;
};

struct Parameter {
    std::string key, title, unit;
};

struct Column {
    std::string metric, title, unit;
};

enum class ClaimKind : std::uint8_t { compare, monotone, crossover, best, note };

enum class Relation : std::uint8_t {
    none,
    equal,
    at_least,
    at_most,
    rising,
    falling,
    constant,
    highest,
    lowest
};

/// The points of a series that have certain parameters, by one metric.
struct Side {
    std::string metric;
    std::string series;  ///< empty: all
    Parameters where;
};

struct Claim {
    ClaimKind kind = ClaimKind::compare;
    Side left;
    Side right;  ///< without a metric: the claim is about the left alone
    Relation relation = Relation::none;
    double value = 0;
    double tolerance = 0;  ///< relative
    std::string parameter;
    std::string text;          ///< of a claim about a note: an opcode that it names
    std::string holds, fails;  ///< the sentence of each outcome
};

enum class Mark : std::uint8_t { line, step, bar, points };

struct Chart {
    std::string title, metric, parameter;
    Mark mark = Mark::line;
    bool log_x = false, log_y = false;
    std::vector<std::string> series;  ///< empty: all
};

enum class PictureKind : std::uint8_t { lanes, banks, threads, blocks, tiles };

/// As descriptions spell it: "lanes".
[[nodiscard]] std::string_view name(PictureKind kind);

struct Picture {
    PictureKind kind = PictureKind::lanes;
    std::string title, series;
    Parameters where;
    std::string site;
    std::uint32_t ordinal = 0;
};

/// Occupancy over one resource, for every GPU of the table.
struct Staircase {
    std::string title;
    model::Axis axis = model::Axis::registers;
    arch::BlockResources resources;  ///< what it takes of the others
};

struct Description {
    std::uint32_t chapter = 0;
    std::string name, title;
    std::vector<std::string> sources;
    std::string question, expectation;
    std::vector<Series> series;
    std::vector<Parameter> parameters;
    std::vector<Column> columns;
    std::vector<Column> summary;  ///< of a table with one row a series
    std::vector<Claim> remarks;   ///< of its last column, each of its left side's series
    std::vector<Claim> claims;
    std::vector<Chart> charts;
    std::vector<Staircase> staircases;
    std::vector<Picture> pictures;
    bool counts_full_sizes = false;  ///< on hardware: the documents' tables are of their own sizes
    std::uint32_t least_capability = 0;  ///< that its kernels need, times ten: 80; 0: any
    std::string json;                    ///< as the program wrote it, to be kept with results

    /// What a reader calls a series; its key where it is not described.
    [[nodiscard]] std::string_view series_title(std::string_view key) const;
    /// The column of a metric, or null.
    [[nodiscard]] const Column* column(std::string_view metric) const;
    /// Whether a column, claim or remark is about what only disassembled machine code tells:
    /// load_instructions, store_instructions, spill_store_bytes, spill_load_bytes.
    [[nodiscard]] bool names_machine_code() const;
};

/// @param source  for the errors
[[nodiscard]] Result<Description> parse_description(std::string_view text,
                                                    const std::string& source);

}  // namespace wideload::lab

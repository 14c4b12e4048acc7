// SPDX-License-Identifier: Apache-2.0
#include "lab/description.h"

#include <algorithm>
#include <array>
#include <utility>

#include "profile/document.h"
#include "profile/json_reader.h"

namespace wideload::lab {
namespace {

using profile::JsonReader;

// Each in the order of its enumeration.
constexpr std::array<std::string_view, 5> kClaimKinds = {"compare", "monotone", "crossover", "best",
                                                         "note"};
constexpr std::array<std::string_view, 9> kRelations = {
    "", "equal", "at_least", "at_most", "rising", "falling", "constant", "highest", "lowest"};
constexpr std::array<std::string_view, 4> kMarks = {"line", "step", "bar", "points"};
constexpr std::array<std::string_view, 5> kPictureKinds = {"lanes", "banks", "threads", "blocks",
                                                           "tiles"};
constexpr std::array<std::string_view, 3> kAxisWords = {"threads", "registers", "shared"};

template <class Enum, std::size_t kCount>
void read_word(const JsonReader& json, std::string_view member,
               const std::array<std::string_view, kCount>& words, Enum& out) {
    const auto found = json.member(member, true);
    if (!found) return;
    std::string word;
    found->read(word);
    for (std::size_t i = 0; i < kCount; ++i) {
        if (words[i] == word) {
            out = static_cast<Enum>(i);
            return;
        }
    }
    if (found->value().is_string()) found->error("there is no \"" + word + "\"");
}

void read_parameters(const JsonReader& json, std::string_view member, Parameters& out) {
    if (const auto found = json.member(member, false)) {
        found->members(
            [&](const std::string& name, const JsonReader& value) { value.read(out[name]); });
    }
}

void read_side(const JsonReader& json, const std::string& prefix, Side& side) {
    json.optional(prefix + "metric", side.metric);
    json.optional(prefix + "series", side.series);
    read_parameters(json, prefix + "where", side.where);
}

}  // namespace

// JsonReader finds these by their argument, so they lie beside it.
static void read_members(const JsonReader& json, Series& series) {
    json.required("key", series.key);
    json.required("title", series.title);
}

static void read_members(const JsonReader& json, Parameter& parameter) {
    json.required("key", parameter.key);
    json.required("title", parameter.title);
    json.optional("unit", parameter.unit);
}

static void read_members(const JsonReader& json, Column& column) {
    json.required("metric", column.metric);
    json.required("title", column.title);
    json.optional("unit", column.unit);
}

static void read_members(const JsonReader& json, Claim& claim) {
    read_word(json, "kind", kClaimKinds, claim.kind);
    read_side(json, "", claim.left);
    read_side(json, "other_", claim.right);
    read_word(json, "relation", kRelations, claim.relation);
    json.optional("value", claim.value);
    json.optional("tolerance", claim.tolerance);
    json.optional("parameter", claim.parameter);
    json.optional("text", claim.text);
    json.required("holds", claim.holds);
    json.required("fails", claim.fails);
}

static void read_members(const JsonReader& json, Chart& chart) {
    json.required("title", chart.title);
    json.required("metric", chart.metric);
    json.required("parameter", chart.parameter);
    read_word(json, "mark", kMarks, chart.mark);
    json.optional("log_x", chart.log_x);
    json.optional("log_y", chart.log_y);
    json.optional("series", chart.series);
}

static void read_members(const JsonReader& json, Picture& picture) {
    read_word(json, "kind", kPictureKinds, picture.kind);
    json.required("title", picture.title);
    json.required("series", picture.series);
    read_parameters(json, "where", picture.where);
    json.optional("site", picture.site);
    json.optional("ordinal", picture.ordinal);
}

static void read_members(const JsonReader& json, Staircase& staircase) {
    json.required("title", staircase.title);
    read_word(json, "axis", kAxisWords, staircase.axis);
    json.required("threads", staircase.resources.threads);
    json.required("registers", staircase.resources.registers);
    json.optional("shared_bytes", staircase.resources.dynamic_shared_bytes);
}

static void read_members(const JsonReader& json, Description& description) {
    json.required("chapter", description.chapter);
    json.required("name", description.name);
    json.required("title", description.title);
    json.optional("sources", description.sources);
    json.required("question", description.question);
    json.required("expectation", description.expectation);
    json.required("series", description.series);
    json.required("parameters", description.parameters);
    json.required("columns", description.columns);
    json.optional("summary", description.summary);
    json.optional("remarks", description.remarks);
    json.optional("claims", description.claims);
    json.optional("charts", description.charts);
    json.optional("staircases", description.staircases);
    json.optional("pictures", description.pictures);
    json.optional("counts_full_sizes", description.counts_full_sizes);
    json.optional("least_capability", description.least_capability);
}

std::string_view name(PictureKind kind) { return kPictureKinds[static_cast<std::size_t>(kind)]; }

std::string_view Description::series_title(std::string_view key) const {
    for (const Series& one : series) {
        if (one.key == key) return one.title;
    }
    return key;
}

const Column* Description::column(std::string_view metric) const {
    for (const Column& one : columns) {
        if (one.metric == metric) return &one;
    }
    return nullptr;
}

bool Description::names_machine_code() const {
    const auto is_of_machine_code = [](const std::string& metric) {
        return metric == "load_instructions" || metric == "store_instructions" ||
               metric == "spill_store_bytes" || metric == "spill_load_bytes";
    };
    const auto of_column = [&](const Column& one) { return is_of_machine_code(one.metric); };
    const auto of_claim = [&](const Claim& one) { return is_of_machine_code(one.left.metric); };
    return std::ranges::any_of(columns, of_column) || std::ranges::any_of(claims, of_claim) ||
           std::ranges::any_of(remarks, of_claim);
}

Result<Description> parse_description(std::string_view text, const std::string& source) {
    const Result<nlohmann::json> document = profile::parse_document(text, source);
    if (!document) return document.errors();
    Diagnostics errors;
    const JsonReader json(*document, source, errors);
    (void)json.schema(kDescriptionSchema);
    Description description;
    if (errors.empty()) json.read(description);
    if (!errors.empty()) return errors;
    description.json = document->dump();
    return description;
}

}  // namespace wideload::lab

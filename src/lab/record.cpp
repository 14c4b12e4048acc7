// SPDX-License-Identifier: Apache-2.0
#include "lab/record.h"

#include <algorithm>
#include <utility>

#include "profile/document.h"
#include "profile/json_reader.h"

namespace wideload::lab {
namespace {

using Json = nlohmann::ordered_json;
using profile::JsonReader;

constexpr std::uint32_t kWidestAccess = 64;

template <class Map>
void read_map(const JsonReader& json, std::string_view member, Map& out) {
    if (const auto found = json.member(member, false)) {
        found->members(
            [&](const std::string& name, const JsonReader& value) { value.read(out[name]); });
    }
}

template <class Map>
Json map_json(const Map& map) {
    Json json = Json::object();
    for (const auto& [name, value] : map) json[name] = value;
    return json;
}

Json request_json(const Request& request) {
    return {{"kind", request.kind},
            {"opcode", request.opcode},
            {"bytes_per_lane", request.bytes_per_lane},
            {"mask", request.mask},
            {"addresses", request.addresses},
            {"sectors", request.sectors}};
}

Json point_json(const Point& point) {
    Json json = {{"series", point.series},         {"parameters", map_json(point.parameters)},
                 {"bytes", point.bytes},           {"flops", point.flops},
                 {"facts", map_json(point.facts)}, {"notes", map_json(point.notes)},
                 {"correct", point.correct}};
    if (!point.lists.empty()) json["lists"] = map_json(point.lists);
    Json& expected = json["expected"] = Json::array();
    for (const Expected& one : point.expected) {
        expected.push_back(
            {{"counter", one.counter}, {"value", one.value}, {"formula", one.formula}});
        if (one.at_least) expected.back()["at_least"] = true;
    }
    if (point.time) {
        json["us"] = {{"median", point.time->median},
                      {"lowest", point.time->lowest},
                      {"highest", point.time->highest},
                      {"repeats", point.time->repeats}};
    }
    if (!point.kernel.empty()) json["kernel"] = point.kernel;
    if (point.launches == 0) return json;
    json["launches"] = point.launches;
    json["grid"] = point.grid;
    json["block"] = point.block;
    json["dynamic_shared_bytes"] = point.dynamic_shared_bytes;
    json["counters"] = map_json(point.counters);
    Json& requests = json["requests"] = Json::array();
    for (const Request& request : point.requests) requests.push_back(request_json(request));
    return json;
}

Json results_json(const Results& results) {
    const Machine& machine = results.machine;
    Json json = {{"schema", kResultsSchema},
                 {"experiment", results.experiment},
                 {"sizes", results.sizes},
                 {"machine",
                  {{"gpu", machine.gpu},
                   {"virtual", machine.is_virtual},
                   {"compute_capability", machine.compute_capability},
                   {"multiprocessors", machine.multiprocessors},
                   {"l2_bytes", machine.l2_bytes},
                   {"driver", machine.driver},
                   {"runtime", machine.runtime}}}};
    if (!machine.driver_build.empty()) json["machine"]["driver_build"] = machine.driver_build;
    if (!results.date.empty()) json["date"] = results.date;
    if (results.best_copy_gbps) json["best_copy_gbps"] = *results.best_copy_gbps;
    Json& points = json["points"] = Json::array();
    for (const Point& point : results.points) points.push_back(point_json(point));
    return json;
}

}  // namespace

const Expected* find_expected(const Point& point, std::string_view counter) {
    const auto found = std::ranges::find(point.expected, counter, &Expected::counter);
    return found == point.expected.end() ? nullptr : &*found;
}

// JsonReader finds these by their argument, so they lie beside it.
static void read_members(const JsonReader& json, Expected& expected) {
    json.required("counter", expected.counter);
    json.required("value", expected.value);
    json.optional("formula", expected.formula);
    json.optional("at_least", expected.at_least);
}

static void read_members(const JsonReader& json, Time& time) {
    json.required("median", time.median);
    json.optional("lowest", time.lowest);
    json.optional("highest", time.highest);
    json.optional("repeats", time.repeats);
    if (!(time.median > 0)) json.error("a time should be above 0");
}

static void read_members(const JsonReader& json, Request& request) {
    json.required("kind", request.kind);
    json.optional("opcode", request.opcode);
    json.required("bytes_per_lane", request.bytes_per_lane);
    if (request.bytes_per_lane > kWidestAccess)
        json.error("no lane asks for so many bytes at once");
    json.required("mask", request.mask);
    json.required("addresses", request.addresses);
    json.optional("sectors", request.sectors);
}

static void read_members(const JsonReader& json, Machine& machine) {
    json.required("gpu", machine.gpu);
    json.optional("virtual", machine.is_virtual);
    json.optional("compute_capability", machine.compute_capability);
    json.optional("multiprocessors", machine.multiprocessors);
    json.optional("l2_bytes", machine.l2_bytes);
    json.optional("driver", machine.driver);
    json.optional("runtime", machine.runtime);
    json.optional("driver_build", machine.driver_build);
}

static void read_members(const JsonReader& json, Point& point) {
    json.required("series", point.series);
    read_map(json, "parameters", point.parameters);
    json.optional("bytes", point.bytes);
    json.optional("flops", point.flops);
    json.optional("expected", point.expected);
    read_map(json, "facts", point.facts);
    read_map(json, "notes", point.notes);
    read_map(json, "lists", point.lists);
    json.optional("correct", point.correct);
    json.optional("us", point.time);
    json.optional("launches", point.launches);
    json.optional("kernel", point.kernel);
    json.optional("dynamic_shared_bytes", point.dynamic_shared_bytes);
    json.optional("grid", point.grid);
    json.optional("block", point.block);
    read_map(json, "counters", point.counters);
    json.optional("requests", point.requests);
}

static void read_members(const JsonReader& json, Results& results) {
    (void)json.schema(kResultsSchema);
    json.required("experiment", results.experiment);
    json.required("sizes", results.sizes);
    json.required("machine", results.machine);
    json.optional("date", results.date);
    json.optional("best_copy_gbps", results.best_copy_gbps);
    json.required("points", results.points);
}

Result<Results> parse_results(std::string_view text, const std::string& source) {
    const Result<nlohmann::json> document = profile::parse_document(text, source);
    if (!document) return document.errors();
    Diagnostics errors;
    Results results;
    JsonReader(*document, source, errors).read(results);
    if (!errors.empty()) return errors;
    return results;
}

Result<std::vector<Outcome>> parse_record(std::string_view text, const std::string& source) {
    const Result<nlohmann::json> document = profile::parse_document(text, source);
    if (!document) return document.errors();
    Diagnostics errors;
    const JsonReader json(*document, source, errors);
    (void)json.schema(kRecordSchema);
    std::vector<Outcome> outcomes;
    const auto experiments = json.member("experiments", true);
    if (experiments) {
        experiments->elements([&](const JsonReader& element) {
            Outcome& outcome = outcomes.emplace_back();
            element.required("results", outcome.results);
            const auto description = element.member("description", true);
            if (!description) return;
            Result<Description> read = parse_description(description->value().dump(), source);
            if (read) {
                outcome.description = std::move(*read);
            } else {
                errors.insert(errors.end(), read.errors().begin(), read.errors().end());
            }
        });
    }
    if (!errors.empty()) return errors;
    return outcomes;
}

std::string record_json(const std::vector<Outcome>& outcomes) {
    std::string text = "{\"schema\":\"" + std::string(kRecordSchema) + "\",\"experiments\":[";
    const char* separator = "\n";
    for (const Outcome& outcome : outcomes) {
        text += separator;
        text += "{\"description\":" + outcome.description.json +
                ",\"results\":" + results_json(outcome.results).dump() + "}";
        separator = ",\n";
    }
    return text + "\n]}\n";
}

}  // namespace wideload::lab

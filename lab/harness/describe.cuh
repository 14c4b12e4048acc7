// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "experiment.cuh"
#include "json.cuh"

/// An experiment's description as JSON; src/lab/description.h reads it.
namespace lab {

inline std::string where_json(const Where& where) {
    json::Members members;
    for (const auto& [parameter, value] : where) {
        members.emplace_back(parameter, json::number(value));
    }
    return json::object(members);
}

inline std::string claim_json(const Claim& claim) {
    return json::object({{"kind", json::text(claim.kind)},
                         {"metric", json::text(claim.metric)},
                         {"series", json::text(claim.series)},
                         {"where", where_json(claim.where)},
                         {"other_metric", json::text(claim.other_metric)},
                         {"other_series", json::text(claim.other_series)},
                         {"other_where", where_json(claim.other_where)},
                         {"relation", json::text(claim.relation)},
                         {"value", json::number(claim.value)},
                         {"tolerance", json::number(claim.tolerance)},
                         {"parameter", json::text(claim.parameter)},
                         {"text", json::text(claim.text)},
                         {"holds", json::text(claim.sentence_holds)},
                         {"fails", json::text(claim.sentence_fails)}});
}

inline std::string chart_json(const Chart& chart) {
    return json::object({{"title", json::text(chart.title)},
                         {"metric", json::text(chart.metric)},
                         {"parameter", json::text(chart.parameter)},
                         {"mark", json::text(chart.mark)},
                         {"log_x", json::boolean(chart.log_x)},
                         {"log_y", json::boolean(chart.log_y)},
                         {"series", json::texts(chart.series)}});
}

inline std::string picture_json(const Picture& picture) {
    return json::object({{"kind", json::text(picture.kind)},
                         {"title", json::text(picture.title)},
                         {"series", json::text(picture.series)},
                         {"where", where_json(picture.where)},
                         {"site", json::text(picture.site)},
                         {"ordinal", json::whole(static_cast<unsigned>(picture.ordinal))}});
}

inline std::string staircase_json(const Staircase& staircase) {
    return json::object({{"title", json::text(staircase.title)},
                         {"axis", json::text(staircase.axis)},
                         {"threads", json::whole(staircase.threads)},
                         {"registers", json::whole(staircase.registers)},
                         {"shared_bytes", json::whole(staircase.shared_bytes)}});
}

inline std::string description_json(const Experiment& experiment) {
    const auto series = [](const Series& one) {
        return json::object({{"key", json::text(one.key)}, {"title", json::text(one.title)}});
    };
    const auto parameter = [](const Parameter& one) {
        return json::object({{"key", json::text(one.key)},
                             {"title", json::text(one.title)},
                             {"unit", json::text(one.unit)}});
    };
    const auto column = [](const Column& one) {
        return json::object({{"metric", json::text(one.metric)},
                             {"title", json::text(one.title)},
                             {"unit", json::text(one.unit)}});
    };
    return json::object(
        {{"schema", json::text("wideload-lab/1")},
         {"chapter", json::whole(static_cast<unsigned>(experiment.chapter))},
         {"name", json::text(experiment.name)},
         {"title", json::text(experiment.title)},
         {"sources", json::texts(experiment.sources)},
         {"question", json::text(experiment.question)},
         {"expectation", json::text(experiment.expectation)},
         {"series", json::array(experiment.series, series)},
         {"parameters", json::array(experiment.parameters, parameter)},
         {"columns", json::array(experiment.columns, column)},
         {"summary", json::array(experiment.summary, column)},
         {"remarks", json::array(experiment.remarks, claim_json)},
         {"claims", json::array(experiment.claims, claim_json)},
         {"charts", json::array(experiment.charts, chart_json)},
         {"staircases", json::array(experiment.staircases, staircase_json)},
         {"pictures", json::array(experiment.pictures, picture_json)},
         {"counts_full_sizes", json::boolean(experiment.counts_full_sizes)},
         {"least_capability", json::whole(static_cast<unsigned>(experiment.least_capability))}});
}

}  // namespace lab

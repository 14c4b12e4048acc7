// SPDX-License-Identifier: Apache-2.0
#include "lab/table.h"

#include <algorithm>

#include "lab/figures.h"
#include "lab/metric.h"

namespace wideload::lab {
namespace {

/// A column's cell at a point: its metric's figure, or its note; empty where there is neither.
std::string cell(const Results& results, const Point& point, const Column& column) {
    if (const auto note = point.notes.find(column.metric); note != point.notes.end()) {
        return note->second;
    }
    const auto value = metric(results, point, column.metric);
    return value ? figure(*value, column.unit) : std::string{};
}

std::string head(const std::string& title, const std::string& unit) {
    return unit.empty() || unit == "bytes" ? title : title + ", " + unit;
}

}  // namespace

Table table_of(const Outcome& outcome) {
    const Description& description = outcome.description;
    const Results& results = outcome.results;
    Table table;
    table.heads = {"series"};
    for (const Parameter& parameter : description.parameters) {
        table.heads.push_back(head(parameter.title, parameter.unit));
    }
    std::vector<const Column*> columns;
    for (const Column& column : description.columns) {
        const bool measured = std::ranges::any_of(results.points, [&](const Point& point) {
            return !cell(results, point, column).empty();
        });
        if (!measured) continue;
        columns.push_back(&column);
        table.heads.push_back(head(column.title, column.unit));
    }
    for (const Point& point : results.points) {
        auto& row = table.rows.emplace_back();
        row.emplace_back(description.series_title(point.series));
        for (const Parameter& parameter : description.parameters) {
            const auto value = point.parameters.find(parameter.key);
            row.push_back(value == point.parameters.end() ? ""
                                                          : figure(value->second, parameter.unit));
        }
        for (const Column* column : columns) row.push_back(cell(results, point, *column));
    }
    return table;
}

}  // namespace wideload::lab

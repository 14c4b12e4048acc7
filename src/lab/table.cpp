// SPDX-License-Identifier: Apache-2.0
#include "lab/table.h"

#include <algorithm>
#include <utility>

#include "lab/claim.h"
#include "lab/figures.h"
#include "lab/metric.h"

namespace wideload::lab {
namespace {

/// The name of a parameter.
struct NameOf {
    const std::string& operator()(const Parameters::value_type& entry) const { return entry.first; }
};

bool is_note(const Point& point, const Column& column) {
    return point.notes.contains(column.metric);
}

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

/// The last point of a series that has the parameters of the experiment's first, or null.
const Point* last_point(const Results& results, std::string_view series) {
    const Point* last = nullptr;
    for (const Point& point : results.points) {
        const bool alike = std::ranges::equal(point.parameters, results.points.front().parameters,
                                              {}, NameOf{}, NameOf{});
        if (point.series == series && alike) last = &point;
    }
    return last;
}

/// What the results say of each remark on a series: "0.25 of int's requests; LDG.E.128 in machine
/// code".
std::string remarks_on(std::string_view series, const Outcome& outcome) {
    std::string text;
    for (const Claim& remark : outcome.description.remarks) {
        if (remark.left.series != series) continue;
        const auto found = evaluate(remark, outcome);
        if (!found) continue;
        text += (text.empty() ? "" : "; ") + sentence(remark, *found);
    }
    return text;
}

/// As a further column, where some row has any.
void add_remarks(Table& table, const std::vector<const Point*>& points, const Outcome& outcome) {
    std::vector<std::string> remarks;
    for (const Point* point : points) remarks.push_back(remarks_on(point->series, outcome));
    if (std::ranges::all_of(remarks, &std::string::empty)) return;
    table.notes.resize(table.heads.size());
    table.notes.push_back(true);
    table.heads.emplace_back("remarks");
    for (std::size_t row = 0; row < remarks.size(); ++row) table.rows[row].push_back(remarks[row]);
}

/// "16,384 (÷ 4)"
std::string beside_first(const Results& results, const Point& point, const Point& first,
                         const Column& column) {
    std::string text = cell(results, point, column);
    const auto value = metric(results, point, column.metric);
    const auto of_first = metric(results, first, column.metric);
    if (&point == &first || !value || !of_first || *value <= 0 || *of_first <= 0) return text;
    if (*value < *of_first) text += " (÷ " + figure(*of_first / *value) + ")";
    if (*value > *of_first) text += " (× " + figure(*value / *of_first) + ")";
    return text;
}

/// A table that is much wider than it is long with its rows as columns.
Table standing(Table table) {
    constexpr std::size_t kMostColumns = 8, kMostPoints = 4;
    if (table.heads.size() <= kMostColumns || table.rows.size() > kMostPoints) return table;
    Table turned;
    turned.heads.push_back(table.heads.front());
    for (const auto& row : table.rows) turned.heads.push_back(row.front());
    for (std::size_t column = 1; column < table.heads.size(); ++column) {
        auto& row = turned.rows.emplace_back();
        row.push_back(table.heads[column]);
        for (const auto& point : table.rows) row.push_back(point[column]);
    }
    return turned;
}

}  // namespace

Table summary_of(const Outcome& outcome) {
    Table table;
    if (outcome.description.summary.empty() || outcome.results.points.empty()) return table;
    std::vector<const Point*> points;
    for (const Series& series : outcome.description.series) {
        if (const Point* point = last_point(outcome.results, series.key)) points.push_back(point);
    }
    table.heads = {"series"};
    for (const Point* point : points) {
        table.rows.push_back({std::string(outcome.description.series_title(point->series))});
    }
    for (const Column& column : outcome.description.summary) {
        const auto has_cell = [&](const Point* point) {
            return !cell(outcome.results, *point, column).empty();
        };
        if (std::ranges::none_of(points, has_cell)) continue;
        table.notes.resize(table.heads.size());
        table.notes.push_back(std::ranges::any_of(
            points, [&](const Point* point) { return is_note(*point, column); }));
        table.heads.push_back(head(column.title, column.unit));
        for (std::size_t row = 0; row < points.size(); ++row) {
            table.rows[row].push_back(
                beside_first(outcome.results, *points[row], *points.front(), column));
        }
    }
    add_remarks(table, points, outcome);
    return table;
}

Table table_of(const Outcome& outcome) {
    const Description& description = outcome.description;
    const Results& results = outcome.results;
    Table table;
    table.heads = {"series"};
    for (const Parameter& parameter : description.parameters) {
        table.heads.push_back(head(parameter.title, parameter.unit));
    }
    table.key_columns = table.heads.size();
    std::vector<const Column*> columns;
    for (const Column& column : description.columns) {
        const bool measured = std::ranges::any_of(results.points, [&](const Point& point) {
            return !cell(results, point, column).empty();
        });
        if (!measured) continue;
        columns.push_back(&column);
        table.notes.resize(table.heads.size());
        table.notes.push_back(std::ranges::any_of(
            results.points, [&](const Point& point) { return is_note(point, column); }));
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
    return standing(std::move(table));
}

}  // namespace wideload::lab

// SPDX-License-Identifier: Apache-2.0
#include "sample.h"

namespace wideload::lab {

Outcome sample_outcome() {
    Outcome outcome;
    outcome.description = *parse_description(sample_description(), "sample");
    outcome.results = *parse_results(sample_results(), "sample");
    for (const double n : {1.0, 2.0, 4.0, 8.0}) {
        for (const char* series : {"left", "right"}) {
            Point point;
            point.series = series;
            point.parameters["n"] = n;
            point.facts["cost"] = point.series == "left" ? 10 * n : n + 30;
            outcome.results.points.push_back(point);
        }
    }
    return outcome;
}

std::string sample_description() {
    return R"({"schema": "wideload-lab/1", "chapter": 3, "name": "sample", "title": "A < B & C",
        "question": "Which?", "expectation": "One.\n\nTwo.",
        "series": [{"key": "left", "title": "the left </script> one"},
                   {"key": "right", "title": "the right one"}],
        "parameters": [{"key": "n", "title": "size", "unit": "bytes"}],
        "columns": [{"metric": "cost", "title": "cost"}, {"metric": "gbps", "title": "rate"}],
        "claims": [{"kind": "compare", "metric": "cost", "series": "left", "relation": "at_most",
                    "value": 100, "holds": "at most {found}", "fails": "too much: {found}"}],
        "charts": [{"title": "Cost", "metric": "cost", "parameter": "n", "mark": "line"},
                   {"title": "Rate", "metric": "gbps", "parameter": "n", "mark": "line"}],
        "pictures": [{"kind": "threads", "title": "Threads", "series": "left"}]})";
}

std::string sample_results() {
    return R"({"schema": "wideload-lab-results/1", "experiment": "sample", "sizes": "small",
               "machine": {"gpu": "a GPU", "virtual": true}, "points": []})";
}

}  // namespace wideload::lab

// SPDX-License-Identifier: Apache-2.0
// Single requests whose lanes were drawn at random, full warps and partial ones, each counted by an
// H200 in a launch of one warp: tests/data/requests_h200.csv. The launches of reference_patterns.cu
// are regular; these tell whether a rule also holds where lanes are missing, repeat each other in
// part, or collide by chance.
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <sstream>
#include <vector>

#include "counters/rules.h"

namespace wideload::counters::test {
namespace {

struct CountedRequest {
    Request request;
    Rule rule = Rule::global;
    unsigned counted = 0;            ///< sectors, or wavefronts
    unsigned without_conflicts = 0;  ///< wavefronts less bank conflicts; 0 where not recorded
};

std::vector<CountedRequest> read_requests() {
    const std::map<std::string, Rule> rules = {{"atomic", Rule::atomic},
                                               {"shared_load", Rule::shared_load},
                                               {"shared_store", Rule::shared_store},
                                               {"shared_atomic", Rule::shared_atomic},
                                               {"local", Rule::local}};
    std::ifstream file(std::string(WIDELOAD_TEST_DATA) + "/requests_h200.csv");
    std::string line, rule, bytes, mask, elements, counted, without;
    std::getline(file, line);
    std::vector<CountedRequest> requests;
    while (std::getline(file, line)) {
        std::istringstream fields(line);
        for (std::string* field : {&rule, &bytes, &mask, &elements, &counted, &without}) {
            field->clear();
            std::getline(fields, *field, ',');
        }
        CountedRequest entry;
        entry.rule = rules.at(rule);
        entry.request.bytes_per_lane = static_cast<unsigned>(std::stoul(bytes));
        entry.request.mask = static_cast<std::uint32_t>(std::stoul(mask, nullptr, 16));
        std::istringstream numbers(elements);
        for (std::uint64_t& address : entry.request.addresses) {
            numbers >> address;
            address *= entry.request.bytes_per_lane;
        }
        entry.counted = static_cast<unsigned>(std::stoul(counted));
        entry.without_conflicts = without.empty() ? 0 : static_cast<unsigned>(std::stoul(without));
        requests.push_back(entry);
    }
    return requests;
}

TEST(RequestCounts, AreExact) {
    std::map<Rule, int> checked;
    for (const CountedRequest& entry : read_requests()) {
        const Figures figures = measure(entry.request, entry.rule);
        EXPECT_EQ(figures.sectors + figures.wavefronts, entry.counted);
        if (entry.without_conflicts != 0) {
            EXPECT_EQ(figures.ideal_wavefronts, entry.without_conflicts);
        }
        ++checked[entry.rule];
    }
    EXPECT_EQ(checked[Rule::atomic], 300 + 150 + 100 + 860);
    EXPECT_EQ(checked[Rule::shared_load], 250 + 250 + 30);
    EXPECT_EQ(checked[Rule::shared_store], 60 + 60);
    EXPECT_EQ(checked[Rule::shared_atomic], 120 + 60);
    EXPECT_EQ(checked[Rule::local], 40 + 40 + 40 + 60);
}

}  // namespace
}  // namespace wideload::counters::test

// SPDX-License-Identifier: Apache-2.0
// docs/profile.schema.json is the contract; what is written must be valid by it, and it must forbid
// what is not.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "profile/json.h"
#include "profile/names.h"
#include "sample_profile.h"
#include "schema_validator.h"

namespace wideload::profile::test {
namespace {

using nlohmann::json;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

json schema() {
    std::ifstream file(WIDELOAD_PROFILE_SCHEMA);
    return json::parse(file);
}

json document(const Profile& profile) {
    std::ostringstream out;
    write(out, profile);
    return json::parse(out.str());
}

TEST(Schema, AllowsWhatIsWritten) {
    EXPECT_THAT(violations(schema(), document(full_profile())), IsEmpty());
    EXPECT_THAT(violations(schema(), document(Profile{})), IsEmpty());
}

TEST(Schema, DescribesEveryMember) {
    // The full profile has every member that can be written; the schema names no other, so that
    // none is forgotten when a member is renamed.
    const json written = document(full_profile());
    const json defs = schema()["$defs"];
    const json& launch = written["launches"][0];
    const auto all_of = [&](const char* definition, std::vector<json> examples) {
        for (const auto& [name, ignored] : defs[definition]["properties"].items()) {
            bool found = false;
            for (const json& example : examples) found = found || example.contains(name);
            EXPECT_TRUE(found) << definition << "/" << name << " is never written";
        }
    };
    all_of("launch", {launch, written["launches"][1]});
    all_of("site", {launch["sites"][0], launch["sites"][1], launch["sites"][2]});
    all_of("sample", {launch["sites"][0]["first"]});
    all_of("pattern", {launch["sites"][0]["patterns"][0]});
    all_of("frame", {written["places"][0][0]});
    all_of("process", {written["processes"][0], written["processes"][1]});
    all_of("device", {written["devices"][0]});
    all_of("options", {written["options"]});
    all_of("diagnostic", {written["launches"][1]["fault"]["diagnostic"]});
    all_of("unsupported_call", {written["unsupported_calls"][0]});
    const json& code = written["machine_code"][0];
    all_of("machine_code", {code});
    all_of("machine_spills", {code["spills"]});
    all_of("machine_access", {code["accesses"][0]});
}

TEST(Schema, NamesTheEnumerations) {
    const json defs = schema()["$defs"];
    const json& kinds = defs["site"]["properties"]["kind"]["enum"];
    EXPECT_EQ(kinds.size(), static_cast<std::size_t>(SiteKind::branch) + 1);
    for (const json& name : kinds) {
        EXPECT_TRUE(site_kind(name.get<std::string>())) << name;
    }
    const json& patterns = defs["pattern"]["properties"]["pattern"]["enum"];
    EXPECT_EQ(patterns.size(), static_cast<std::size_t>(Pattern::irregular) + 1);
    for (const json& name : patterns) {
        EXPECT_TRUE(pattern(name.get<std::string>())) << name;
    }
}

TEST(Schema, ForbidsWhatIsWrong) {
    const auto broken = [](auto change) {
        json changed = document(full_profile());
        change(changed);
        return violations(schema(), changed);
    };
    EXPECT_THAT(broken([](json& j) { j["schema"] = "wideload-profile/3"; }),
                Contains(HasSubstr("/schema")));
    EXPECT_THAT(broken([](json& j) { j.erase("launches"); }), Contains(HasSubstr("lacks")));
    EXPECT_THAT(broken([](json& j) { j["launches"][0]["grid"] = {1, 1}; }),
                Contains(HasSubstr("/launches/0/grid: has too few")));
    EXPECT_THAT(broken([](json& j) { j["launches"][0]["counters"]["inst"] = -1; }),
                Contains(HasSubstr("/counters/inst: is below")));
    EXPECT_THAT(broken([](json& j) { j["launches"][0]["sites"][0]["kind"] = "tex"; }),
                Contains(HasSubstr("/sites/0/kind")));
    EXPECT_THAT(broken([](json& j) { j["launches"][0]["sites"][0]["sektors"] = 1; }),
                Contains(HasSubstr("/sites/0/sektors: is not allowed")));
    EXPECT_THAT(broken([](json& j) { j["launches"][0]["sites"][0]["first"]["base"] = "12"; }),
                Contains(HasSubstr("/first/base")));
}

}  // namespace
}  // namespace wideload::profile::test

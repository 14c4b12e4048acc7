// SPDX-License-Identifier: Apache-2.0
// What a run writes, a later stage reads back unchanged; files from elsewhere give located errors,
// never a crash.
#include "profile/json.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>
#include <sstream>

#include "profile/launch_log.h"
#include "sample_profile.h"

namespace wideload::profile::test {
namespace {

using ::testing::HasSubstr;

std::string text_of(const Profile& profile) {
    std::ostringstream out;
    write(out, profile);
    return out.str();
}

std::string message_of(std::string_view text) {
    const Result<Profile> result = parse(text, "run.json");
    return result.ok() ? "no error" : format(result.errors());
}

TEST(Json, KeepsEveryMember) {
    const Profile written = full_profile();
    const std::string text = text_of(written);
    const Result<Profile> read = parse(text, "run.json");
    ASSERT_TRUE(read.ok()) << format(read.errors());
    EXPECT_EQ(text_of(read.value()), text) << "every member that is written is read";

    ASSERT_EQ(read->launches.size(), 2u);
    EXPECT_EQ(read->launches[0].sites, written.launches[0].sites);
    EXPECT_EQ(read->launches[0].counters, written.launches[0].counters);
    EXPECT_EQ(read->launches[0].mismatches, written.launches[0].mismatches);
    EXPECT_EQ(read->launches[0].grid, written.launches[0].grid);
    EXPECT_EQ(read->launches[1].fault->diagnostic.hint, "align p");
    EXPECT_EQ(read->processes[1].signal, 11);
    EXPECT_EQ(read->processes[1].exit_code, std::nullopt);
    EXPECT_EQ(read->devices[1].compute_minor, 5u);
    EXPECT_TRUE(read->merged);
}

// A reader must be able to tell "none" from "not measured".
TEST(Json, LeavesOutWhatWasNotMeasured) {
    Profile profile;
    profile.launches.emplace_back();
    profile.launches[0].sites.own().emplace_back();
    const std::string text = text_of(profile);
    for (const char* name :
         {"sectors", "wavefronts", "registers", "fault", "divergent", "first", "mismatches"}) {
        EXPECT_EQ(text.find(name), std::string::npos) << name;
    }
    const Result<Profile> read = parse(text, "run.json");
    ASSERT_TRUE(read.ok()) << format(read.errors());
    EXPECT_EQ(read->launches[0].sites->at(0).sectors, std::nullopt);
}

TEST(Json, NamesWhatIsWrongWithAMismatch) {
    const auto message = [](std::string_view kind, std::string_view lanes) {
        return message_of(fmt::format(
            R"({{"schema": "wideload-profile/2", "launches": [{{"kernel": "k", "mangled": "k",
                "grid": [1, 1, 1], "block": [1, 1, 1], "counters": {{}}, "sites": [], "mismatches": [{{"opcode": "bar.warp.sync",
                "kind": "{}", "occurrences": 1, "first": {{"block": 0, "warp": 0,
                "members": "0xffffffff", "lanes": "{}"}}}}]}}]}})",
            kind, lanes));
    };
    EXPECT_EQ(message("absent_lanes", "0x1"), "no error");
    EXPECT_THAT(message("late_lanes", "0x1"),
                HasSubstr("launches/0/mismatches/0/kind: is neither"));
    for (const char* lanes : {"", "0x", "0", "0x1g", "0x100000000", "-0x1"}) {
        EXPECT_THAT(message("absent_lanes", lanes),
                    HasSubstr("launches/0/mismatches/0/first/lanes: should be a mask"))
            << lanes;
    }
}

TEST(Json, WritesNamesThatAreNotUtf8) {
    Profile profile;
    profile.processes.push_back({1, "/tmp/\xff\xfe", {"\x80"}, 0, std::nullopt});
    EXPECT_TRUE(parse(text_of(profile), "run.json").ok());
}

Launch launch_at(std::vector<Frame> frames) {
    Launch launch = full_profile().launches[0];
    launch.process = launch.device = 0;
    for (Site& site : launch.sites.own()) site.frames = frames;
    for (Mismatch& mismatch : launch.mismatches) mismatch.frames = frames;
    return launch;
}

// A kernel of templates has longer places than counts, and they are the same each launch.
TEST(Json, WritesAPlaceOnce) {
    Profile profile;
    const std::vector<Frame> place{{{"a.cu", 1, 2}, "f()"}}, other{{{"a.cu", 1, 3}, "f()"}};
    profile.launches = {launch_at(place), launch_at(other), launch_at(place)};
    const std::string text = text_of(profile);
    const auto document = nlohmann::json::parse(text);
    EXPECT_EQ(document["places"].size(), 2u);
    EXPECT_EQ(document["launches"][1]["sites"][0]["place"], 1);
    const Result<Profile> read = parse(text, "run.json");
    ASSERT_TRUE(read.ok()) << format(read.errors());
    EXPECT_EQ(*read->launches[1].sites->at(0).frames, other);
    EXPECT_EQ(read->launches[0].sites->at(0).frames.identity(),
              read->launches[0].sites->at(1).frames.identity())
        << "nor does memory hold it twice";
    EXPECT_EQ(text_of(read.value()), text);
}

// JSON objects have no order, and a script may have sorted the members.
TEST(Json, ReadsPlacesBehindLaunches) {
    const std::string sorted = nlohmann::json::parse(text_of(full_profile())).dump();
    ASSERT_LT(sorted.find("\"launches\""), sorted.find("\"places\""));
    const Result<Profile> read = parse(sorted, "run.json");
    ASSERT_TRUE(read.ok()) << format(read.errors());
    EXPECT_EQ(text_of(read.value()), text_of(full_profile()));
}

TEST(Json, NamesThePlaceOfEveryError) {
    EXPECT_THAT(message_of("{\"schema\": \"wideload-profile/2\",\n \"launches\": [}"),
                HasSubstr("run.json:2:15: error: this is not JSON"));
    EXPECT_THAT(message_of(""), HasSubstr("run.json:1:1: error: this is not JSON"));
    EXPECT_THAT(message_of("[]"), HasSubstr("should be an object"));
    EXPECT_THAT(message_of("{}"), HasSubstr("has no member \"schema\""));
    EXPECT_THAT(message_of(R"({"schema": "wideload-profile/3", "launches": []})"),
                HasSubstr("this version reads \"wideload-profile/2\""));
    const auto with_launch = [](const std::string& members) {
        return message_of(R"({"schema": "wideload-profile/2", "launches": [{"kernel": "k", )"
                          R"("mangled": "k", "grid": [1,1,1], "block": [1,1,1], "counters": {}, )" +
                          members + "}]}");
    };
    EXPECT_EQ(with_launch(R"("count": 1)"), "no error");
    EXPECT_THAT(with_launch(R"("grid": [1,1])"),
                HasSubstr("launches/0/grid: should be an array of 3"));
    EXPECT_THAT(with_launch(R"("stream": -1)"), HasSubstr("launches/0/stream: should be a whole"));
    EXPECT_THAT(with_launch(R"("registers": 4294967296)"), HasSubstr("launches/0/registers"));
    EXPECT_THAT(with_launch(R"("registers": 1.5)"), HasSubstr("launches/0/registers"));
    EXPECT_THAT(with_launch(R"("count": 0)"), HasSubstr("stands for no launch"));
    EXPECT_THAT(with_launch(R"("summed": 0)"), HasSubstr("stands for no launch"));
    EXPECT_THAT(with_launch(R"("device": 7)"), HasSubstr("launches/0/device: there is no such"));
    EXPECT_THAT(with_launch(R"("counters": {"inst": "many"})"),
                HasSubstr("launches/0/counters/inst"));
    const auto with_site = [&](const std::string& members) {
        return with_launch(R"("sites": [{"opcode": "ld", "executions": 1, )" + members + "}]");
    };
    EXPECT_EQ(with_site(R"("kind": "global_ld")"), "no error");
    EXPECT_THAT(with_site(R"("kind": "global")"),
                HasSubstr("launches/0/sites/0/kind: \"global\" is none of the names"));
    EXPECT_THAT(with_site(R"("kind": "branch", "histogram": {"x": 1})"),
                HasSubstr("sites/0/histogram/x: is no number of sectors"));
    EXPECT_THAT(
        with_site(R"("kind": "branch", "first": {"sectors": 1, "base": "12", "offsets": []})"),
        HasSubstr("sites/0/first/base: should be an address"));
    EXPECT_THAT(
        with_site(R"("kind": "branch", "first": {"sectors": 1, "base": "0x0", "offsets": [0]})"),
        HasSubstr("sites/0/first/offsets: should be an array of 32"));
    EXPECT_THAT(with_site(R"("kind": "branch", "place": 0)"),
                HasSubstr("launches/0/sites/0/place: there is no such place"));
    const auto with_places = [](const std::string& places) {
        return message_of(R"({"schema": "wideload-profile/2", "launches": [], "places": )" +
                          places + "}");
    };
    EXPECT_EQ(with_places(R"([[{"file": "a.cu", "line": 3}]])"), "no error");
    EXPECT_THAT(with_places("7"), HasSubstr("places: should be an array"));
    EXPECT_THAT(with_places("[7]"), HasSubstr("places/0: should be an array"));
    EXPECT_THAT(with_places(R"([[{"line": "3"}]])"),
                HasSubstr("places/0/0/line: should be a whole number"));
}

TEST(Json, StopsCollectingErrors) {
    std::string text = R"({"schema": "wideload-profile/2", "launches": [0)";
    for (int i = 0; i < 10'000; ++i) text += ",0";
    const Result<Profile> result = parse(text + "]}", "run.json");
    ASSERT_FALSE(result.ok());
    EXPECT_LT(result.errors().size(), 100u);
}

// Anyone may hand over a file: whatever is in it, the answer is a profile or an error.
TEST(Json, SurvivesMutations) {
    const std::string original = text_of(full_profile());
    std::mt19937 random(5);
    int rejected = 0;
    for (int i = 0; i < 3000; ++i) {
        std::string text = original;
        for (unsigned changes = random() % 4 + 1; changes > 0 && !text.empty(); --changes) {
            const std::size_t at = random() % text.size();
            switch (random() % 4) {
                case 0:
                    text[at] = static_cast<char>(random());
                    break;
                case 1:
                    text.erase(at, random() % 20);
                    break;
                case 2:
                    text.insert(at, text.substr(random() % text.size(), 20));
                    break;
                default:
                    text.resize(at + 1);
                    break;
            }
        }
        const Result<Profile> result = parse(text, "run.json");
        rejected += !result.ok();
        EXPECT_TRUE(result.ok() || !result.errors().empty());
    }
    EXPECT_GT(rejected, 1000);
}

TEST(Json, SurvivesDeepNesting) {
    EXPECT_FALSE(parse(std::string(1'000'000, '['), "run.json").ok());
    EXPECT_FALSE(parse(std::string(100'000, '[') + std::string(100'000, ']'), "run.json").ok());
}

class Save : public ::testing::Test {
protected:
    void SetUp() override {
        directory_ = std::filesystem::path(::testing::TempDir()) /
                     ("wideload_profile_" + std::to_string(getpid()));
        std::filesystem::create_directories(directory_);
        path_ = directory_ / "run.json";
    }
    void TearDown() override { std::filesystem::remove_all(directory_); }
    [[nodiscard]] std::size_t files() const {
        return static_cast<std::size_t>(
            std::distance(std::filesystem::directory_iterator(directory_),
                          std::filesystem::directory_iterator()));
    }
    std::filesystem::path directory_, path_;
};

TEST_F(Save, LoadsBack) {
    const Result<Written> written = save(path_, full_profile());
    ASSERT_TRUE(written.ok()) << format(written.errors());
    EXPECT_EQ(written->bytes, std::filesystem::file_size(path_));
    const Result<Profile> read = load(path_);
    ASSERT_TRUE(read.ok()) << format(read.errors());
    EXPECT_EQ(text_of(read.value()), text_of(full_profile()));
    EXPECT_EQ(files(), 1u) << "nothing is left beside it";
}

// A run whose profile does not fit must not destroy the last one.
TEST_F(Save, LeavesAnOlderFileWhereTheDiskIsFull) {
    ASSERT_TRUE(save(path_, Profile{}).ok());
    Profile large;
    large.launches.assign(2000, full_profile().launches[0]);
    // A limit on file size stands in for a full disk.
    struct rlimit before;
    ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
    const struct rlimit tight{4096, before.rlim_max};
    const auto old_handler = std::signal(SIGXFSZ, SIG_IGN);
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &tight), 0);
    const Result<Written> written = save(path_, large);
    setrlimit(RLIMIT_FSIZE, &before);
    std::signal(SIGXFSZ, old_handler);
    ASSERT_FALSE(written.ok());
    EXPECT_THAT(format(written.errors()), HasSubstr("cannot write the profile"));
    EXPECT_TRUE(load(path_).ok());
    EXPECT_EQ(files(), 1u);
}

TEST_F(Save, SaysWhyItCannotWriteOrRead) {
    const Result<Written> written = save(directory_ / "missing" / "run.json", Profile{});
    ASSERT_FALSE(written.ok());
    EXPECT_THAT(format(written.errors()), HasSubstr("No such file or directory"));
    const Result<Profile> read = load(directory_ / "missing.json");
    ASSERT_FALSE(read.ok());
    EXPECT_THAT(format(read.errors()), HasSubstr("No such file or directory"));
    EXPECT_FALSE(load(directory_).ok()) << "a directory";
}

}  // namespace
}  // namespace wideload::profile::test

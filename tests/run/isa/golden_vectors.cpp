// SPDX-License-Identifier: Apache-2.0
#include "golden_vectors.h"

#include <fmt/format.h>
#include <fmt/ostream.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "machine.h"
#include "recorded.h"

namespace wideload::isa {
namespace {

std::string on_one_line(std::string text) {
    std::replace(text.begin(), text.end(), '\n', ' ');
    std::replace(text.begin(), text.end(), '\t', ' ');
    return text;
}

/// FNV-1a.
void add_to(std::uint64_t& digest, Bits value) {
    for (unsigned byte = 0; byte < sizeof value; ++byte) {
        digest = (digest ^ (value >> (8 * byte) & 0xff)) * 0x100000001b3;
    }
}

unsigned forms_of_running_test = 0;

std::string name_of(const testing::TestInfo& test) {
    return fmt::format("{}.{}", test.test_suite_name(), test.name());
}

/// Numbers a test's forms, and fails it where the lists have more of them than it ran.
class FormCounter : public testing::EmptyTestEventListener {
    void OnTestStart(const testing::TestInfo&) override { forms_of_running_test = 0; }
    void OnTestEnd(const testing::TestInfo& test) override {
        if (!test.result()->Passed() || std::getenv("WIDELOAD_ISA_UNRECORDED") != nullptr) return;
        const auto stale = listed_forms(name_of(test), forms_of_running_test);
        if (stale.empty() || machine().is_hardware()) return;
        ADD_FAILURE() << fmt::format("isa_h200.txt or isa_unrecorded.txt lists what is no form: {}",
                                     fmt::join(stale, " "));
    }
};
[[maybe_unused]] const bool counts_forms = [] {
    testing::UnitTest::GetInstance()->listeners().Append(new FormCounter);
    return true;
}();

}  // namespace

std::string next_form_name() {
    const testing::TestInfo* running = testing::UnitTest::GetInstance()->current_test_info();
    return fmt::format("{}#{}", name_of(*running), forms_of_running_test++);
}

void GoldenVector::add(const std::vector<Bits>& operands, Bits wanted, Bits got) {
    add_to(wanted_digest_, wanted);
    add_to(got_digest_, got);
    if (first_.size() < kept()) first_.push_back({operands, wanted, got});
}

void GoldenVector::finish() const {
    if (machine().is_hardware()) {
        write();
    } else {
        compare();
    }
}

void GoldenVector::write() const {
    const char* path = std::getenv("WIDELOAD_ISA_RECORD");
    if (path == nullptr) return;
    std::ofstream file(path, std::ios::app);
    fmt::print(file, "{}\t{}\t{:x}\t", name_, on_one_line(form_.text), got_digest_);
    for (const Result& result : first_) fmt::print(file, "{:x} ", result.got);
    fmt::print(file, "\n");
}

void GoldenVector::list_as_unrecorded() const {
    const std::string reason = form_.needs_sm100                ? "an H200 has no sm_100"
                               : !form_.unlike_hardware.empty() ? form_.unlike_hardware
                                                                : "to be recorded";
    const std::string text = on_one_line(form_.text);
    if (const char* path = std::getenv("WIDELOAD_ISA_UNRECORDED")) {
        std::ofstream file(path, std::ios::app);
        fmt::print(file, "{}\t{}\t{}\n", name_, text, reason);
        return;
    }
    const auto listed = unrecorded_forms().find(name_);
    ASSERT_TRUE(listed != unrecorded_forms().end())
        << text << ": no vector '" << name_ << "' was recorded on hardware";
    EXPECT_EQ(listed->second.text, text) << name_;
    EXPECT_EQ(listed->second.reason, reason) << name_;
}

void GoldenVector::compare() const {
    const auto found = golden_rows().find(name_);
    if (found == golden_rows().end()) return list_as_unrecorded();
    const GoldenRow& row = found->second;
    ASSERT_EQ(row.text, on_one_line(form_.text)) << name_ << " was recorded for another form";
    std::istringstream recorded(row.first);
    recorded >> std::hex;
    for (const Result& result : first_) {
        Bits value = 0;
        ASSERT_TRUE(recorded >> value) << form_.text;
        std::optional<std::string> wrong;
        if (form_.judge) {
            wrong = form_.judge(result.operands, result.wanted, value);
        } else if (result.wanted != value) {
            wrong = "";
        }
        ASSERT_FALSE(wrong) << fmt::format(
            "{}: the reference says {:#x}, an H200 computed {:#x} {}", form_.text, result.wanted,
            value, *wrong);
    }
    if (!form_.judge) {
        EXPECT_EQ(wanted_digest_, row.digest) << form_.text << ": the reference and an H200 differ";
    }
}

}  // namespace wideload::isa

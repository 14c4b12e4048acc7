// SPDX-License-Identifier: Apache-2.0
#include "golden_vectors.h"

#include <fmt/format.h>
#include <fmt/ostream.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>

#include "machine.h"
#include "recorded.h"

namespace wideload::isa {
namespace {

struct Row {
    std::string text;
    std::uint64_t digest = 0;
    std::vector<Bits> values;
};

/// A line a form: name, text, digest of all results, the first of them, parted by tabs.
std::map<std::string, Row> read_rows() {
    std::map<std::string, Row> rows;
    std::ifstream file(WIDELOAD_ISA_GOLDEN);
    for (std::string line; std::getline(file, line);) {
        if (line.starts_with('#')) continue;
        std::istringstream fields(line);
        std::string name, digest;
        Row row;
        std::getline(fields, name, '\t');
        std::getline(fields, row.text, '\t');
        std::getline(fields, digest, '\t');
        row.digest = std::stoull(digest, nullptr, 16);
        for (std::string value; fields >> value;) {
            row.values.push_back(std::stoull(value, nullptr, 16));
        }
        rows.emplace(std::move(name), std::move(row));
    }
    return rows;
}

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

}  // namespace

std::string next_form_name() {
    static const testing::TestInfo* counted = nullptr;
    static unsigned forms = 0;
    const testing::TestInfo* running = testing::UnitTest::GetInstance()->current_test_info();
    if (running != counted) forms = 0;
    counted = running;
    return fmt::format("{}.{}#{}", running->test_suite_name(), running->name(), forms++);
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
    static const std::map<std::string, Row> rows = read_rows();
    const auto found = rows.find(name_);
    if (found == rows.end()) return list_as_unrecorded();
    EXPECT_FALSE(unrecorded_forms().contains(name_)) << name_ << " has a vector of hardware";
    const Row& row = found->second;
    ASSERT_EQ(row.text, on_one_line(form_.text)) << name_ << " was recorded for another form";
    ASSERT_GE(row.values.size(), first_.size()) << form_.text;
    for (std::size_t i = 0; i < first_.size(); ++i) {
        const Result& result = first_[i];
        std::optional<std::string> wrong;
        if (form_.judge) {
            wrong = form_.judge(result.operands, result.wanted, row.values[i]);
        } else if (result.wanted != row.values[i]) {
            wrong = "";
        }
        ASSERT_FALSE(wrong) << fmt::format(
            "{}: the reference says {:#x}, an H200 computed {:#x} {}", form_.text, result.wanted,
            row.values[i], *wrong);
    }
    if (!form_.judge) {
        EXPECT_EQ(wanted_digest_, row.digest) << form_.text << ": the reference and an H200 differ";
    }
}

}  // namespace wideload::isa

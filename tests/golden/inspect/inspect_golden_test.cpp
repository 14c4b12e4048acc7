// SPDX-License-Identifier: Apache-2.0
// What `wideload inspect` prints and writes of given machine code, word for word.
// WIDELOAD_REBASE=1 writes the goldens anew instead; read the difference before you keep it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "report/code_json.h"
#include "report/code_report.h"
#include "report/layout.h"
#include "schema_validator.h"

namespace wideload::report {
namespace {

using sass::Access;
using sass::Action;
using sass::Category;
using sass::KernelCode;

std::string path_of(const std::string& name) { return std::string(WIDELOAD_GOLDEN) + "/" + name; }

std::string contents(const std::string& path) {
    std::ifstream stream(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}

SourceLocation line(std::uint32_t number) { return {"kernels.cu", number, 0}; }

void set_mix(KernelCode& kernel, std::vector<std::pair<Category, std::uint64_t>> shares) {
    for (const auto& [category, count] : shares) {
        kernel.mix[static_cast<std::size_t>(category)] = count;
        kernel.instructions += count;
    }
}

/// Everything that a kernel can have: spills, a stack, both kinds of launch bounds, inlined lines, a
/// line of a toolkit's header, an access without a known width.
KernelCode full_kernel() {
    KernelCode kernel;
    kernel.resources.name = "_Z5scalePKfPfi";
    kernel.resources.registers = 32;
    kernel.resources.frame_bytes = 96;
    kernel.resources.stack_bytes = 128;
    kernel.resources.static_shared_bytes = 4096;
    kernel.resources.barriers = 2;
    kernel.resources.parameter_bytes = 20;
    kernel.resources.constant_banks = {{0, 548}, {3, 1024}};
    kernel.resources.max_threads = {256, 1, 1};
    kernel.resources.required_threads = {128, 2, 1};
    kernel.spills = sass::SpillTotals{2, 3, 8, 24};
    set_mix(kernel, {{Category::global, 1203},
                     {Category::shared, 2},
                     {Category::local, 5},
                     {Category::integer, 40},
                     {Category::control, 3}});
    const SourceLocation header{"/usr/local/cuda/include/sm_32_intrinsics.hpp", 90, 0};
    kernel.accesses = {
        {"LDG.E.128.CONSTANT", Category::global, Action::load, 16, {line(3), line(6)}, 0, false, 1},
        {"LDG.E", Category::global, Action::load, 4, {header, line(6)}, 0, false, 1201},
        {"STL", Category::local, Action::store, 4, {line(6)}, 0, true, 2},
        {"LDL.LU.64", Category::local, Action::load, 8, {line(6)}, 0, true, 3},
        {"UBLKCP.S.G", Category::global, Action::copy, 0, {line(6)}, 0, false, 1},
        {"ATOMS.ADD", Category::shared, Action::atomic, 4, {line(6)}, 0, false, 2}};
    return kernel;
}

/// Older machine code without line information, which does not mark its spills.
KernelCode bare_kernel() {
    KernelCode kernel;
    kernel.resources.name = "plain";
    kernel.resources.registers = 1;
    set_mix(kernel, {{Category::local, 1}, {Category::control, 1}});
    kernel.accesses = {{"STL.128", Category::local, Action::store, 16, {}, 0, false, 1}};
    return kernel;
}

Inspection full() {
    Inspection inspection{"wideload 0.1.0", "./kernels", {}};
    inspection.codes.push_back({"./kernels: .nv_fatbin at byte 0x40", {90, 'a'}, false, {}});
    inspection.codes.back().kernels = {full_kernel(), bare_kernel()};
    inspection.codes.push_back({"./kernels: .nv_fatbin at byte 0x8f40", {90, '\0'}, true, {}});
    inspection.codes.back().kernels = {bare_kernel()};
    return inspection;
}

Inspection bare() {
    Inspection inspection{"wideload 0.1.0", "old.cubin", {}};
    inspection.codes.push_back({"old.cubin", {75, '\0'}, false, {}});
    inspection.codes.back().kernels = {bare_kernel()};
    return inspection;
}

void expect_as_kept(const std::string& text, const std::string& name) {
    if (const char* rebase = std::getenv("WIDELOAD_REBASE"); rebase != nullptr && *rebase == '1') {
        std::ofstream(path_of(name), std::ios::binary) << text;
    }
    EXPECT_EQ(text, contents(path_of(name)));
}

TerminalOptions options() {
    TerminalOptions options;
    options.source_folder = WIDELOAD_GOLDEN;
    return options;
}

TEST(InspectGolden, TextIsAsKept) {
    expect_as_kept(code_report(full(), options()), "full.txt");
    expect_as_kept(code_report(bare(), options()), "bare.txt");
}

TEST(InspectGolden, ColourAddsNothingElse) {
    TerminalOptions coloured = options();
    coloured.colour = true;
    std::string text = code_report(full(), coloured);
    EXPECT_NE(text, code_report(full(), options()));
    for (std::size_t at = text.find('\x1b'); at != std::string::npos; at = text.find('\x1b')) {
        text.erase(at, text.find('m', at) - at + 1);
    }
    EXPECT_EQ(text, code_report(full(), options()));
}

TEST(InspectGolden, FitsInAHundredColumns) {
    const std::string text = code_report(full(), options());
    for (std::size_t at = 0, end = 0; at < text.size(); at = end + 1) {
        end = text.find('\n', at);
        ASSERT_NE(end, std::string::npos) << "the last line lacks its end";
        const std::string_view shown = std::string_view(text).substr(at, end - at);
        EXPECT_LE(display_width(shown), 100u) << shown;
        EXPECT_FALSE(shown.ends_with(' ')) << shown;
    }
}

TEST(InspectGolden, JsonIsAsKeptAndByItsSchema) {
    expect_as_kept(code_json(full()), "full.json");
    const auto schema = nlohmann::json::parse(contents(WIDELOAD_INSPECT_SCHEMA));
    for (const Inspection& inspection : {full(), bare()}) {
        const auto document = nlohmann::json::parse(code_json(inspection));
        EXPECT_THAT(profile::test::violations(schema, document), testing::IsEmpty());
    }
}

}  // namespace
}  // namespace wideload::report

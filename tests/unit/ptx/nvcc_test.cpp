// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "ptx/linker.h"
#include "ptx_text.h"

namespace wideload::ptx {
namespace {

std::string read_output(const std::string& name) {
    std::ifstream file(std::string(WIDELOAD_CUDA_PROGRAMS) + "/" + name);
    EXPECT_TRUE(file.good()) << name;
    return {std::istreambuf_iterator<char>(file), {}};
}

Module parse_output(const std::string& name) {
    auto module = parse(read_output(name), name);
    EXPECT_TRUE(module.ok()) << (module.ok() ? "" : format(module.errors()));
    return module.ok() ? std::move(module).value() : Module{};
}

bool starts_line(std::string_view line, std::string_view word) {
    return line.starts_with(word) && line.find(".entry ") != std::string_view::npos;
}

/// The compiler's own count, by a look at the text: lines that define an entry.
std::size_t count_entries(const std::string& text) {
    std::size_t entries = 0;
    for (std::size_t start = 0; start < text.size();) {
        const std::size_t end = std::min(text.find('\n', start), text.size());
        const std::string_view line(text.data() + start, end - start);
        entries += starts_line(line, ".visible") || starts_line(line, ".weak") ||
                   starts_line(line, ".entry");
        start = end + 1;
    }
    return entries;
}

class NvccOutput : public testing::TestWithParam<const char*> {};

TEST_P(NvccOutput, ParsesWithoutError) {
    const std::string text = read_output(GetParam());
    const auto module = parse(text, GetParam());
    ASSERT_TRUE(module.ok()) << format(module.errors());
    const auto entries = std::ranges::count(module->functions, true, &Function::is_entry);
    EXPECT_EQ(static_cast<std::size_t>(entries), count_entries(text));
    for (const Function& function : module->functions) {
        EXPECT_NE(function.is_declaration, !function.body.empty()) << function.name;
    }
}

INSTANTIATE_TEST_SUITE_P(EachFile, NvccOutput, testing::Values(WIDELOAD_PTX_OUTPUTS),
                         [](const auto& file) {
                             std::string name = file.param;
                             std::ranges::replace_if(name, [](char c) { return c == '.'; }, '_');
                             return name;
                         });

TEST(NvccLines, LeadFromInlinedFunctionsToTheKernel) {
    const Module module = parse_output("ptx_language_90_lineinfo.ptx");
    bool found = false;
    for (const Location& location : module.locations) {
        if (location.function.find("twice_inlined") == std::string::npos) continue;
        ASSERT_NE(location.inlined_at, kNoLocation);
        const Location& caller = module.locations[location.inlined_at];
        found = found || caller.function.find("once_inlined") != std::string::npos;
        EXPECT_TRUE(module.files.at(location.file).ends_with("language.cu"));
    }
    EXPECT_TRUE(found) << "a chain of two inlined calls";
}

TEST(NvccSeparateUnits, LinkIntoOneModule) {
    std::vector<Module> units;
    units.push_back(parse_output("ptx_linked_main.ptx"));
    units.push_back(parse_output("ptx_linked_part.ptx"));
    const auto module = link(std::move(units));
    ASSERT_TRUE(module.ok()) << format(module.errors());
    for (const Function& function : module->functions) {
        EXPECT_TRUE(!function.is_declaration || is_runtime_function(function.name))
            << function.name;
    }
}

}  // namespace
}  // namespace wideload::ptx

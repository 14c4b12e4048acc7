// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <fstream>
#include <iterator>
#include <random>

#include "ptx/linker.h"
#include "ptx_text.h"

namespace wideload::ptx {
namespace {

constexpr int kMutations = 10000;

std::string read_seed() {
    std::ifstream file(WIDELOAD_PTX_SEED);
    EXPECT_TRUE(file.good()) << WIDELOAD_PTX_SEED;
    return {std::istreambuf_iterator<char>(file), {}};
}

/// Damage to text: bytes changed, pieces cut, repeated or moved, and words that mean something put
/// where they do not.
class Mutator {
public:
    explicit Mutator(std::string original) : original_(std::move(original)) {}

    std::string next() {
        std::string text = original_;
        const std::size_t steps = 1 + below(5);
        for (std::size_t i = 0; i < steps && !text.empty(); ++i) mutate(text);
        return text;
    }

private:
    std::size_t below(std::size_t bound) { return bound == 0 ? 0 : random_() % bound; }

    void mutate(std::string& text) {
        static constexpr std::array<std::string_view, 32> kWords{
            "{",         "}",           "[",           "]",       "(",      ")",       ";",
            ",",         ":",           "|",           "@!",      ".reg",   ".param",  "%r1",
            "_",         "<999999999>", "0f",          "0x",      "-",      "/*",      "\"",
            ".loc 1",    "?",           "99999999999", ".align",  ".entry", ".extern", ".section",
            "{{{{{{{{{", "mov",         "[1][]",       "= {1, 2}"};
        const std::size_t at = below(text.size());
        const std::size_t length = 1 + below(std::min<std::size_t>(40, text.size() - at));
        switch (below(6)) {
            case 0:
                text[at] = static_cast<char>(below(256));
                break;
            case 1:
                text.erase(at, length);
                break;
            case 2:
                text.insert(below(text.size()), text.substr(at, length));
                break;
            case 3:
                text.resize(below(20) == 0 ? at : text.size());
                break;
            case 4:
                text.insert(at, kWords[below(kWords.size())]);
                break;
            default:
                std::swap(text[at], text[below(text.size())]);
                break;
        }
    }

    std::string original_;
    std::mt19937 random_{20240607};  // NOLINT: a fixed seed, so that a failure can be repeated
};

TEST(Mutation, OfPtxGivesAnErrorOrAModule) {
    Mutator mutator(read_seed());
    int valid = 0;
    int refused = 0;
    for (int i = 0; i < kMutations; ++i) {
        auto module = parse(mutator.next(), "mutated");
        if (!module.ok()) {
            ++refused;
            EXPECT_FALSE(format(module.errors()).empty());
            continue;
        }
        ++valid;
        std::vector<Module> twice{*module, std::move(module).value()};
        const auto linked = link(std::move(twice));
        EXPECT_TRUE(linked.ok() || !linked.errors().empty());
    }
    // Both happen, or the damage would be too small or too great to tell anything.
    EXPECT_GT(valid, kMutations / 100);
    EXPECT_GT(refused, kMutations / 10);
}

std::string repeated(std::string_view piece, std::size_t bytes) {
    std::string text;
    while (text.size() < bytes) text += piece;
    return text;
}

/// Ten megabytes of any one thing take about a second at most, and no depth of nesting harms. Two
/// megabytes under the sanitizers: quadratic work would take hours, too.
TEST(Mutation, NoTextIsQuadratic) {
#ifdef __SANITIZE_ADDRESS__
    constexpr std::size_t kBytes = 2'000'000;
#else
    constexpr std::size_t kBytes = 10'000'000;
#endif
    const std::string kernel = kHeader + ".entry k() { .reg .b32 %r<9>; ";
    const std::vector<std::pair<std::string, std::string>> texts{
        {"instructions", kernel + repeated("add.s32 %r1, %r2, %r3;\n", kBytes) + "ret; }"},
        {"open scopes", kernel + repeated("{ ", kBytes)},
        {"scopes",
         kernel + repeated("{ .param .b32 p; ld.param.b32 %r1, [p]; }\n", kBytes) + "ret; }"},
        {"parentheses", kHeader + ".global .u32 x = " + repeated("(", kBytes)},
        {"braces", kHeader + ".global .u32 x = " + repeated("{", kBytes)},
        {"dimensions", kHeader + ".global .u32 x" + repeated("[2]", kBytes)},
        {"sums", kHeader + ".global .u32 x = 1" + repeated("+1", kBytes) + ";"},
        {"a long comment", kHeader + "//" + repeated("/", kBytes)},
        {"open comments", kHeader + repeated("/*", kBytes)},
        {"quotes", kHeader + repeated("\"", kBytes)},
        {"a long name", kHeader + ".global .u32 " + repeated("x", kBytes) + ";"},
        {"a long mnemonic", kernel + "add" + repeated(".s32", kBytes) + " %r1;}"},
        {"labels", kernel + repeated("bra end;\n", kBytes) + "end: ret; }"},
        {"bad statements", kHeader + repeated("x;\n", kBytes)},
        {"locations", kernel + repeated(".loc 1 2 3\n", kBytes) + "ret; }"},
        {"bytes", kHeader + ".global .b8 x[] = {1" + repeated(",255", kBytes) + "};"},
        {"vectors", kernel + "mov.b32 {" + repeated("%r1,", kBytes)},
        {"addresses", kernel + "tex.1d [" + repeated("[%r1,{", kBytes)},
    };
    for (const auto& [reason, text] : texts) {
        // Of this process, not of the clock on the wall: the machine may be busy.
        const std::clock_t start = std::clock();
        const auto module = parse(text, "long");
        const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
        // Ten times what it takes, for sanitizers; quadratic work would take hours.
        EXPECT_LT(seconds, 20.0) << reason;
        EXPECT_TRUE(module.ok() || !module.errors().empty()) << reason;
    }
}

}  // namespace
}  // namespace wideload::ptx

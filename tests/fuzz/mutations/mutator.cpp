// SPDX-License-Identifier: Apache-2.0
#include "mutator.h"

#include <array>
#include <regex>
#include <utility>

namespace wideload::fuzz {
namespace {

constexpr std::array<std::string_view, 16> kTypes{".u32",  ".s32", ".f32", ".b32",  ".u64", ".s64",
                                                  ".f64",  ".b64", ".u16", ".s16",  ".b16", ".f16",
                                                  ".pred", ".u8",  ".s8",  ".f16x2"};
constexpr std::array<std::string_view, 10> kNumbers{"0",  "1",  "-1",   "7",          "9",
                                                    "31", "32", "4096", "2147483647", "99"};
constexpr std::string_view kCharacters = " .%rfpd0123456789;,{}[]()+-@!|_";

const std::regex kRegister("%[a-z]+[0-9]+");
const std::regex kMnemonic("[a-z]+[0-9]*(\\.[a-z0-9:]+)+");
const std::regex kType("\\.(pred|f16x2|[usfb](8|16|32|64))\\b");
const std::regex kNumber("\\b[0-9]+\\b");
const std::regex kLine("[^\n]*\n");

using Place = std::pair<std::size_t, std::size_t>;  ///< where, and how long

std::vector<Place> find_all(const std::string& text, std::size_t begin, const std::regex& what) {
    std::vector<Place> places;
    const auto from = text.begin() + static_cast<std::ptrdiff_t>(begin);
    for (std::sregex_iterator at(from, text.end(), what), end; at != end; ++at) {
        places.emplace_back(begin + static_cast<std::size_t>(at->position()),
                            static_cast<std::size_t>(at->length()));
    }
    return places;
}

std::vector<std::string> words_of(const std::string& text, std::size_t begin,
                                  const std::regex& what) {
    std::vector<std::string> words;
    for (const auto& [at, length] : find_all(text, begin, what)) {
        words.push_back(text.substr(at, length));
    }
    return words;
}

}  // namespace

Mutator::Mutator(std::string text, std::uint32_t seed)
    : original_(std::move(text)),
      begin_(original_.find('{', original_.find(".entry"))),
      registers_(words_of(original_, begin_, kRegister)),
      mnemonics_(words_of(original_, begin_, kMnemonic)),
      random_(seed) {}

std::string Mutator::next() {
    std::string text = original_;
    for (std::size_t changes = 1 + below(3); changes != 0; --changes) change(text);
    return text;
}

void Mutator::change(std::string& text) {
    const auto replace = [&](const std::regex& what, std::string_view by) {
        const std::vector<Place> places = find_all(text, begin_, what);
        if (places.empty()) return;
        const auto [at, length] = places[below(places.size())];
        text.replace(at, length, by);
    };
    switch (below(8)) {
        case 0:
        case 1:
        case 2:
            return replace(kRegister, any(registers_));
        case 3:
            return replace(kMnemonic, any(mnemonics_));
        case 4:
            return replace(kType, kTypes[below(kTypes.size())]);
        case 5:
            return replace(kNumber, kNumbers[below(kNumbers.size())]);
        case 6:
            return replace(kLine, "");
        default:
            text[begin_ + below(text.size() - begin_)] = kCharacters[below(kCharacters.size())];
    }
}

}  // namespace wideload::fuzz

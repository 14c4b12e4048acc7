// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace wideload::fuzz {

/// Small changes of PTX that often leave it valid: other registers, other mnemonics, other types,
/// other numbers, a line less, a character else. The kernel's signature stays.
class Mutator {
public:
    /// @param text PTX with one entry
    Mutator(std::string text, std::uint32_t seed);

    /// The text with one to three changes.
    std::string next();

private:
    std::size_t below(std::size_t bound) { return random_() % bound; }
    const std::string& any(const std::vector<std::string>& words) {
        return words[below(words.size())];
    }
    void change(std::string& text);

    std::string original_;
    std::size_t begin_;  ///< of what may be changed
    std::vector<std::string> registers_, mnemonics_;
    std::mt19937 random_;
};

}  // namespace wideload::fuzz

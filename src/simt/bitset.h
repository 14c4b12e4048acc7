// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace wideload::simt {

/// A set of small integers below a size fixed at construction: blocks or registers of one function.
class Bitset {
public:
    Bitset() = default;
    explicit Bitset(std::size_t size) : words_((size + 63) / 64) {}

    [[nodiscard]] bool contains(std::size_t i) const { return words_[i / 64] >> (i % 64) & 1; }
    void insert(std::size_t i) { words_[i / 64] |= std::uint64_t{1} << (i % 64); }
    void erase(std::size_t i) { words_[i / 64] &= ~(std::uint64_t{1} << (i % 64)); }
    [[nodiscard]] bool empty() const {
        return std::all_of(words_.begin(), words_.end(), [](std::uint64_t w) { return w == 0; });
    }

    /// Adds the members of `other`; true if there were new ones.
    bool unite(const Bitset& other) {
        bool grew = false;
        for (std::size_t w = 0; w < words_.size(); ++w) {
            const std::uint64_t united = words_[w] | other.words_[w];
            grew |= united != words_[w];
            words_[w] = united;
        }
        return grew;
    }
    /// Adds the members of `other` that are greater than `least`; true if there were new ones.
    bool unite_above(const Bitset& other, std::size_t least) {
        bool grew = false;
        for (std::size_t w = least / 64; w < words_.size(); ++w) {
            std::uint64_t added = other.words_[w];
            if (w == least / 64) added &= ~std::uint64_t{1} << (least % 64);
            const std::uint64_t united = words_[w] | added;
            grew |= united != words_[w];
            words_[w] = united;
        }
        return grew;
    }
    void intersect(const Bitset& other) {
        for (std::size_t w = 0; w < words_.size(); ++w) words_[w] &= other.words_[w];
    }
    void subtract(const Bitset& other) {
        for (std::size_t w = 0; w < words_.size(); ++w) words_[w] &= ~other.words_[w];
    }

    /// Calls visit(i) for each member in ascending order.
    template <class Visit>
    void for_each(Visit visit) const {
        for (std::size_t w = 0; w < words_.size(); ++w) {
            for (std::uint64_t rest = words_[w]; rest != 0; rest &= rest - 1) {
                visit(w * 64 + static_cast<std::size_t>(std::countr_zero(rest)));
            }
        }
    }

    bool operator==(const Bitset&) const = default;

private:
    std::vector<std::uint64_t> words_;
};

}  // namespace wideload::simt

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "harness.cuh"

#include <algorithm>
#include <cmath>

/// Arguments drawn at random, for what lists of sizes leave out: kernels are chosen by size, shape
/// and alignment together. `--seed` draws others, `--random N` N times as many.
namespace test {

class Random {
public:
    explicit Random(std::uint64_t seed) : state_(mix(seed)) {}

    std::uint64_t bits() { return state_ = mix(state_); }

    /// Below `bound`, each alike.
    std::size_t below(std::size_t bound) { return bits() % bound; }

    bool one_in(std::size_t count) { return below(count) == 0; }

    /// From 1 to `most`, each order of magnitude alike.
    std::size_t size(std::size_t most) {
        const double unit = static_cast<double>(bits() >> 11) / 9007199254740992.0;
        const double drawn = std::exp(unit * std::log(static_cast<double>(most) + 1));
        return std::clamp<std::size_t>(static_cast<std::size_t>(drawn), 1, most);
    }

    /// `any`, or a little less, a multiple of a power of two.
    std::size_t rounded(std::size_t any) {
        const std::size_t unit = std::size_t{1} << below(8);
        return one_in(2) && any >= unit ? any / unit * unit : any;
    }

    std::size_t length(std::size_t most) { return rounded(size(most)); }

    /// Of an address: 0, a multiple of the element's size, or anything up to 31.
    std::size_t offset(std::size_t element) {
        return one_in(2) ? 0 : one_in(2) ? below(16) * element : below(32);
    }

private:
    std::uint64_t state_;
};

/// Bytes of a case: up to 64 MiB where a GPU moves them.
inline std::size_t random_bytes(Random& random) {
    return random.size(state().full ? std::size_t{64} << 20 : std::size_t{128} << 10);
}

/// A batch of matrices of any shape: they, their rows and columns share out the elements at random.
struct Shape {
    std::size_t rows, columns, batch;
};
inline Shape random_shape(Random& random, std::size_t size) {
    const std::size_t elements = random_bytes(random) / size + 1;
    const std::size_t batch = random.one_in(2) ? 1 : random.size(elements);
    const std::size_t rows = random.length(elements / batch);
    return {rows, random.rounded(elements / batch / rows), batch};
}

/// The odd numbers below 2 * count, shuffled: as indices, a scatter writes each place once, and
/// leaves as many alone.
template <class Index>
std::vector<Index> shuffled_places(std::size_t count) {
    std::vector<Index> places(count);
    for (std::size_t i = 0; i < count; ++i) places[i] = static_cast<Index>(2 * i + 1);
    for (std::size_t i = count; i > 1; --i) std::swap(places[i - 1], places[mix(i) % i]);
    return places;
}

/// Calls `one_case(random)` `count` times, with `--full` five times as often.
template <class Case>
void random_cases(int count, Case one_case) {
    const long cases = count * state().random * (state().full ? 5 : 1);
    for (long i = 0; i < cases; ++i) {
        Random random(state().seed * 0x9e3779b97f4a7c15u + static_cast<std::uint64_t>(i));
        one_case(random);
    }
}

}  // namespace test

// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <vector>

#include "counters/rules.h"

namespace wideload::counters {
namespace {

/// Lanes served together: a pass moves at most 128 bytes.
unsigned lanes_per_group(unsigned bytes_per_lane) {
    return bytes_per_lane <= kBankBytes ? kLanes : kLanes * kBankBytes / bytes_per_lane;
}

std::uint32_t lanes_from(unsigned first, unsigned count) {
    return static_cast<std::uint32_t>(((std::uint64_t{1} << count) - 1) << first);
}

/// Passes of the lanes of `mask`, served together: the most distinct words in one bank.
unsigned passes(const Request& request, std::uint32_t mask) {
    std::vector<std::uint64_t> words;
    for (unsigned lane = 0; lane < kLanes; ++lane) {
        if (mask >> lane & 1) {
            const std::uint64_t last = request.addresses[lane] + request.bytes_per_lane - 1;
            for (std::uint64_t word = request.addresses[lane] / kBankBytes;
                 word <= last / kBankBytes; ++word) {
                words.push_back(word);
            }
        }
    }
    std::sort(words.begin(), words.end());
    words.erase(std::unique(words.begin(), words.end()), words.end());
    std::array<unsigned, kBanks> words_by_bank{};
    for (const std::uint64_t word : words) {
        ++words_by_bank[word % kBanks];
    }
    return *std::max_element(words_by_bank.begin(), words_by_bank.end());
}

/// Whether every active lane of `mask` asks for what lane^distance asks for, where that one is
/// active.
bool agree_with_neighbour(const Request& request, std::uint32_t mask, unsigned distance) {
    for (unsigned lane = 0; lane < kLanes; ++lane) {
        const unsigned other = lane ^ distance;
        if ((mask >> lane & 1) && (mask >> other & 1) &&
            request.addresses[lane] != request.addresses[other]) {
            return false;
        }
    }
    return true;
}

}  // namespace

Wavefronts shared_wavefronts(const Request& request, bool store) {
    unsigned group = lanes_per_group(request.bytes_per_lane);
    if (!store && group < kLanes &&
        (agree_with_neighbour(request, request.mask, 1) ||
         agree_with_neighbour(request, request.mask, 2))) {
        group *= 2;
    }
    Wavefronts wavefronts;
    for (unsigned first = 0; first < kLanes; first += group) {
        const std::uint32_t mask = request.mask & lanes_from(first, group);
        wavefronts.taken += passes(request, mask);
        wavefronts.ideal += mask != 0 ? 1 : 0;
    }
    return wavefronts;
}

Wavefronts shared_atomic_wavefronts(const Request& request) {
    const unsigned group = lanes_per_group(request.bytes_per_lane);
    Wavefronts wavefronts;
    for (unsigned first = 0; first < kLanes; first += group) {
        std::array<unsigned, kBanks> lanes_by_bank{};
        unsigned most = 0;
        for (unsigned lane = first; lane < first + group; ++lane) {
            if (request.mask >> lane & 1) {
                unsigned& lanes = lanes_by_bank[request.addresses[lane] / kBankBytes % kBanks];
                most = std::max(most, ++lanes);
            }
        }
        wavefronts.taken += most;
        wavefronts.ideal += most != 0 ? 1 : 0;
    }
    return wavefronts;
}

}  // namespace wideload::counters

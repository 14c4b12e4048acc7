// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>

#include "jit/abi.h"
#include "jit/runtime/lane_moves.h"

namespace wideload::jit {
// Compiled for several vector extensions: internal linkage keeps the linker from sharing one's
// code.
namespace {

inline bool all_legal(const std::uint64_t* addresses, std::uint32_t mask, std::uint64_t begin,
                      std::uint64_t last, std::uint64_t low_bits) {
    std::uint64_t bad = 0;
    for (unsigned lane = 0; lane < kLanes; ++lane) {
        const std::uint64_t active = 0 - static_cast<std::uint64_t>(mask >> lane & 1);
        const std::uint64_t outside =
            0 - static_cast<std::uint64_t>(addresses[lane] - begin > last);
        bad |= active & (outside | (addresses[lane] & low_bits));
    }
    return bad == 0;
}

template <class Element, bool kStore>
inline void move_lane(const std::uint64_t* addresses, unsigned lane, std::uint64_t displacement,
                      unsigned width, Element* elements) {
    auto* place = reinterpret_cast<Element*>(addresses[lane] + displacement);
    for (unsigned i = 0; i < width; ++i) {
        if constexpr (kStore) {
            place[i] = elements[i * kLanes + lane];
        } else {
            elements[i * kLanes + lane] = place[i];
        }
    }
}

template <class Element, bool kStore>
void move(const std::uint64_t* addresses, std::uint32_t mask, std::uint64_t displacement,
          unsigned width, void* buffer) {
    auto* elements = static_cast<Element*>(buffer);
    if (mask == ~0u) {
        for (unsigned lane = 0; lane < kLanes; ++lane) {
            move_lane<Element, kStore>(addresses, lane, displacement, width, elements);
        }
        return;
    }
    for (; mask != 0; mask &= mask - 1) {
        move_lane<Element, kStore>(addresses, static_cast<unsigned>(std::countr_zero(mask)),
                                   displacement, width, elements);
    }
}

constexpr LaneMoves kPortableMoves{
    &all_legal,
    {&move<std::uint8_t, false>, &move<std::uint16_t, false>, &move<std::uint32_t, false>,
     &move<std::uint64_t, false>, &move<unsigned __int128, false>},
    {&move<std::uint8_t, true>, &move<std::uint16_t, true>, &move<std::uint32_t, true>,
     &move<std::uint64_t, true>, &move<unsigned __int128, true>}};

}  // namespace
}  // namespace wideload::jit

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/support/config.cuh>

#include <utility>

namespace wideload::WIDELOAD_DETAIL {

template <std::size_t Index, class T>
struct Slot {
    T value;
};

template <class Indices, class... Ts>
struct SlotsImplementation;
template <std::size_t... Indices, class... Ts>
struct SlotsImplementation<std::index_sequence<Indices...>, Ts...> : Slot<Indices, Ts>... {};

/// A tuple as plain data: an aggregate that a kernel takes as a parameter and the compiler keeps in
/// registers. The standard's tuple would do, at a second of compile time in every file that
/// includes it.
template <class... Ts>
struct Slots : SlotsImplementation<std::index_sequence_for<Ts...>, Ts...> {};

template <std::size_t Index, class T>
WIDELOAD_HOST_DEVICE T& slot(Slot<Index, T>& slots) {
    return slots.value;
}
template <std::size_t Index, class T>
WIDELOAD_HOST_DEVICE const T& slot(const Slot<Index, T>& slots) {
    return slots.value;
}

}  // namespace wideload::WIDELOAD_DETAIL

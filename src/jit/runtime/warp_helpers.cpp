// SPDX-License-Identifier: Apache-2.0
// What lanes of a warp do together where no short vector code does it, and the clocks they read.
#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <cstdint>

#include "jit/abi.h"
#include "jit/runtime/helpers.h"
#include "jit/runtime/host.h"

namespace wideload::jit {
namespace {

/// result[lane] = value[source[lane]]; sources are below 32.
void permute(std::uint32_t* result, const std::uint32_t* value, const std::uint32_t* source) {
    for (unsigned lane = 0; lane < kLanes; ++lane) result[lane] = value[source[lane]];
}

/// For each lane the lanes of its group that hold the same value.
template <class T>
void match(std::uint32_t* result, const T* value, const std::uint32_t* group) {
    for (unsigned lane = 0; lane < kLanes; ++lane) {
        std::uint32_t equal = 0;
        for (unsigned other = 0; other < kLanes; ++other) {
            equal |= static_cast<std::uint32_t>(value[other] == value[lane]) << other;
        }
        result[lane] = equal & group[lane];
    }
}

/// For each lane the values of its group, reduced; the identity of the operation where the group is
/// empty.
template <class T, class Operation>
void reduce(T* result, const T* value, const std::uint32_t* group, T identity,
            Operation operation) {
    for (unsigned lane = 0; lane < kLanes; ++lane) {
        T sum = identity;
        for (std::uint32_t rest = group[lane]; rest != 0; rest &= rest - 1) {
            sum = operation(sum, value[std::countr_zero(rest)]);
        }
        result[lane] = sum;
    }
}

template <class T>
using Reduce = void(T*, const T*, const std::uint32_t*);

template <class T, T identity, auto operation>
constexpr Reduce<T>* kReduce = [](T* result, const T* value, const std::uint32_t* group) {
    reduce(result, value, group, identity, operation);
};

using U = std::uint32_t;
using S = std::int32_t;

template <class T>
constexpr auto kMinimum = [](T a, T b) { return std::min(a, b); };
template <class T>
constexpr auto kMaximum = [](T a, T b) { return std::max(a, b); };

/// Meetings of one block, by their numbers.
void meet(BlockContext* block, std::uint32_t warp, std::uint32_t first, std::uint32_t count,
          std::uint32_t executing, const std::uint32_t* members, std::uint32_t elsewhere) {
    for (std::uint32_t meeting = first; meeting < first + count; ++meeting) {
        host_of(*block).meet(*block, warp, meeting, executing,
                             std::span<const std::uint32_t, kLanes>(members, kLanes), elsewhere);
    }
}

template <class Clock>
std::uint64_t nanoseconds() {
    return static_cast<std::uint64_t>(
        std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now().time_since_epoch())
            .count());
}

/// %clock counts up while a warp runs; kernels only look at differences.
std::uint64_t clock_count() { return nanoseconds<std::chrono::steady_clock>(); }

/// %globaltimer is nanoseconds since an epoch that all devices share.
std::uint64_t global_timer() { return nanoseconds<std::chrono::system_clock>(); }

}  // namespace

std::span<const Helper> warp_helpers() {
    static const std::array table = {
        helper("wl_permute", &permute),
        helper("wl_meet", &meet),
        helper("wl_match_32", &match<std::uint32_t>),
        helper("wl_match_64", &match<std::uint64_t>),
        helper("wl_reduce_add", kReduce<U, 0u, [](U a, U b) { return a + b; }>),
        helper("wl_reduce_and", kReduce<U, ~0u, [](U a, U b) { return a & b; }>),
        helper("wl_reduce_or", kReduce<U, 0u, [](U a, U b) { return a | b; }>),
        helper("wl_reduce_xor", kReduce<U, 0u, [](U a, U b) { return a ^ b; }>),
        helper("wl_reduce_min_u32", kReduce<U, ~0u, kMinimum<U>>),
        helper("wl_reduce_max_u32", kReduce<U, 0u, kMaximum<U>>),
        helper("wl_reduce_min_s32", kReduce<S, INT32_MAX, kMinimum<S>>),
        helper("wl_reduce_max_s32", kReduce<S, INT32_MIN, kMaximum<S>>),
        helper("wl_clock", &clock_count),
        helper("wl_global_timer", &global_timer),
    };
    return table;
}

}  // namespace wideload::jit

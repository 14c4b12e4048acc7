// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/thread/cache_policy.cuh>

namespace wideload::tuning {

using DeinterleaveLoadPolicy = read_line;
/// Sixteen streams of narrow fields are worth fetching ahead.
template <int FieldBytes, int Fields>
using InterleaveLoadPolicy =
    std::conditional_t<FieldBytes == 1 && Fields == 16, read_two_lines, cached>;
using InterleaveStorePolicy = cached;
/// Splits into up to so many arrays go by words where fields are no power of two.
inline constexpr int kDeinterleaveWordFields = 4;

}  // namespace wideload::tuning

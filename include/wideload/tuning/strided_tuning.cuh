// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace wideload::tuning {

inline constexpr int kStridedThreads = 256;
/// Elements of `Size` bytes that a thread has in flight. Measured by
/// bench/library/strided_bench.cu; see NOTES.md.
template <int Size>
inline constexpr int kStridedElements = Size <= 4    ? 4
                                        : Size <= 16 ? 2
                                                     : 1;

}  // namespace wideload::tuning

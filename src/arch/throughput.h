// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "arch/device.h"

/// Peak rates of a GPU: no kernel is faster. All are products of published per-clock figures and
/// the boost clock of arch/'s table.
namespace wideload::arch {

/// What one multiprocessor does in a clock.
struct MultiprocessorThroughput {
    ComputeCapability capability;
    std::uint32_t f16_lanes;  ///< results of 16-bit floating-point instructions, packed ones as two
    std::uint32_t i32_lanes;  ///< results of 32-bit integer instructions, in all pipes together
    std::uint32_t l1_bytes;   ///< between registers and L1 or shared memory
};

/// A capability of the table always has a row.
[[nodiscard]] const MultiprocessorThroughput& throughput(ComputeCapability capability);

/// Operations a second; a fused multiply-add counts as two, as in data sheets.
[[nodiscard]] double f16_peak_operations(const Device& device);
[[nodiscard]] double i32_peak_operations(const Device& device);

[[nodiscard]] double l1_peak_bytes_per_second(const Device& device);
/// Absent where none was published.
[[nodiscard]] std::optional<double> l2_peak_bytes_per_second(const Device& device);

}  // namespace wideload::arch

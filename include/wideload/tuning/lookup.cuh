// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace wideload::tuning {

/// The row of a tuning table for a device and a size: among the rows of the newest architecture
/// that is not newer than the device, the first whose `up_to_bytes` holds `bytes`.
template <class Row, std::size_t Rows>
constexpr const Row& lookup(const Row (&table)[Rows], int compute_capability, std::size_t bytes) {
    int architecture = table[0].compute_capability;
    for (const Row& row : table) {
        if (row.compute_capability <= compute_capability) architecture = row.compute_capability;
    }
    for (const Row& row : table) {
        if (row.compute_capability == architecture && bytes <= row.up_to_bytes) return row;
    }
    return table[Rows - 1];
}

}  // namespace wideload::tuning

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

/// The arithmetic of generated kernels: PTX's words beside what they mean, on bits.
namespace wideload::fuzz {

enum class Type : std::uint8_t { pred, b32, b64, f32, f64 };

struct Operation {
    std::string_view ptx;  ///< "add.s32"
    Type result;
    std::vector<Type> sources;
    std::uint64_t (*evaluate)(const std::uint64_t* sources);
    /// Keeps addresses of neighbouring lanes at constant distances: chosen more often.
    bool affine = false;
    /// The last source is printed as an immediate within [least, most]; none where most < least.
    std::int64_t least = 1, most = 0;
};

/// Every operation that may be chosen at random.
[[nodiscard]] std::span<const Operation> operations();
/// The one that PTX spells so.
[[nodiscard]] const Operation& operation(std::string_view ptx);

}  // namespace wideload::fuzz

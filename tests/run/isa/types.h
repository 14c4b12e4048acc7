// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>

/// PTX's integer types as C++ ones, for forms that exist in several widths.
namespace wideload::isa {

template <class T>
inline constexpr unsigned kWidth = sizeof(T) * 8;

/// "s32" of std::int32_t.
template <class T>
std::string type_name() {
    return (std::is_signed_v<T> ? "s" : "u") + std::to_string(kWidth<T>);
}

/// "add.s32 $d, $a;" of "add.$t $d, $a;".
template <class T>
std::string with_type(std::string text) {
    for (std::size_t at = 0; (at = text.find("$t")) != std::string::npos;) {
        text.replace(at, 2, type_name<T>());
    }
    return text;
}

/// Integers that hold any sum, difference or product of two values.
__extension__ using Wide = __int128;

/// The low bits of a wide result.
template <class T>
T low(Wide value) {
    return static_cast<T>(static_cast<std::make_unsigned_t<T>>(value));
}

template <class T>
T saturate(Wide value) {
    if (value > std::numeric_limits<T>::max()) return std::numeric_limits<T>::max();
    if (value < std::numeric_limits<T>::min()) return std::numeric_limits<T>::min();
    return static_cast<T>(value);
}

}  // namespace wideload::isa

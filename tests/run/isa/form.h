// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

/// What a test says of one instruction form: its text, the types it reads and writes, and what it
/// must compute.
namespace wideload::isa {

inline constexpr unsigned kLanes = 32;

/// A value of any type: its bits, zero-extended.
using Bits = std::uint64_t;
using Lanes = std::array<Bits, kLanes>;

/// What one warp brings to an instruction.
struct WarpInput {
    std::vector<Lanes> operands;  ///< $a, $b, ...; of lanes that do not execute, too
    std::uint32_t active = 0;     ///< lanes that execute
};
/// results[r][lane], sized by the caller; only active lanes' entries are compared.
struct WarpResults : std::vector<Lanes> {
    using std::vector<Lanes>::vector;
    std::uint32_t undefined = 0;  ///< lanes whose results PTX leaves open
};

/// The letters of Form::text, in order.
inline constexpr std::string_view kResultNames = "defgijkl", kOperandNames = "abchnopq";

/// "{$a, $b}" of "ab".
inline std::string vector_of(std::string_view names) {
    std::string text;
    for (const char name : names) text += std::string(text.empty() ? "{$" : ", $") + name;
    return text + "}";
}

using WarpReference = std::function<void(const WarpInput&, WarpResults&)>;

/// Nothing where `actual` is right, else why it is not. `operands` are the lane's.
using Judge = std::function<std::optional<std::string>(const std::vector<Bits>& operands,
                                                       Bits expected, Bits actual)>;

/// One instruction form (or a short sequence that shares state, as add.cc; addc do).
struct Form {
    /// PTX with `$d $e $f $g $i $j $k $l` for results, `$a $b $c $h $n $o $p $q` for operands, `$m`
    /// for a register that holds the mask of lanes that execute it: "shfl.sync.up.b32 $d|$e, $a,
    /// $b, 0, $m;".
    std::string text;
    std::vector<std::string> results;   ///< PTX types of $d, $e, ...: "s32", "f16x2", "pred"
    std::vector<std::string> operands;  ///< of $a, $b, ...
    WarpReference reference;
    /// By operand, in place of the edge values of its type; an empty list keeps those.
    std::vector<std::vector<Bits>> values{};
    /// By operand: nothing but `values`, where anything else is undefined.
    std::vector<bool> only_values{};
    /// Operands that are also tried as literals, with each of these values.
    struct Literals {
        unsigned operand;
        std::vector<Bits> values;
    };
    std::optional<Literals> literals{};
    Judge judge{};  ///< bit for bit where there is none
    /// Why a GPU's results differ from what the PTX manual says; the check against hardware leaves
    /// such forms out.
    std::string unlike_hardware{};
    /// ptxas forgets the guard of the last of the instructions that it makes of this one, whatever
    /// it optimizes.
    bool guard_lost_on_hardware = false;
    bool needs_sm100 = false;  ///< cannot be run on older hardware
    bool before_sm70 = false;  ///< is no instruction of newer targets
    /// Variables and functions of the module; the text may also read the kernel's %thread_x,
    /// %warp_in_block, %thread and %warp (of all blocks).
    std::string declarations{};
};

// Reference functions of single lanes.

namespace detail {

template <class T>
T decode(Bits bits) {
    if constexpr (std::is_same_v<T, bool>) {
        return bits != 0;
    } else if constexpr (std::is_same_v<T, float>) {
        return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    } else if constexpr (std::is_same_v<T, double>) {
        return std::bit_cast<double>(bits);
    } else {
        return static_cast<T>(bits);
    }
}

template <class T>
Bits encode(T value) {
    if constexpr (std::is_same_v<T, float>) {
        return std::bit_cast<std::uint32_t>(value);
    } else if constexpr (std::is_same_v<T, double>) {
        return std::bit_cast<Bits>(value);
    } else if constexpr (std::is_same_v<T, bool>) {
        return value ? 1 : 0;
    } else {
        return static_cast<std::make_unsigned_t<T>>(value);
    }
}

template <class... T>
std::array<Bits, sizeof...(T)> encode_all(const std::tuple<T...>& values) {
    return std::apply([](auto... v) { return std::array{encode(v)...}; }, values);
}
template <class T>
std::array<Bits, 1> encode_all(T value) {
    return {encode(value)};
}

template <class Function, class Result, class... Arguments>
WarpReference by_lane(Function function, Result (Function::*)(Arguments...) const) {
    return [function](const WarpInput& input, WarpResults& results) {
        for (unsigned lane = 0; lane < kLanes; ++lane) {
            if ((input.active >> lane & 1) == 0) continue;
            const auto values = [&]<std::size_t... I>(std::index_sequence<I...>) {
                return encode_all(function(
                    decode<std::remove_cvref_t<Arguments>>(input.operands.at(I)[lane])...));
            }(std::index_sequence_for<Arguments...>{});
            for (std::size_t r = 0; r < results.size(); ++r) results[r][lane] = values.at(r);
        }
    };
}

}  // namespace detail

/// A lane's reference from a lambda over C++ types: `by_lane([](std::int32_t a, std::int32_t b) {
/// return a & b; })`. Integers of any width, bool for predicates, float, double; 16-bit floats as
/// std::uint16_t. Several results as a std::tuple.
template <class Function>
WarpReference by_lane(Function function) {
    return detail::by_lane(function, &Function::operator());
}

}  // namespace wideload::isa

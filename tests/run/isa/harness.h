// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

#include "form.h"

/// Runs instruction forms on the virtual GPU, or on a real one, and compares every lane with the
/// form's reference.
///
///   TEST(Integer, Addition) {
///       check({{"add.s32 $d, $a, $b;", {"s32"}, {"s32", "s32"},
///               by_lane([](std::int32_t a, std::int32_t b) { return wrapping_add(a, b); })}});
///   }
///
/// Each form becomes a kernel that executes the text with operands that differ by lane, with
/// operands that all lanes of a warp share, with mixtures of these, under a guard, and in a branch
/// that only some lanes take; lanes that do not execute it must keep what their results held.
/// Operands take each type's edge values, pairs of these, and random values of every magnitude.
namespace wideload::isa {

/// Reports at most a few mismatches per form as test failures, with operands, expectation and
/// result in hexadecimal.
void check(std::span<const Form> forms);
inline void check(const std::vector<Form>& forms) { check(std::span<const Form>(forms)); }

/// Edge values of a PTX type: "s32": 0, 1, -1, largest, smallest, ...; floats: zeros, subnormals,
/// infinities, NaNs.
[[nodiscard]] std::vector<Bits> edge_values(std::string_view type);
/// Bits of a value of a PTX type: 16, 32, 64; 1 for pred.
[[nodiscard]] unsigned width_of(std::string_view type);

// Judges of approximations. Every one takes any NaN for a NaN.

/// f32 within `ulps` units in the last place of the expectation.
[[nodiscard]] Judge within_ulps_f32(double ulps);
/// f32 within `error` times the expectation.
[[nodiscard]] Judge within_relative_f32(double error);
/// Absolute error, f32.
[[nodiscard]] Judge within_absolute_f32(double error);
/// Bit for bit, but any NaN for a NaN; `type` is f16, bf16, f16x2, bf16x2, f32 or f64.
[[nodiscard]] Judge any_nan(std::string_view type);

}  // namespace wideload::isa

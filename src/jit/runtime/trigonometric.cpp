// SPDX-License-Identifier: Apache-2.0
// sin and cos of f32 on 32 lanes, within 2^-22 for arguments of any size below 2^28, as libm's
// beyond.
#include "jit/runtime/trigonometric.h"

#include <bit>
#include <cmath>
#include <cstdint>

#include "jit/runtime/lane_loop.h"

namespace wideload::jit {
namespace {

/// Beyond it the reduced argument would lose precision.
constexpr float kLargest = 0x1p28f;

/// sin(x + quarter_turns * pi/2), |x| < 2^28. The argument is reduced in f64, which leaves 2^-24 of
/// it even there.
template <int kQuarterTurns>
struct Sine {
    using Guard = NoGuard;
    static WIDELOAD_INLINE float apply(float x) {
        constexpr double kShifter = 0x1.8p52;  // adding it rounds to an integer
        const double wide = x;
        const double shifted = wide * 0x1.45f306dc9c883p-1 + kShifter;  // 2 / pi
        const auto turns =
            static_cast<std::uint32_t>(std::bit_cast<std::uint64_t>(shifted)) + kQuarterTurns;
        const double count = shifted - kShifter;
        const auto r = static_cast<float>((wide - count * 0x1.921fb54442d18p0) -
                                          count * 0x1.1a62633145c07p-54);
        const float s = r * r;
        // Taylor's series, cut where |r| <= pi/4 leaves less than 2^-25.
        const float sine =
            r * (1.0f + s * (-0x1.555556p-3f + s * (0x1.111112p-7f - s * 0x1.a01a02p-13f)));
        const float cosine =
            1.0f - s * (0.5f - s * (0x1.555556p-5f - s * (0x1.6c16c2p-10f - s * 0x1.a01a02p-16f)));
        const float value = (turns & 1) != 0 ? cosine : sine;
        const std::uint32_t sign = (turns & 2) << 30;
        return std::bit_cast<float>(std::bit_cast<std::uint32_t>(value) ^ sign);
    }
};

/// The few that the quick way does not reach, infinities and NaN among them.
template <float (*kExact)(float)>
void redo_large(float* result, const float* x) {
    unsigned large = 0;
    for (unsigned lane = 0; lane < kLanes; ++lane) large |= !(std::fabs(x[lane]) < kLargest);
    if (large == 0) return;
    for (unsigned lane = 0; lane < kLanes; ++lane) {
        if (!(std::fabs(x[lane]) < kLargest)) result[lane] = kExact(x[lane]);
    }
}

/// Lanes out of range count as 0 in the quick way.
struct InRange {
    using Guard = NoGuard;
    static WIDELOAD_INLINE float apply(float x) { return std::fabs(x) < kLargest ? x : 0.0f; }
};

float exact_sine(float x) { return std::sin(x); }
float exact_cosine(float x) { return std::cos(x); }

template <int kQuarterTurns, float (*kExact)(float)>
void sine_lanes(float* result, const float* x) {
    static const auto limit = LaneLoop<InRange, float, float>::best();
    static const auto quick = LaneLoop<Sine<kQuarterTurns>, float, float>::best();
    alignas(64) float limited[kLanes];
    limit(limited, x);
    quick(result, limited);
    redo_large<kExact>(result, x);
}

}  // namespace

void append_trigonometric(std::vector<Helper>& table) {
    table.push_back(helper("wl_sin_f32", &sine_lanes<0, exact_sine>));
    table.push_back(helper("wl_cos_f32", &sine_lanes<1, exact_cosine>));
}

}  // namespace wideload::jit

// SPDX-License-Identifier: Apache-2.0
// f32 and f64: arithmetic in directed roundings, by the processor's rounding mode, and what LLVM
// asks of the C library where the host's instruction set lacks an instruction.
#include <cfenv>
#include <cmath>

#include "jit/runtime/lane_loop.h"
#include "jit/runtime/trigonometric.h"

namespace wideload::jit {
namespace {

/// Keeps loads, and so the arithmetic that uses them, from moving across a change of the rounding
/// mode.
WIDELOAD_INLINE void compiler_barrier() { __asm__ __volatile__("" ::: "memory"); }

/// Sets the rounding of vector instructions (MXCSR on x86) while it lives, and whether they take
/// and yield zeros for subnormal numbers.
template <int kMode, bool kFlush>
class RoundingGuard {
public:
    WIDELOAD_INLINE RoundingGuard() {
#if defined(__x86_64__)
        saved_ = __builtin_ia32_stmxcsr();
        constexpr unsigned kRoundingBits = 0x6000, kFlushBits = 0x8040;
        __builtin_ia32_ldmxcsr((saved_ & ~(kRoundingBits | kFlushBits)) | kBits |
                               (kFlush ? kFlushBits : 0));
#else
        saved_ = static_cast<unsigned>(std::fegetround());
        std::fesetround(kMode);
#endif
        compiler_barrier();
    }
    WIDELOAD_INLINE ~RoundingGuard() {
        compiler_barrier();
#if defined(__x86_64__)
        __builtin_ia32_ldmxcsr(saved_);
#else
        std::fesetround(static_cast<int>(saved_));
#endif
    }
    RoundingGuard(const RoundingGuard&) = delete;
    RoundingGuard& operator=(const RoundingGuard&) = delete;

private:
    static constexpr unsigned kBits = kMode == FE_DOWNWARD ? 0x2000
                                      : kMode == FE_UPWARD ? 0x4000
                                                           : 0x6000;
    unsigned saved_;
};

template <int kMode, bool kFlush>
struct Directed {
    using Guard = RoundingGuard<kMode, kFlush>;
};

template <class T, int kMode, bool kFlush>
struct Add : Directed<kMode, kFlush> {
    static WIDELOAD_INLINE T apply(T a, T b) { return a + b; }
};
template <class T, int kMode, bool kFlush>
struct Multiply : Directed<kMode, kFlush> {
    static WIDELOAD_INLINE T apply(T a, T b) { return a * b; }
};
template <class T, int kMode, bool kFlush>
struct Divide : Directed<kMode, kFlush> {
    static WIDELOAD_INLINE T apply(T a, T b) { return a / b; }
};
template <class T, int kMode, bool kFlush>
struct MultiplyAdd : Directed<kMode, kFlush> {
    static WIDELOAD_INLINE T apply(T a, T b, T c) { return std::fma(a, b, c); }
};
template <class T, int kMode, bool kFlush>
struct SquareRoot : Directed<kMode, kFlush> {
    static WIDELOAD_INLINE T apply(T a) { return std::sqrt(a); }
};

struct Names {
    const char *add, *multiply, *divide, *multiply_add, *square_root;
};

template <class T, int kMode, bool kFlush>
void append(std::vector<Helper>& table, const Names& names) {
    table.push_back(helper(names.add, LaneLoop<Add<T, kMode, kFlush>, T, T, T>::best()));
    table.push_back(helper(names.multiply, LaneLoop<Multiply<T, kMode, kFlush>, T, T, T>::best()));
    table.push_back(helper(names.divide, LaneLoop<Divide<T, kMode, kFlush>, T, T, T>::best()));
    table.push_back(
        helper(names.multiply_add, LaneLoop<MultiplyAdd<T, kMode, kFlush>, T, T, T, T>::best()));
    table.push_back(
        helper(names.square_root, LaneLoop<SquareRoot<T, kMode, kFlush>, T, T>::best()));
}

#define WIDELOAD_DIRECTED_NAMES(suffix) \
    {"wl_add_" suffix, "wl_mul_" suffix, "wl_div_" suffix, "wl_fma_" suffix, "wl_sqrt_" suffix}

/// By their C names: LLVM calls them for vectors' elements on hosts without the instruction.
void append_library(std::vector<Helper>& table) {
    using Unary32 = float(float);
    using Unary64 = double(double);
    table.push_back(helper<float(float, float, float)>("fmaf", &::fmaf));
    table.push_back(helper<double(double, double, double)>("fma", &::fma));
    table.push_back(helper<Unary32>("truncf", &::truncf));
    table.push_back(helper<Unary32>("floorf", &::floorf));
    table.push_back(helper<Unary32>("ceilf", &::ceilf));
    table.push_back(helper<Unary32>("rintf", &::rintf));
    table.push_back(helper<Unary32>("nearbyintf", &::nearbyintf));
    table.push_back(helper<Unary64>("trunc", &::trunc));
    table.push_back(helper<Unary64>("floor", &::floor));
    table.push_back(helper<Unary64>("ceil", &::ceil));
    table.push_back(helper<Unary64>("rint", &::rint));
    table.push_back(helper<Unary64>("nearbyint", &::nearbyint));
    // The processor's rounding is to nearest even wherever compiled kernels run.
    table.push_back(helper<Unary32>("roundevenf", &::rintf));
    table.push_back(helper<Unary64>("roundeven", &::rint));
}

std::vector<Helper> make_table() {
    std::vector<Helper> table;
    append<float, FE_TOWARDZERO, false>(table, WIDELOAD_DIRECTED_NAMES("f32_rz"));
    append<float, FE_DOWNWARD, false>(table, WIDELOAD_DIRECTED_NAMES("f32_rm"));
    append<float, FE_UPWARD, false>(table, WIDELOAD_DIRECTED_NAMES("f32_rp"));
    append<float, FE_TOWARDZERO, true>(table, WIDELOAD_DIRECTED_NAMES("f32_rz_ftz"));
    append<float, FE_DOWNWARD, true>(table, WIDELOAD_DIRECTED_NAMES("f32_rm_ftz"));
    append<float, FE_UPWARD, true>(table, WIDELOAD_DIRECTED_NAMES("f32_rp_ftz"));
    append<double, FE_TOWARDZERO, false>(table, WIDELOAD_DIRECTED_NAMES("f64_rz"));
    append<double, FE_DOWNWARD, false>(table, WIDELOAD_DIRECTED_NAMES("f64_rm"));
    append<double, FE_UPWARD, false>(table, WIDELOAD_DIRECTED_NAMES("f64_rp"));
    append_library(table);
    append_trigonometric(table);
    return table;
}

}  // namespace

std::span<const Helper> floating_helpers() {
    static const std::vector<Helper> table = make_table();
    return table;
}

}  // namespace wideload::jit

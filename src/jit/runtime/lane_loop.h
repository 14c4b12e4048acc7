// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "jit/abi.h"
#include "jit/runtime/helpers.h"

#if defined(__x86_64__)
#define WIDELOAD_AVX2 __attribute__((target("avx2,fma,f16c,bmi,bmi2,lzcnt")))
#if defined(__clang__)
#define WIDELOAD_AVX512 \
    __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,f16c,bmi,bmi2,lzcnt")))
#else
#define WIDELOAD_AVX512                                                           \
    __attribute__((                                                               \
        target("avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,f16c,bmi,bmi2,lzcnt," \
               "prefer-vector-width=512")))
#endif
#endif
#define WIDELOAD_INLINE inline __attribute__((always_inline))
#if defined(__clang__)
#define WIDELOAD_INDEPENDENT _Pragma("clang loop vectorize(enable)")
#else
#define WIDELOAD_INDEPENDENT _Pragma("GCC ivdep")
#endif

/// Element-wise host functions, `void f(Result* result, const Arguments*... arguments)` on 32
/// elements: compiled for several vector instruction sets, of which the host's best is taken when
/// the table of helpers is made.
namespace wideload::jit {

template <class Element, class Result, class... Arguments>
class LaneLoop {
public:
    using Function = void (*)(Result*, const Arguments*...);

    /// The version for this host.
    static Function best() {
#if defined(__x86_64__)
        if (__builtin_cpu_supports("x86-64-v4")) return &avx512;
        if (__builtin_cpu_supports("x86-64-v3")) return &avx2;
#endif
        return &baseline;
    }

private:
    /// Calls Element::apply on each lane. Element::Guard lives around the loop.
    static WIDELOAD_INLINE void loop(Result* result, const Arguments*... arguments) {
        [[maybe_unused]] const typename Element::Guard guard;
        WIDELOAD_INDEPENDENT
        for (unsigned lane = 0; lane < kLanes; ++lane) {
            result[lane] = Element::apply(arguments[lane]...);
        }
    }

    static void baseline(Result* result, const Arguments*... arguments) {
        loop(result, arguments...);
    }
#if defined(__x86_64__)
    WIDELOAD_AVX2 static void avx2(Result* result, const Arguments*... arguments) {
        loop(result, arguments...);
    }
    WIDELOAD_AVX512 static void avx512(Result* result, const Arguments*... arguments) {
        loop(result, arguments...);
    }
#endif
};

/// For elements that need nothing around their loop.
struct NoGuard {
    NoGuard() {}  // not trivial, so that naming one is not a warning
};

}  // namespace wideload::jit

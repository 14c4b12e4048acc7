// SPDX-License-Identifier: Apache-2.0
#include "counters/count.h"

#include "counters/count_isa.h"

namespace wideload::counters {

#if defined(__x86_64__)

bool available(CountIsa isa) {
    switch (isa) {
        case CountIsa::portable:
            return true;
        case CountIsa::avx2:
            return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi");
        case CountIsa::avx512:
            return available(CountIsa::avx2) && __builtin_cpu_supports("avx512f") &&
                   __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw") &&
                   __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512cd");
    }
    return false;
}

const CountFunctions& count_functions(CountIsa isa) {
    switch (isa) {
        case CountIsa::avx2:
            return avx2_count_functions();
        case CountIsa::avx512:
            return avx512_count_functions();
        case CountIsa::portable:
            break;
    }
    return portable_count_functions();
}

#else

bool available(CountIsa isa) { return isa == CountIsa::portable; }

const CountFunctions& count_functions(CountIsa) { return portable_count_functions(); }

#endif

const CountFunctions& count_functions() {
    static const CountFunctions& widest =
        count_functions(available(CountIsa::avx512)
                            ? CountIsa::avx512
                            : (available(CountIsa::avx2) ? CountIsa::avx2 : CountIsa::portable));
    return widest;
}

}  // namespace wideload::counters

// SPDX-License-Identifier: Apache-2.0
#pragma once

/// WIDELOAD_DETAIL, the namespace of the kernels and of what launches them, tells for which
/// architectures a translation unit is compiled: detail_750_900 for sm_75 and sm_90. What launches
/// a kernel depends on how it was compiled (stream_order.cuh), and the linker takes one of two
/// functions of the same name. Within the library, and in its tests, `detail` is another name for
/// it. Source: CUB's namespaces, which do the same.

#define WIDELOAD_PASTE(first, second) first##_##second
#define WIDELOAD_GLUE(first, second) WIDELOAD_PASTE(first, second)

// The numbers of a list, nvcc's __CUDA_ARCH_LIST__, with underscores between.
#define WIDELOAD_JOIN_1(first) first
#define WIDELOAD_JOIN_2(first, ...) WIDELOAD_GLUE(first, WIDELOAD_JOIN_1(__VA_ARGS__))
#define WIDELOAD_JOIN_3(first, ...) WIDELOAD_GLUE(first, WIDELOAD_JOIN_2(__VA_ARGS__))
#define WIDELOAD_JOIN_4(first, ...) WIDELOAD_GLUE(first, WIDELOAD_JOIN_3(__VA_ARGS__))
#define WIDELOAD_JOIN_5(first, ...) WIDELOAD_GLUE(first, WIDELOAD_JOIN_4(__VA_ARGS__))
#define WIDELOAD_JOIN_6(first, ...) WIDELOAD_GLUE(first, WIDELOAD_JOIN_5(__VA_ARGS__))
#define WIDELOAD_JOIN_7(first, ...) WIDELOAD_GLUE(first, WIDELOAD_JOIN_6(__VA_ARGS__))
#define WIDELOAD_JOIN_8(first, ...) WIDELOAD_GLUE(first, WIDELOAD_JOIN_7(__VA_ARGS__))
#define WIDELOAD_JOIN_9(first, ...) WIDELOAD_GLUE(first, WIDELOAD_JOIN_8(__VA_ARGS__))
#define WIDELOAD_JOIN_10(first, ...) WIDELOAD_GLUE(first, WIDELOAD_JOIN_9(__VA_ARGS__))
#define WIDELOAD_JOIN_11(first, ...) WIDELOAD_GLUE(first, WIDELOAD_JOIN_10(__VA_ARGS__))
#define WIDELOAD_JOIN_12(first, ...) WIDELOAD_GLUE(first, WIDELOAD_JOIN_11(__VA_ARGS__))
#define WIDELOAD_JOIN_13(first, ...) WIDELOAD_GLUE(first, WIDELOAD_JOIN_12(__VA_ARGS__))
#define WIDELOAD_JOIN_14(first, ...) WIDELOAD_GLUE(first, WIDELOAD_JOIN_13(__VA_ARGS__))
#define WIDELOAD_JOIN_15(first, ...) WIDELOAD_GLUE(first, WIDELOAD_JOIN_14(__VA_ARGS__))
#define WIDELOAD_JOIN_16(first, ...) WIDELOAD_GLUE(first, WIDELOAD_JOIN_15(__VA_ARGS__))
#define WIDELOAD_JOIN_17(first, ...) WIDELOAD_GLUE(first, WIDELOAD_JOIN_16(__VA_ARGS__))
#define WIDELOAD_JOIN_18(first, ...) WIDELOAD_GLUE(first, WIDELOAD_JOIN_17(__VA_ARGS__))
#define WIDELOAD_JOIN_19(first, ...) WIDELOAD_GLUE(first, WIDELOAD_JOIN_18(__VA_ARGS__))
#define WIDELOAD_JOIN_20(first, ...) WIDELOAD_GLUE(first, WIDELOAD_JOIN_19(__VA_ARGS__))
#define WIDELOAD_JOIN_21(first, ...) WIDELOAD_GLUE(first, WIDELOAD_JOIN_20(__VA_ARGS__))
#define WIDELOAD_JOIN_22(first, ...) WIDELOAD_GLUE(first, WIDELOAD_JOIN_21(__VA_ARGS__))
#define WIDELOAD_JOIN_23(first, ...) WIDELOAD_GLUE(first, WIDELOAD_JOIN_22(__VA_ARGS__))
#define WIDELOAD_JOIN_24(first, ...) WIDELOAD_GLUE(first, WIDELOAD_JOIN_23(__VA_ARGS__))
#define WIDELOAD_PICK(_1, _2, _3, _4, _5, _6, _7, _8, _9, _10, _11, _12, _13, _14, _15, _16, _17, \
                      _18, _19, _20, _21, _22, _23, _24, count, ...)                              \
    count
#define WIDELOAD_COUNT(...)                                                                      \
    WIDELOAD_PICK(__VA_ARGS__, 24, 23, 22, 21, 20, 19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, \
                  7, 6, 5, 4, 3, 2, 1)
#define WIDELOAD_JOIN_SOME(count, ...) WIDELOAD_GLUE(WIDELOAD_JOIN, count)(__VA_ARGS__)
#define WIDELOAD_JOIN_ALL(...) WIDELOAD_JOIN_SOME(WIDELOAD_COUNT(__VA_ARGS__), __VA_ARGS__)

#if !defined(__CUDA_ARCH_LIST__)
#define WIDELOAD_DETAIL detail_unknown
#elif defined(WIDELOAD_NO_OVERLAP)
#define WIDELOAD_DETAIL WIDELOAD_GLUE(detail_no_overlap, WIDELOAD_JOIN_ALL(__CUDA_ARCH_LIST__))
#else
#define WIDELOAD_DETAIL WIDELOAD_GLUE(detail, WIDELOAD_JOIN_ALL(__CUDA_ARCH_LIST__))
#endif

namespace wideload {
namespace WIDELOAD_DETAIL {}
namespace detail = WIDELOAD_DETAIL;
}  // namespace wideload

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/thread/operations.cuh>

#include <cstddef>
#include <type_traits>

namespace wideload::WIDELOAD_DETAIL {

/// Whether T is a lambda that nvcc refuses in kernels: of host code, and neither `__device__` nor
/// `__host__ __device__`. Only nvcc's front end is asked, whose names of lambdas begin so; it says
/// what is wrong before the host's compiler runs.
template <class T>
constexpr bool is_host_lambda() {
#ifdef __CUDACC_EXTENDED_LAMBDA__
    if (__nv_is_extended_device_lambda_closure_type(T) ||
        __nv_is_extended_host_device_lambda_closure_type(T))
        return false;
#endif
#ifdef __NVCC__
    constexpr char kBegin[] = "[with T = lambda [";
    for (const char* name = __PRETTY_FUNCTION__; *name != '\0'; ++name) {
        std::size_t same = 0;
        while (name[same] == kBegin[same] && name[same] != '\0') ++same;
        if (same == sizeof kBegin - 1) return true;
    }
#endif
    return false;
}

template <class Operation>
inline constexpr bool kHostLambda = is_host_lambda<Operation>();
template <class Operation>
inline constexpr bool kHostLambda<commutative_operation<Operation>> = kHostLambda<Operation>;

/// Whether `operation(values...)` can be called on the device and gives what converts to Result.
/// Host code cannot ask what a `__device__` lambda gives; it is compiled with device code, which
/// can.
template <class Result, class Operation, class... Values>
constexpr bool gives() {
#ifdef __CUDA_ARCH__
    return std::is_invocable_r_v<Result, Operation&, Values...>;
#else
    return true;
#endif
}

/// Whether elements can be reduced to a Result.
template <class T, class Result>
inline constexpr bool kReducible =
    kComputable<T> && kComputable<Result> && !std::is_const_v<Result>;

/// Whether a reduction can combine values of type Result: one sentence is said where it cannot.
template <class Result, class Operation>
constexpr bool may_combine() {
    constexpr bool kHost = kHostLambda<Operation>;
    static_assert(!kHost,
                  "wideload's reductions: the lambda must be __device__ or __host__ __device__, "
                  "and nvcc be given --extended-lambda");
    constexpr bool kCopied = std::is_copy_constructible_v<Operation>;
    static_assert(kCopied, "wideload's reductions: the operation must be copyable");
    constexpr bool kGives =
        kHost || !kComputable<Result> || gives<Result, Operation, Result, Result>();
    static_assert(kGives,
                  "wideload's reductions: the operation must take two values of the result's type "
                  "and give one");
    return !kHost && kCopied && kGives;
}

}  // namespace wideload::WIDELOAD_DETAIL

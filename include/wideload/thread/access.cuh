// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/support/integer.cuh>
#include <wideload/thread/cache_policy.cuh>

#include <cstring>

namespace wideload::WIDELOAD_DETAIL {

/// The register type that one access of `Bytes` bytes moves.
template <int Bytes>
struct access_word;
template <>
struct access_word<1> {
    using type = std::uint8_t;
};
template <>
struct access_word<2> {
    using type = std::uint16_t;
};
template <>
struct access_word<4> {
    using type = std::uint32_t;
};
template <>
struct access_word<8> {
    using type = uint2;
};
template <>
struct access_word<16> {
    using type = uint4;
};
struct alignas(32) uint8x32 {
    std::uint32_t words[8];
};
template <>
struct access_word<32> {
    using type = uint8x32;
};

template <int Bytes>
using access_word_t = typename access_word<Bytes>::type;

/// One load and one store instruction per width, for one policy.
template <class Policy>
struct access;

template <>
struct access<cached> {
    template <int Bytes>
    static WIDELOAD_DEVICE access_word_t<Bytes> load(const void* address) {
        return *static_cast<const access_word_t<Bytes>*>(address);
    }
    /// Vectors are stored by the instruction itself: the compiler was seen to split `*pointer =
    /// uint4` into four stores of 4 bytes, a quarter of the speed, where the address had been
    /// computed from a pointer to 4-byte elements.
    template <int Bytes>
    static WIDELOAD_DEVICE void store(void* address, const access_word_t<Bytes>& word) {
        if constexpr (Bytes == 16) {
            asm volatile(
                "st.global.v4.u32 [%0], {%1,%2,%3,%4};" ::"l"(__cvta_generic_to_global(address)),
                "r"(word.x), "r"(word.y), "r"(word.z), "r"(word.w)
                : "memory");
        } else if constexpr (Bytes == 8) {
            asm volatile("st.global.v2.u32 [%0], {%1,%2};" ::"l"(__cvta_generic_to_global(address)),
                         "r"(word.x), "r"(word.y)
                         : "memory");
        } else {
            *static_cast<access_word_t<Bytes>*>(address) = word;
        }
    }
};

#define WIDELOAD_GLOBAL(address) "l"(__cvta_generic_to_global(address))

// The 32-byte access exists from sm_100 on; before, `load` and `store` never ask for it.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 1000
#define WIDELOAD_LOAD_32(instruction, qualifier, ...)                                  \
    if constexpr (Bytes == 32) {                                                       \
        asm qualifier(instruction ".v8.b32 {%0,%1,%2,%3,%4,%5,%6,%7}, [%8];"           \
                      : "=r"(word.words[0]), "=r"(word.words[1]), "=r"(word.words[2]), \
                        "=r"(word.words[3]), "=r"(word.words[4]), "=r"(word.words[5]), \
                        "=r"(word.words[6]), "=r"(word.words[7])                       \
                      : WIDELOAD_GLOBAL(address) __VA_ARGS__);                         \
    }
#define WIDELOAD_STORE_32(instruction)                                                         \
    if constexpr (Bytes == 32) {                                                               \
        asm volatile(                                                                          \
            instruction ".v8.b32 [%0], {%1,%2,%3,%4,%5,%6,%7,%8};" ::WIDELOAD_GLOBAL(address), \
            "r"(word.words[0]), "r"(word.words[1]), "r"(word.words[2]), "r"(word.words[3]),    \
            "r"(word.words[4]), "r"(word.words[5]), "r"(word.words[6]), "r"(word.words[7])     \
            : "memory");                                                                       \
    }
#else
#define WIDELOAD_LOAD_32(instruction, qualifier, ...) \
    static_assert(Bytes != 32, "no 32-byte access here");
#define WIDELOAD_STORE_32(instruction) static_assert(Bytes != 32, "no 32-byte access here");
#endif

// A byte has no PTX register constraint of its own: it travels in a 32-bit register.
#define WIDELOAD_LOADS(instruction, qualifier, ...)                                \
    template <int Bytes>                                                           \
    static WIDELOAD_DEVICE access_word_t<Bytes> load(const void* address) {        \
        access_word_t<Bytes> word;                                                 \
        if constexpr (Bytes == 1) {                                                \
            std::uint32_t wide;                                                    \
            asm qualifier(instruction ".u8 %0, [%1];"                              \
                          : "=r"(wide)                                             \
                          : WIDELOAD_GLOBAL(address) __VA_ARGS__);                 \
            word = static_cast<std::uint8_t>(wide);                                \
        } else if constexpr (Bytes == 2) {                                         \
            asm qualifier(instruction ".u16 %0, [%1];"                             \
                          : "=h"(word)                                             \
                          : WIDELOAD_GLOBAL(address) __VA_ARGS__);                 \
        } else if constexpr (Bytes == 4) {                                         \
            asm qualifier(instruction ".u32 %0, [%1];"                             \
                          : "=r"(word)                                             \
                          : WIDELOAD_GLOBAL(address) __VA_ARGS__);                 \
        } else if constexpr (Bytes == 8) {                                         \
            asm qualifier(instruction ".v2.u32 {%0,%1}, [%2];"                     \
                          : "=r"(word.x), "=r"(word.y)                             \
                          : WIDELOAD_GLOBAL(address) __VA_ARGS__);                 \
        } else if constexpr (Bytes == 16) {                                        \
            asm qualifier(instruction ".v4.u32 {%0,%1,%2,%3}, [%4];"               \
                          : "=r"(word.x), "=r"(word.y), "=r"(word.z), "=r"(word.w) \
                          : WIDELOAD_GLOBAL(address) __VA_ARGS__);                 \
        } else {                                                                   \
            WIDELOAD_LOAD_32(instruction, qualifier, __VA_ARGS__)                  \
        }                                                                          \
        return word;                                                               \
    }

#define WIDELOAD_STORES(instruction)                                                            \
    template <int Bytes>                                                                        \
    static WIDELOAD_DEVICE void store(void* address, const access_word_t<Bytes>& word) {        \
        if constexpr (Bytes == 1) {                                                             \
            asm volatile(instruction ".u8 [%0], %1;" ::WIDELOAD_GLOBAL(address),                \
                         "r"(static_cast<std::uint32_t>(word))                                  \
                         : "memory");                                                           \
        } else if constexpr (Bytes == 2) {                                                      \
            asm volatile(instruction ".u16 [%0], %1;" ::WIDELOAD_GLOBAL(address), "h"(word)     \
                         : "memory");                                                           \
        } else if constexpr (Bytes == 4) {                                                      \
            asm volatile(instruction ".u32 [%0], %1;" ::WIDELOAD_GLOBAL(address), "r"(word)     \
                         : "memory");                                                           \
        } else if constexpr (Bytes == 8) {                                                      \
            asm volatile(instruction ".v2.u32 [%0], {%1,%2};" ::WIDELOAD_GLOBAL(address),       \
                         "r"(word.x), "r"(word.y)                                               \
                         : "memory");                                                           \
        } else if constexpr (Bytes == 16) {                                                     \
            asm volatile(instruction ".v4.u32 [%0], {%1,%2,%3,%4};" ::WIDELOAD_GLOBAL(address), \
                         "r"(word.x), "r"(word.y), "r"(word.z), "r"(word.w)                     \
                         : "memory");                                                           \
        } else {                                                                                \
            WIDELOAD_STORE_32(instruction)                                                      \
        }                                                                                       \
    }

// The longest stretch that a load may ask L2 to fetch: 256 bytes from sm_80 on.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
#define WIDELOAD_LOAD_TWO_LINES "ld.global.L2::128B"
#else
#define WIDELOAD_LOAD_TWO_LINES "ld.global.L2::256B"
#endif

// Nothing writes what `nc` reads, so the compiler may move such a load; any other keeps its place
// among the stores.

// clang-format off
template <> struct access<read_only>    { WIDELOAD_LOADS("ld.global.nc", , ) };
template <> struct access<read_once>    { WIDELOAD_LOADS("ld.global.nc.L1::no_allocate", , ) };
template <> struct access<read_line>    { WIDELOAD_LOADS("ld.global.L2::128B", volatile, : "memory") };
template <> struct access<read_two_lines> { WIDELOAD_LOADS(WIDELOAD_LOAD_TWO_LINES, volatile, : "memory") };
template <> struct access<streaming>    { WIDELOAD_LOADS("ld.global.cs", volatile, : "memory")
                                          WIDELOAD_STORES("st.global.cs") };
template <> struct access<cache_global> { WIDELOAD_LOADS("ld.global.cg", volatile, : "memory")
                                          WIDELOAD_STORES("st.global.cg") };
template <> struct access<no_allocate>  { WIDELOAD_LOADS("ld.global.L1::no_allocate", volatile, : "memory")
                                          WIDELOAD_STORES("st.global.L1::no_allocate") };
template <> struct access<evict_first>  { WIDELOAD_LOADS("ld.global.L1::evict_first", volatile, : "memory")
                                          WIDELOAD_STORES("st.global.L1::evict_first") };
template <> struct access<evict_last>   { WIDELOAD_LOADS("ld.global.L1::evict_last", volatile, : "memory")
                                          WIDELOAD_STORES("st.global.L1::evict_last") };
// clang-format on

#undef WIDELOAD_LOAD_TWO_LINES
#undef WIDELOAD_STORES
#undef WIDELOAD_LOADS
#undef WIDELOAD_STORE_32
#undef WIDELOAD_LOAD_32
#undef WIDELOAD_GLOBAL

/// Whether a policy has a store: the `read_...` ones are for loads.
template <class Policy>
inline constexpr bool has_store =
    !std::is_same_v<Policy, read_only> && !std::is_same_v<Policy, read_once> &&
    !std::is_same_v<Policy, read_line> && !std::is_same_v<Policy, read_two_lines>;

/// The width of the accesses that move `bytes` bytes from an address of this alignment: the widest
/// that both allow.
WIDELOAD_HOST_DEVICE constexpr int access_width(std::size_t bytes, std::size_t alignment) {
    std::size_t width = lowest_power_of_two(bytes);
    if (width > alignment) width = alignment;
    return static_cast<int>(width < kMaxAccessBytes ? width : kMaxAccessBytes);
}

}  // namespace wideload::WIDELOAD_DETAIL

// SPDX-License-Identifier: Apache-2.0
#include "jit/runtime/atomic_words.h"

#include <bit>
#include <cmath>
#include <cstring>

#include "jit/runtime/half_bits.h"
#include "jit/runtime/lane_memory.h"
#include "ptx/instruction.h"

namespace wideload::jit {
namespace {

using ptx::AtomOp;
using ptx::Type;

/// How a word is read and replaced: by the host's atomics, or plainly where no other thread can see
/// it.
enum class Sharing : std::uint8_t { shared_with_others, own };

template <class Word>
Word load(const Word* place) {
    return __atomic_load_n(place, __ATOMIC_RELAXED);
}

/// Replaces *place by change(old) in one step. @return old
template <Sharing kSharing, class Word, class Change>
Word exchange_with(Word* place, Change change) {
    if constexpr (kSharing == Sharing::own) {
        const Word old = *place;
        *place = change(old);
        return old;
    } else {
        Word old = load(place);
        while (!__atomic_compare_exchange_n(place, &old, change(old), true, __ATOMIC_SEQ_CST,
                                            __ATOMIC_RELAXED)) {
        }
        return old;
    }
}

template <Sharing kSharing, class Word>
Word apply_bits(AtomOp operation, Word* place, Word operand, Word swap) {
    if constexpr (kSharing == Sharing::shared_with_others) {
        switch (operation) {
            case AtomOp::add:
                return __atomic_fetch_add(place, operand, __ATOMIC_SEQ_CST);
            case AtomOp::and_:
                return __atomic_fetch_and(place, operand, __ATOMIC_SEQ_CST);
            case AtomOp::or_:
                return __atomic_fetch_or(place, operand, __ATOMIC_SEQ_CST);
            case AtomOp::xor_:
                return __atomic_fetch_xor(place, operand, __ATOMIC_SEQ_CST);
            case AtomOp::exch:
                return __atomic_exchange_n(place, operand, __ATOMIC_SEQ_CST);
            case AtomOp::cas:
                __atomic_compare_exchange_n(place, &operand, swap, false, __ATOMIC_SEQ_CST,
                                            __ATOMIC_SEQ_CST);
                return operand;  // what was found, equal or not
            default:
                break;
        }
    }
    return exchange_with<kSharing>(place, [&](Word old) -> Word {
        switch (operation) {
            case AtomOp::add:
                return static_cast<Word>(old + operand);
            case AtomOp::and_:
                return static_cast<Word>(old & operand);
            case AtomOp::or_:
                return static_cast<Word>(old | operand);
            case AtomOp::xor_:
                return static_cast<Word>(old ^ operand);
            case AtomOp::exch:
                return operand;
            case AtomOp::cas:
                return old == operand ? swap : old;
            case AtomOp::inc:
                return static_cast<Word>(old >= operand ? 0 : old + 1);
            case AtomOp::dec:
                return old == 0 || old > operand ? operand : static_cast<Word>(old - 1);
            case AtomOp::min:
                return old < operand ? old : operand;
            case AtomOp::max:
                return old > operand ? old : operand;
            default:
                return old;
        }
    });
}

template <Sharing kSharing, class Signed, class Word>
Word apply_signed(AtomOp operation, Word* place, Word operand, Word swap) {
    if (operation != AtomOp::min && operation != AtomOp::max) {
        return apply_bits<kSharing>(operation, place, operand, swap);
    }
    return exchange_with<kSharing>(place, [&](Word old) {
        const bool less = static_cast<Signed>(old) < static_cast<Signed>(operand);
        return less == (operation == AtomOp::min) ? old : operand;
    });
}

template <class Float>
Float combine(AtomOp operation, Float a, Float b) {
    if (operation == AtomOp::add) return a + b;
    if (std::isnan(a)) return b;
    if (std::isnan(b)) return a;
    const bool a_is_less = a < b || (a == b && std::signbit(a) && !std::signbit(b));
    return a_is_less == (operation == AtomOp::min) ? a : b;
}

template <Sharing kSharing, class Float, class Word>
Word apply_float(AtomOp operation, Word* place, Word operand, Word swap) {
    if (operation == AtomOp::exch || operation == AtomOp::cas) {
        return apply_bits<kSharing>(operation, place, operand, swap);
    }
    return exchange_with<kSharing>(place, [&](Word old) {
        return std::bit_cast<Word>(
            combine(operation, std::bit_cast<Float>(old), std::bit_cast<Float>(operand)));
    });
}

/// Subnormal numbers as zeros of their sign.
float flushed(float value) {
    return std::fpclassify(value) == FP_SUBNORMAL ? std::copysign(0.0f, value) : value;
}

/// The caches' own adders, which global memory's sums of f32 run in, know no subnormal numbers (PTX
/// ISA, "atom"; an H200 computes just so, vectors included).
template <Sharing kSharing>
std::uint32_t add_flushing(std::uint32_t* place, std::uint32_t operand) {
    return exchange_with<kSharing>(place, [&](std::uint32_t old) {
        const float sum =
            flushed(std::bit_cast<float>(old)) + flushed(std::bit_cast<float>(operand));
        return std::bit_cast<std::uint32_t>(flushed(sum));
    });
}

std::uint16_t combine_half(AtomOp operation, Type type, std::uint16_t a, std::uint16_t b) {
    const bool brain = type == Type::bf16 || type == Type::bf16x2;
    const float left = brain ? bf16_to_float(a) : half_to_float(a);
    const float right = brain ? bf16_to_float(b) : half_to_float(b);
    const float result = combine(operation, left, right);
    // A sum of two halves is exact in float, so that rounding once more is rounding once.
    return brain ? float_to_bf16(result) : float_to_half(result);
}

template <Sharing kSharing>
std::uint16_t apply_half(AtomOp operation, Type type, std::uint16_t* place, std::uint16_t operand,
                         std::uint16_t swap) {
    if (operation == AtomOp::exch || operation == AtomOp::cas) {
        return apply_bits<kSharing>(operation, place, operand, swap);
    }
    return exchange_with<kSharing>(
        place, [&](std::uint16_t old) { return combine_half(operation, type, old, operand); });
}

template <Sharing kSharing>
std::uint32_t apply_half_pair(AtomOp operation, Type type, std::uint32_t* place,
                              std::uint32_t operand) {
    return exchange_with<kSharing>(place, [&](std::uint32_t old) {
        const auto part = [&](unsigned shift) {
            return static_cast<std::uint32_t>(
                combine_half(operation, type, static_cast<std::uint16_t>(old >> shift),
                             static_cast<std::uint16_t>(operand >> shift)));
        };
        return part(0) | part(16) << 16;
    });
}

/// 16-byte exchange and compare-and-swap; others have no 128-bit form.
template <Sharing kSharing>
unsigned __int128 apply_wide(AtomOp operation, unsigned __int128* place, unsigned __int128 operand,
                             unsigned __int128 swap) {
    // Two halves are read apart: a torn value fails the exchange and is read again.
    unsigned __int128 old = *place;
    if constexpr (kSharing == Sharing::own) {
        if (operation == AtomOp::exch || old == operand) {
            *place = operation == AtomOp::exch ? operand : swap;
        }
        return old;
    }
    while (true) {
        if (operation == AtomOp::cas && old != operand) return old;
        const unsigned __int128 next = operation == AtomOp::exch ? operand : swap;
        const unsigned __int128 found = compare_exchange_16(place, old, next);
        if (found == old) return old;
        old = found;
    }
}

template <class Word>
Word element(const void* array, std::size_t index) {
    if (array == nullptr) return Word{};
    Word value;
    std::memcpy(&value, static_cast<const std::byte*>(array) + index * sizeof(Word), sizeof value);
    return value;
}

template <class Word, class Apply>
void run_lanes(const AtomicLanes& lanes, Apply apply) {
    const AtomicOperands& operands = lanes.operands;
    for_each_lane(lanes.mask, [&](unsigned lane) {
        auto* words = reinterpret_cast<Word*>(lanes.places[lane]);
        for (unsigned i = 0; i < lanes.width; ++i) {
            const std::size_t index = i * kLanes + lane;
            const Word old = apply(words + i, element<Word>(operands.operand, index),
                                   element<Word>(operands.swap, index));
            if (operands.old == nullptr) continue;
            std::memcpy(static_cast<std::byte*>(operands.old) + index * sizeof(Word), &old,
                        sizeof old);
        }
    });
}

template <Sharing kSharing>
void run(AtomicCode code, const AtomicLanes& lanes) {
    const auto operation = static_cast<AtomOp>(code.operation());
    const Type type = code.type();
    switch (type) {
        case Type::s32:
            return run_lanes<std::uint32_t>(lanes, [&](auto* p, auto a, auto b) {
                return apply_signed<kSharing, std::int32_t>(operation, p, a, b);
            });
        case Type::s64:
            return run_lanes<std::uint64_t>(lanes, [&](auto* p, auto a, auto b) {
                return apply_signed<kSharing, std::int64_t>(operation, p, a, b);
            });
        case Type::f32:
            if (operation == AtomOp::add && code.space() != ptx::Space::shared) {
                return run_lanes<std::uint32_t>(
                    lanes, [&](auto* p, auto a, auto) { return add_flushing<kSharing>(p, a); });
            }
            return run_lanes<std::uint32_t>(lanes, [&](auto* p, auto a, auto b) {
                return apply_float<kSharing, float>(operation, p, a, b);
            });
        case Type::f64:
            return run_lanes<std::uint64_t>(lanes, [&](auto* p, auto a, auto b) {
                return apply_float<kSharing, double>(operation, p, a, b);
            });
        case Type::f16:
        case Type::bf16:
            return run_lanes<std::uint16_t>(lanes, [&](auto* p, auto a, auto b) {
                return apply_half<kSharing>(operation, type, p, a, b);
            });
        case Type::f16x2:
        case Type::bf16x2:
            return run_lanes<std::uint32_t>(lanes, [&](auto* p, auto a, auto) {
                return apply_half_pair<kSharing>(operation, type, p, a);
            });
        default:
            break;
    }
    switch (ptx::byte_size(type)) {
        case 2:
            return run_lanes<std::uint16_t>(lanes, [&](auto* p, auto a, auto b) {
                return apply_bits<kSharing>(operation, p, a, b);
            });
        case 8:
            return run_lanes<std::uint64_t>(lanes, [&](auto* p, auto a, auto b) {
                return apply_bits<kSharing>(operation, p, a, b);
            });
        case 16:
            return run_lanes<unsigned __int128>(lanes, [&](auto* p, auto a, auto b) {
                return apply_wide<kSharing>(operation, p, a, b);
            });
        default:
            return run_lanes<std::uint32_t>(lanes, [&](auto* p, auto a, auto b) {
                return apply_bits<kSharing>(operation, p, a, b);
            });
    }
}

}  // namespace

void apply_atomic(AtomicCode code, const AtomicLanes& lanes, bool alone) {
    if (alone) {
        run<Sharing::own>(code, lanes);
    } else {
        run<Sharing::shared_with_others>(code, lanes);
    }
}

}  // namespace wideload::jit

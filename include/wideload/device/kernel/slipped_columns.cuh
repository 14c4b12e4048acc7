// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/device/kernel/matrix_reduce_kernel.cuh>
#include <wideload/device/kernel/staged_value.cuh>

namespace wideload::WIDELOAD_DETAIL {

/// The alignment that kernels are told of bytes whose rows begin anywhere in words, and which they
/// read so many at a time.
inline constexpr int kSlipped = -1, kSlippedBytes = 8;

/// Such elements: the two words of 8 bytes that hold them, of which the second is L1's by then, are
/// shifted into one.
template <int PerAccess, class T>
class LoadedElements<PerAccess, kSlipped, T> {
    static_assert(PerAccess == kSlippedBytes && sizeof(T) == 1, "a word of bytes");

public:
    static constexpr bool kWords = true;

    WIDELOAD_DEVICE void load(const T* pointer) {
        const auto address = reinterpret_cast<std::uintptr_t>(pointer);
        slip_ = static_cast<unsigned>(address % kSlippedBytes);
        const char* const words = reinterpret_cast<const char*>(pointer) - slip_;
        load_bytes<kSlippedBytes, kSlippedBytes, cached>(words, &words_[0]);
        if (slip_ != 0)
            load_bytes<kSlippedBytes, kSlippedBytes, cached>(words + kSlippedBytes, &words_[2]);
    }
    template <class Result, class Operation>
    WIDELOAD_DEVICE void add_words(Accumulator<Result, Operation> (&accumulators)[PerAccess],
                                   Operation& operation) const {
        std::uint32_t words[4];
        memcpy(words, &words_, sizeof(words));
        move_words<1>(words, (slip_ & 4) != 0);
        const unsigned bits = (slip_ & 3) * 8;
        const std::uint32_t shifted[2] = {__funnelshift_r(words[0], words[1], bits),
                                          __funnelshift_r(words[1], words[2], bits)};
        vec<T, PerAccess> elements;
        memcpy(&elements, shifted, sizeof(elements));
#pragma unroll
        for (int k = 0; k < PerAccess; ++k)
            accumulators[k].add(static_cast<Result>(elements[k]), operation);
    }

private:
    vec<std::uint32_t, 4> words_;
    unsigned slip_;
};

/// Adds rows `first` to `end` - 1 of a matrix that has two at least, each longer than two words, of
/// which a lane has the columns from `column` on: words, wherever they begin. The matrix's first
/// and last row, whose words reach out of it, are read element by element.
template <int Together, int PerAccess, class T, class Result, class Operation>
WIDELOAD_DEVICE void accumulate_slipped_rows(
    const MatrixReducePlan<T, Result>& plan, std::size_t first, std::size_t end, std::size_t column,
    Accumulator<Result, Operation> (&accumulators)[PerAccess], Operation& operation) {
    const T* const lane = plan.input + column;
    const auto add_row = [&](std::size_t row) {
#pragma unroll
        for (int k = 0; k < PerAccess; ++k) {
            if (column + k < plan.columns)
                accumulators[k].add(static_cast<Result>(lane[row * plan.columns + k]), operation);
        }
    };
    const std::size_t inner = first == 0 ? 1 : first;
    const std::size_t behind = end == plan.rows ? end - 1 : end;
    if (first == 0) add_row(0);
    if (inner < behind) {
        accumulate_loads<PerAccess, kSlipped, Together>(lane + inner * plan.columns, plan.columns,
                                                        behind - inner, accumulators, operation);
    }
    if (end == plan.rows) add_row(plan.rows - 1);
}

/// The same of all rows, where they are few: element by element in those lanes alone whose words do
/// reach out of the matrix, its first one and its last ones. `column` is a multiple of `PerAccess`.
template <int Together, int PerAccess, class T, class Result, class Operation>
WIDELOAD_DEVICE void accumulate_few_slipped_rows(
    const MatrixReducePlan<T, Result>& plan, std::size_t column,
    Accumulator<Result, Operation> (&accumulators)[PerAccess], Operation& operation) {
    if (column == 0 || column + 2 * PerAccess > plan.columns) {
        return accumulate_slipped_rows<Together>(plan, 0, plan.rows, column, accumulators,
                                                 operation);
    }
    accumulate_loads<PerAccess, kSlipped, Together>(plan.input + column, plan.columns, plan.rows,
                                                    accumulators, operation);
}

}  // namespace wideload::WIDELOAD_DETAIL

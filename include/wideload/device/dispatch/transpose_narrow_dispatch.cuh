// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/device/dispatch/transpose_small_dispatch.cuh>
#include <wideload/device/kernel/transpose_narrow_kernel.cuh>

namespace wideload::detail {

/// Matrices of few rows or columns at any address, and how a block walks through a piece of one.
struct NarrowMatrices {
    const void* input;
    void* output;
    std::size_t rows, columns, batch;
    unsigned element;  ///< bytes

    bool tall() const { return rows >= columns; }
    std::size_t length() const { return tall() ? rows : columns; }
    unsigned narrow() const { return static_cast<unsigned>(tall() ? columns : rows); }
    unsigned line() const { return narrow() * element; }  ///< bytes of one along the long side
    std::size_t bytes() const { return rows * columns * element; }  ///< of a matrix

    /// Whether every run of either side begins at a multiple of `bytes` and is whole ones.
    bool all_at(std::size_t bytes) const {
        return is_aligned(input, bytes) && is_aligned(output, bytes) &&
               length() * element % bytes == 0;
    }

    /// Whether rows and columns are whole 16-byte words.
    bool are_whole_words() const {
        return rows * element % kWideBytes == 0 && columns * element % kWideBytes == 0;
    }

    /// Whether there are so few rows or columns that tiles would be mostly empty.
    bool are_narrow() const {
        return (tall() ? columns : rows) * element <=
               (all_at(kWideBytes) ? tuning::narrow_transpose_bytes(element)
                                   : tuning::ragged_narrow_transpose_bytes(element));
    }

    /// How many elements of the long side a block takes: as many as fill its shared memory, or
    /// fewer where that leaves too few blocks; whole warps of `lanes` and whole lines of each run.
    unsigned piece(unsigned lanes, std::size_t least_blocks) const {
        const unsigned run = kLineBytes / greatest_common_divisor(element, unsigned{kLineBytes});
        const unsigned unit = run > lanes ? run : lanes;  // both are powers of two
        const auto whole = [unit](std::size_t elements) {
            return divide_up<std::size_t>(elements, unit) * unit;
        };
        std::size_t most = tuning::kNarrowTransposeBytes / line() / unit * unit;
        if (most == 0) most = unit;
        const std::size_t share = whole(divide_up(length() * batch, least_blocks));
        if (share < most) most = share;
        return static_cast<unsigned>(whole(length()) < most ? whole(length()) : most);
    }

    /// One side: a run, or one for each row or column.
    NarrowSide side(bool together, unsigned piece, bool aligned) const {
        const unsigned along = together ? line() : element;
        const unsigned staged = piece * along + (aligned ? 0 : kWideBytes);
        return {together ? 1 : narrow(), along, staged, length() * along,
                fast_divide(staged / kWideBytes)};
    }
};

/// Launches the kernel for items that are `Item::kSide` elements along the long side and, squares,
/// as many along the other (`across`).
template <class Item, bool Aligned>
cudaError_t launch_transpose_narrow(const NarrowMatrices& matrices, unsigned across,
                                    cudaStream_t stream) {
    constexpr unsigned kSide = Item::kSide;
    DeviceProperties device{};
    if (cudaError_t error = current_device_properties(&device)) return error;
    const bool tall = matrices.tall();
    const unsigned element = matrices.element, line = matrices.line();
    NarrowTransposePlan plan{};
    plan.input = static_cast<const char*>(matrices.input);
    plan.output = static_cast<char*>(matrices.output);
    plan.length = matrices.length();
    plan.apart_log2 = lanes_apart_log2(line * kSide, element * kSide);
    plan.piece = matrices.piece(kWarpLanes * kSide << plan.apart_log2,
                                static_cast<std::size_t>(device.multiprocessors) * 2);
    const std::size_t pieces = divide_up<std::size_t>(plan.length, plan.piece);
    if (matrices.batch > kMaxGridBlocks / pieces) return cudaErrorInvalidConfiguration;
    plan.pieces = fast_divide(static_cast<unsigned>(pieces));
    plan.before = matrices.side(tall, plan.piece, Aligned);
    plan.after = matrices.side(!tall, plan.piece, Aligned);

    const unsigned far = tall ? plan.after.staged : plan.before.staged;
    const TransposeAxis together{plan.piece / kSide, line * kSide, element * kSide};
    const TransposeAxis apart{matrices.narrow() / across, element * across, far * across};
    plan.lanes = tall ? together : TransposeAxis{together.count, together.after, together.before};
    plan.inner = tall ? apart : TransposeAxis{apart.count, apart.after, apart.before};
    plan.row_before = tall ? line : far;
    plan.row_after = tall ? far : line;
    plan.swizzle = lane_swizzle(sizeof(typename Item::Unit), line * kSide << plan.apart_log2);

    const auto staged = [](const NarrowSide& side) {
        return round_up_to_line(std::size_t{side.runs} * side.staged);
    };
    plan.staged_before = staged(plan.before);
    const int threads = tuning::narrow_transpose_threads(plan.staged_before);
    const unsigned warps = static_cast<unsigned>(threads / kWarpLanes);
    const unsigned groups = divide_up(plan.lanes.count, static_cast<unsigned>(kWarpLanes));
    plan.shares = fast_divide(groups >= warps ? 1 : divide_up(warps, groups));
    return launch(transpose_narrow_kernel<Item, Aligned, tuning::TransposeLoadPolicy,
                                          tuning::TransposeStorePolicy>,
                  pieces * matrices.batch, threads,
                  {plan.staged_before + staged(plan.after), tuning::kSmallTransposeCarveout},
                  stream, plan);
}

/// Of elements of `Size` bytes.
template <int Size>
cudaError_t dispatch_transpose_narrow(const NarrowMatrices& matrices, cudaStream_t stream) {
    constexpr int kUnit = access_width(Size, kWideBytes);
    using Element = SmallElement<access_word_t<kUnit>, Size / kUnit>;
    if (matrices.all_at(kWideBytes)) {
        if constexpr (Size <= 2) {
            constexpr unsigned kSide = 4 / Size;
            if (matrices.narrow() % kSide == 0)
                return launch_transpose_narrow<SmallSquare<kSide>, true>(matrices, kSide, stream);
            using Word = access_word_t<Size>;
            return matrices.tall() ? launch_transpose_narrow<NarrowColumn<Word, true>, true>(
                                         matrices, 1, stream)
                                   : launch_transpose_narrow<NarrowColumn<Word, false>, true>(
                                         matrices, 1, stream);
        } else {
            return launch_transpose_narrow<Element, true>(matrices, 1, stream);
        }
    }
    if (is_aligned(matrices.input, kUnit) && is_aligned(matrices.output, kUnit))
        return launch_transpose_narrow<Element, false>(matrices, 1, stream);
    return launch_transpose_narrow<SmallElement<std::uint8_t, Size>, false>(matrices, 1, stream);
}

}  // namespace wideload::detail

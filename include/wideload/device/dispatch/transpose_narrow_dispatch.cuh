// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/device/dispatch/transpose_small_dispatch.cuh>
#include <wideload/device/kernel/transpose_narrow_kernel.cuh>
#include <wideload/tuning/transpose_batch_tuning.cuh>
#include <wideload/tuning/transpose_tuning.cuh>

namespace wideload::WIDELOAD_DETAIL {

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

    /// Whether there are so few rows or columns that pieces of them all are faster than tiles.
    bool are_narrow() const { return have_short_lines() || are_long(); }

    /// Whether tiles would be mostly empty.
    bool have_short_lines() const {
        const std::size_t across = std::size_t{narrow()} * element;
        if (all_at(kWideBytes)) return across <= tuning::narrow_transpose_bytes(element);
        if (across > tuning::ragged_narrow_transpose_bytes(element, tall())) return false;
        if (!is_power_of_two(element) || element > 8) return true;
        return length() / narrow() >= tuning::kRaggedNarrowTimes &&
               ((batch > tuning::kRaggedTiledMatrices && length() >= kWarpLanes) ||
                length() * batch >= tuning::ragged_narrow_least_length(element, narrow(), tall()));
    }

    /// Whether they are so long that pieces are faster than tiles that would be partly empty.
    bool are_long() const {
        const std::size_t across = std::size_t{narrow()} * element;
        const auto [more_than, at_most] =
            tuning::long_narrow_bytes(element, tall(), all_at(kWideBytes), are_whole_words());
        if (across <= more_than || across > at_most) return false;
        if (length() < narrow() * tuning::kRaggedNarrowTimes ||
            bytes() <= tuning::kRaggedSmallMatrixBytes ||
            bytes() * batch < tuning::kLongNarrowBytes)
            return false;
        const int unit = access_width(element, kWideBytes);
        if (!is_aligned(input, unit) || !is_aligned(output, unit)) return false;
        const auto side = static_cast<unsigned>(tuning::padded_side(static_cast<int>(element)));
        const unsigned tiled = divide_up(narrow(), side) * side;
        if (!is_power_of_two(element) && narrow() * 100 >= tiled * tuning::kFilledStructTiles)
            return false;
        DeviceProperties device{};
        return current_device_properties(&device) == cudaSuccess &&
               least_piece_bytes() <= static_cast<std::size_t>(device.shared_bytes);
    }

    /// The fewest elements of the long side that are whole warps of `lanes` and whole lines.
    unsigned least_piece(unsigned lanes) const {
        const unsigned run = kLineBytes / greatest_common_divisor(element, unsigned{kLineBytes});
        return run > lanes ? run : lanes;  // both are powers of two
    }

    /// How many elements of the long side a block takes: as many as fill its shared memory, or
    /// fewer where that leaves too few blocks; whole warps of `lanes` and whole lines of each run.
    /// A matrix' pieces are of one size.
    unsigned piece(unsigned lanes, std::size_t least_blocks) const {
        const unsigned unit = least_piece(lanes);
        const auto whole = [unit](std::size_t elements) {
            return divide_up<std::size_t>(elements, unit) * unit;
        };
        const unsigned between = tall() || all_at(kWideBytes) ? 0 : narrow() * kSectorBytes;
        std::size_t most = (tuning::kNarrowTransposeBytes - between) / line() / unit * unit;
        if (most == 0) most = unit;
        const std::size_t share = whole(divide_up(length() * batch, least_blocks));
        if (share < most) most = share;
        const std::size_t pieces = divide_up(length(), most);
        return static_cast<unsigned>(whole(divide_up(length(), pieces)));
    }

    /// The shared memory for as few of them as a block may take, wherever they begin.
    std::size_t least_piece_bytes() const {
        const std::size_t least = least_piece(kWarpLanes) * std::size_t{line()};
        return 2 * least + 4 * std::size_t{line()} + narrow() * kSectorBytes + 4 * kLineBytes;
    }

    /// The runs of a piece. Where they begin anywhere they need room for a word more, and lie so
    /// far apart that each begins 32 bytes further into a line.
    NarrowRunsShape runs(unsigned piece, bool aligned) const {
        const unsigned bytes = piece * element;
        const unsigned staged =
            aligned ? bytes : round_up_to_line(bytes - kWideBytes) + kSectorBytes;
        return {narrow(), element, staged, length() * element, fast_divide(staged / kWideBytes)};
    }
};

/// Launches the kernel for items that are `Item::kSide` elements along the long side and
/// `Item::kRuns` along the other.
template <class Item, bool ToRuns, bool Aligned>
cudaError_t launch_transpose_narrow(const NarrowMatrices& matrices, cudaStream_t stream) {
    constexpr unsigned kSide = Item::kSide, kRuns = Item::kRuns;
    DeviceProperties device{};
    if (cudaError_t error = current_device_properties(&device)) return error;
    const unsigned element = matrices.element, line = matrices.line();
    NarrowTransposePlan plan{};
    plan.input = static_cast<const char*>(matrices.input);
    plan.output = static_cast<char*>(matrices.output);
    plan.bytes = matrices.bytes() * matrices.batch;
    plan.length = matrices.length();
    plan.line = line;
    plan.apart_log2 = lanes_apart_log2(line * kSide, element * kSide);
    plan.piece = matrices.piece(kWarpLanes * kSide << plan.apart_log2,
                                static_cast<std::size_t>(device.multiprocessors) * 2);
    const std::size_t pieces = divide_up<std::size_t>(plan.length, plan.piece);
    if (matrices.batch > kMaxGridBlocks / pieces) return cudaErrorInvalidConfiguration;
    plan.pieces = fast_divide(static_cast<unsigned>(pieces));
    plan.runs = matrices.runs(plan.piece, Aligned);

    const auto axis = [](unsigned count, unsigned range, unsigned runs) {
        return ToRuns ? TransposeAxis{count, range, runs} : TransposeAxis{count, runs, range};
    };
    plan.lanes = axis(plan.piece / kSide, line * kSide, element * kSide);
    plan.inner = axis(matrices.narrow() / kRuns, element * kRuns, plan.runs.staged * kRuns);
    plan.row_before = ToRuns ? line : plan.runs.staged;
    plan.row_after = ToRuns ? plan.runs.staged : line;
    plan.swizzle = lane_swizzle(sizeof(typename Item::Unit), line * kSide << plan.apart_log2);

    // The last items may reach over the end of a range that begins anywhere.
    const unsigned range_bytes =
        round_up_to_line(plan.piece * line + (Aligned ? 0 : kWideBytes + (kSide - 1) * line));
    const unsigned run_bytes = round_up_to_line(std::size_t{plan.runs.count} * plan.runs.staged);
    plan.staged_before = ToRuns ? range_bytes : run_bytes;
    const std::size_t blocks = pieces * matrices.batch;
    const int threads = blocks < static_cast<std::size_t>(device.multiprocessors) * 4
                            ? tuning::kNarrowTransposeThreads
                            : tuning::narrow_transpose_threads(plan.staged_before);
    const unsigned warps = static_cast<unsigned>(threads / kWarpLanes);
    const unsigned groups = divide_up(plan.lanes.count, static_cast<unsigned>(kWarpLanes));
    plan.shares = fast_divide(groups >= warps ? 1 : divide_up(warps, groups));
    const auto kernel = transpose_narrow_kernel<Item, ToRuns, Aligned, tuning::TransposeLoadPolicy,
                                                tuning::TransposeStorePolicy>;
    const std::size_t shared = range_bytes + run_bytes;
    const bool large = shared > kUnaskedSharedBytes;
    if (large) {  // the same for all threads of the host, whose launches may want more or less
        if (cudaError_t error = cudaFuncSetAttribute(
                kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, device.shared_bytes))
            return error;
    }
    const int carveout =
        large ? int{cudaSharedmemCarveoutMaxShared} : tuning::kSmallTransposeCarveout;
    return launch(kernel, blocks, threads, evenly({shared, carveout}), stream, plan);
}

/// Of elements of `Size` bytes.
template <int Size, bool ToRuns>
cudaError_t launch_transpose_narrow_of(const NarrowMatrices& matrices, cudaStream_t stream) {
    constexpr int kUnit = access_width(Size, kWideBytes);
    const bool aligned = matrices.all_at(kWideBytes);
    const auto launch_items = [&](auto item) {
        using Item = decltype(item);
        return aligned ? launch_transpose_narrow<Item, ToRuns, true>(matrices, stream)
                       : launch_transpose_narrow<Item, ToRuns, false>(matrices, stream);
    };
    if constexpr (Size > 1) {
        if (!is_aligned(matrices.input, kUnit) || !is_aligned(matrices.output, kUnit))
            return launch_transpose_narrow<NarrowElement<std::uint8_t, Size>, ToRuns, false>(
                matrices, stream);
    }
    if constexpr (Size <= 2) {
        constexpr int kSide = 4 / Size;
        const void* range = ToRuns ? matrices.input : matrices.output;
        return matrices.narrow() % kSide == 0 && is_aligned(range, 4)
                   ? launch_items(NarrowSquare<kSide>{})
                   : launch_items(NarrowColumn<access_word_t<Size>, ToRuns>{});
    } else {
        return launch_items(NarrowElement<access_word_t<kUnit>, Size / kUnit>{});
    }
}

template <int Size>
cudaError_t dispatch_transpose_narrow(const NarrowMatrices& matrices, cudaStream_t stream) {
    return matrices.tall() ? launch_transpose_narrow_of<Size, true>(matrices, stream)
                           : launch_transpose_narrow_of<Size, false>(matrices, stream);
}

}  // namespace wideload::WIDELOAD_DETAIL

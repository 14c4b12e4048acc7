// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/device/detail/device_properties.cuh>
#include <wideload/device/dispatch/transpose_small_columns_dispatch.cuh>
#include <wideload/device/kernel/transpose_small_kernel.cuh>
#include <wideload/thread/aligned_ptr.cuh>
#include <wideload/tuning/transpose_batch_tuning.cuh>
#include <wideload/tuning/transpose_tuning.cuh>

#include <climits>

namespace wideload::WIDELOAD_DETAIL {

/// `matrices_filling`, or as many as a warp's lanes take.
inline unsigned matrices_together(const SmallTransposePlan& plan) {
    if (plan.matrices_in_lanes) return static_cast<unsigned>(kWarpLanes) << plan.apart_log2;
    return matrices_filling(plan.matrix_bytes, plan.staged_bytes / plan.matrix_bytes);
}

/// Whether lanes at such a distance have banks of their own: neighbours, or whole words of 4 bytes
/// apart, which a swizzle parts.
inline bool has_own_banks(unsigned stride) { return stride % 4 == 0 || stride <= 4; }

/// The least power of two of items apart that makes lanes at these distances have banks of their
/// own on both sides; its logarithm.
inline unsigned lanes_apart_log2(unsigned before, unsigned after) {
    unsigned apart = 0;
    while (!has_own_banks(before << apart) || !has_own_banks(after << apart)) ++apart;
    return apart;
}

/// How many lanes at such a distance meet in no bank, whatever the first one's byte of its word.
inline unsigned lanes_with_banks(unsigned stride) {
    unsigned lanes = 1;
    while (lanes < kWarpLanes && (has_own_banks(stride) || !may_meet(lanes * stride))) ++lanes;
    return lanes;
}

/// The shape of small matrices of elements, or of squares of side × side of them, and ways for a
/// block to walk through them.
struct SmallMatrices {
    unsigned rows, columns;
    unsigned element;  ///< bytes of an element, or of a square's row
    unsigned unit;     ///< bytes of an access
    unsigned side;

    /// Bytes of a matrix, and from a row to the next before and after the transpose.
    unsigned bytes() const { return rows * columns * element * side; }
    unsigned row() const { return columns * element * side; }
    unsigned column() const { return rows * element * side; }

    /// Lanes along the columns, the rows or the matrices.
    void along_columns(SmallTransposePlan* plan) const {
        set_axes(plan, {columns, element, column()}, {0, bytes(), bytes()}, {rows, row(), element});
    }
    void along_rows(SmallTransposePlan* plan) const {
        set_axes(plan, {rows, row(), element}, {0, bytes(), bytes()}, {columns, element, column()});
    }
    void along_matrices(SmallTransposePlan* plan) const {
        set_axes(plan, {0, bytes(), bytes()}, {columns, element, column()}, {rows, row(), element});
    }

    /// The way that leaves the fewest lanes idle where a block holds `staged_bytes` of matrices and
    /// there should be `least_blocks`.
    void choose_lanes(SmallTransposePlan* plan, std::size_t least_blocks) const {
        SmallTransposePlan other = *plan;
        choose_side(&other);
        along_matrices(plan);
        plan->matrices_in_lanes = true;
        // Of few matrices idle lanes are better than idle multiprocessors.
        const std::size_t together = std::size_t{kWarpLanes} << plan->apart_log2;
        const std::size_t blocks = plan->matrices / together;
        const bool few = blocks < least_blocks && lanes_per_item(other) <= 2;
        if (bytes() * together <= plan->staged_bytes && !few && blocks >= least_blocks / 8) return;
        *plan = other;
    }

    /// Along the side, columns or rows, that leaves the fewest lanes idle.
    void choose_side(SmallTransposePlan* plan) const {
        SmallTransposePlan other = *plan;
        along_columns(&other);
        along_rows(plan);
        if (lanes_per_item(other) < lanes_per_item(*plan)) *plan = other;
    }
    /// Whether there are neighbours with banks of their own for most of a warp's lanes.
    bool fill_side() const {
        SmallTransposePlan plan{};
        choose_side(&plan);
        return plan.apart_log2 == 0 && lanes_per_item(plan) < 2;
    }

    /// The smallest stage that is full for the most part. Before that counts that it holds as many
    /// matrices as a warp has lanes, and then that blocks' ranges are whole words of 16 bytes.
    void choose_stage(SmallTransposePlan* plan, std::size_t least_blocks) const {
        SmallTransposePlan best{};
        unsigned most = 0;
        for (const std::size_t staged : tuning::kSmallTransposeStages) {
            if (staged < bytes()) continue;
            plan->staged_bytes = static_cast<unsigned>(staged);
            choose_lanes(plan, least_blocks);
            const unsigned unit = matrices_together(*plan) * plan->matrix_bytes;
            const unsigned full = plan->staged_bytes / unit * unit * 100 / plan->staged_bytes;
            const unsigned worth = (plan->matrices_in_lanes ? 200 : 0) +
                                   (unit % kWideBytes == 0 ? 100 : 0) + (full < 75 ? full : 75);
            if (worth <= most) continue;
            most = worth;
            best = *plan;
        }
        *plan = best;
    }

    /// Swizzles for the lanes of a plan.
    void set_swizzles(SmallTransposePlan* plan) const {
        plan->swizzle_before = lane_swizzle(unit, plan->lanes.before << plan->apart_log2);
        plan->swizzle_after = lane_swizzle(unit, plan->lanes.after << plan->apart_log2);
    }

private:
    static void set_axes(SmallTransposePlan* plan, const TransposeAxis& lanes,
                         const TransposeAxis& outer, const TransposeAxis& inner) {
        plan->lanes = lanes;
        plan->outer = outer;
        plan->inner = inner;
        plan->apart_log2 = lanes_apart_log2(lanes.before, lanes.after);
        // So few neighbours may have banks of their own nevertheless.
        if (lanes.count != 0 && lanes.count <= lanes_with_banks(lanes.before) &&
            lanes.count <= lanes_with_banks(lanes.after))
            plan->apart_log2 = 0;
    }
    /// The lanes of whole warps, for each that has an item.
    static double lanes_per_item(const SmallTransposePlan& plan) {
        const unsigned together = static_cast<unsigned>(kWarpLanes) << plan.apart_log2;
        return static_cast<double>(divide_up(plan.lanes.count, together) * together) /
               plan.lanes.count;
    }
};

/// Divides the walks among a block's warps so that the busiest has least to do, counted in steps,
/// with what it costs to begin a share and to begin an inner walk.
inline void set_walk_shares(SmallTransposePlan* plan, unsigned warps) {
    constexpr unsigned kShare = 4, kInner = 1;
    const unsigned in_block = plan->matrices_per_block;
    const unsigned lanes = plan->matrices_in_lanes ? in_block : plan->lanes.count;
    const unsigned outer = plan->matrices_in_lanes ? plan->outer.count : in_block;
    const unsigned groups = lane_groups(lanes, plan->apart_log2);
    unsigned least = UINT_MAX;
    for (unsigned inner_shares = 1; inner_shares <= 4 && inner_shares <= plan->inner.count;
         ++inner_shares) {
        const unsigned inner = divide_up(plan->inner.count, inner_shares) + kInner;
        for (unsigned outer_shares = 1; outer_shares <= warps && outer_shares <= outer;
             ++outer_shares) {
            const unsigned work = divide_up(groups * outer_shares * inner_shares, warps) *
                                  (divide_up(outer, outer_shares) * inner + kShare);
            if (work >= least) continue;
            least = work;
            plan->outer_shares = fast_divide(outer_shares);
            plan->inner_shares = fast_divide(inner_shares);
        }
    }
}

/// Matrices of rows × columns items (`SmallElement`, `SmallSquare`) whose ends are aligned to
/// units, in or out of place; `Direct` as for the kernel.
///
/// @param staged_bytes  of shared memory, for one matrix at least; 0: what is best for many
template <class Item, bool Direct>
cudaError_t launch_transpose_small(const void* input, void* output, std::size_t rows,
                                   std::size_t columns, std::size_t batch, std::size_t staged_bytes,
                                   cudaStream_t stream, const DeviceProperties& device) {
    constexpr int kUnit = static_cast<int>(sizeof(typename Item::Unit));
    const SmallMatrices shape{static_cast<unsigned>(rows), static_cast<unsigned>(columns),
                              Item::kBytes, kUnit, Item::kSide};
    const auto multiprocessors = static_cast<std::size_t>(device.multiprocessors);
    SmallTransposePlan plan{};
    plan.input = static_cast<const char*>(input);
    plan.output = static_cast<char*>(output);
    plan.matrices = batch;
    plan.matrix_bytes = shape.bytes();
    plan.row_before = shape.row() / Item::kSide;
    plan.row_after = shape.column() / Item::kSide;
    if constexpr (Direct) {
        plan.staged_bytes = round_up_to_line(staged_bytes);
        shape.along_rows(&plan);  // neighbours in the output
    } else if (staged_bytes != 0) {
        plan.staged_bytes = round_up_to_line(staged_bytes);
        shape.choose_lanes(&plan, multiprocessors);
    } else {
        shape.choose_stage(&plan, multiprocessors);
    }
    shape.set_swizzles(&plan);
    const auto is_whole = [&](unsigned matrices) {
        return blocks_take_words(input, output, matrices * plan.matrix_bytes,
                                 batch * plan.matrix_bytes);
    };
    const auto copy_of = [&](unsigned matrices) {
        return staged_copy_bytes(matrices * plan.matrix_bytes, is_whole(matrices));
    };
    const auto shared_of = [&](unsigned matrices) {
        return copy_of(matrices) * (Direct ? std::size_t{1} : 2);
    };
    plan.matrices_per_block = matrices_held(
        small_matrices_per_block(batch, plan.matrix_bytes, plan.staged_bytes / plan.matrix_bytes,
                                 matrices_together(plan), plan.matrices_in_lanes, multiprocessors),
        device, shared_of);
    const bool many = plan.staged_bytes <= tuning::kMostSmallTransposeBytes;
    const int threads = many ? tuning::small_transpose_threads(plan.staged_bytes)
                             : tuning::kMostSmallTransposeThreads;
    set_walk_shares(&plan, static_cast<unsigned>(threads / kWarpLanes));

    plan.copy_bytes = copy_of(plan.matrices_per_block);
    using Load = tuning::TransposeLoadPolicy;
    using Store = tuning::TransposeStorePolicy;
    auto kernel = transpose_small_kernel<Item, false, Direct, Load, Store>;
    // Units that are narrower than the elements' size allows stand for misaligned ones.
    if constexpr (access_width(Item::kBytes, kWideBytes) == kUnit) {
        if (is_whole(plan.matrices_per_block))
            kernel = transpose_small_kernel<Item, true, Direct, Load, Store>;
    }
    const std::size_t count = divide_up<std::size_t>(batch, plan.matrices_per_block);
    const std::size_t shared = shared_of(plan.matrices_per_block);
    if (cudaError_t error = set_small_attributes(kernel, shared, device, many)) return error;
    return launch(kernel, count, threads, evenly(shared), stream, plan);
}

/// Whether matrices of elements of `size` bytes are small and many enough for lanes that
/// lie from one to the next.
inline bool fill_lanes(std::size_t size, std::size_t bytes, std::size_t batch,
                       std::size_t multiprocessors) {
    const auto stride = static_cast<unsigned>(bytes);
    const std::size_t together = std::size_t{kWarpLanes} << lanes_apart_log2(stride, stride);
    return together * bytes <= tuning::kMostSmallTransposeBytes &&
           batch / together >= tuning::least_laned_warps(size, bytes, multiprocessors);
}

/// Whether elements of `size` bytes, no multiple of 4, go one by one: where lanes lie from one
/// matrix to the next, and where columns are not worth gathering.
inline bool move_structs(const SmallMatrices& shape, std::size_t size, std::size_t batch,
                         std::size_t multiprocessors) {
    return fill_lanes(size, shape.bytes(), batch, multiprocessors) ||
           !tuning::are_structs_gathered(size, shape.rows, shape.columns, batch, shape.fill_side());
}

/// What a block moves between its copies: elements, squares of them that are turned in registers,
/// or words of a column's elements.
enum class SmallWay { elements, squares, columns };

/// What columns' words are gathered from: elements of a type of their own at multiples of their
/// size, or structs of no whole words anywhere.
template <int Size>
inline constexpr bool kGathersTyped = is_power_of_two(Size) && Size <= 8;
template <int Size>
inline constexpr bool kGathersStructs = Size % 4 != 0 && !is_power_of_two(Size);
template <int Size>
using gathered_element_t =
    typename std::conditional_t<kGathersTyped<Size>, access_word<Size>, Struct<Size>>::type;

/// The way for elements whose addresses are multiples of `alignment`, a power of two.
template <int Size>
SmallWay small_way(std::size_t rows, std::size_t columns, std::size_t batch,
                   std::size_t multiprocessors, int alignment) {
    if constexpr (kGathersTyped<Size>) {
        constexpr int kSide = Size < 4 ? 4 / Size : 1;
        if (alignment < Size) return SmallWay::elements;
        const std::size_t bytes = rows * columns * Size;
        const bool laned = fill_lanes(Size, bytes, batch, multiprocessors);
        if (Size < 4 && rows % kSide == 0 && columns % kSide == 0 && alignment >= 4 &&
            (laned || columns * Size > tuning::most_gathered_row(Size)))
            return SmallWay::squares;
        // A word has elements of two columns at most.
        if (rows + 1 >= kSide && tuning::are_gathered(Size, rows, columns, batch * bytes) &&
            !(laned && bytes <= tuning::kMostLanedBytes))
            return SmallWay::columns;
    } else if constexpr (kGathersStructs<Size>) {
        constexpr int kUnit = access_width(Size, kWideBytes);
        const SmallMatrices shape{static_cast<unsigned>(rows), static_cast<unsigned>(columns), Size,
                                  static_cast<unsigned>(alignment < kUnit ? 1 : kUnit), 1};
        if (!move_structs(shape, Size, batch, multiprocessors)) return SmallWay::columns;
    }
    return SmallWay::elements;
}

/// Matrices of elements of `Size` bytes at any address, in or out of place, of which a block holds
/// two copies (`holds_two_copies`).
///
/// @param multiprocessors  among which they are shared; 0: the device's
template <int Size>
cudaError_t dispatch_transpose_small(const void* input, void* output, std::size_t rows,
                                     std::size_t columns, std::size_t batch, cudaStream_t stream,
                                     std::size_t multiprocessors = 0) {
    constexpr int kUnit = access_width(Size, kWideBytes);
    DeviceProperties device{};
    if (cudaError_t error = current_device_properties(&device)) return error;
    if (multiprocessors != 0) device.multiprocessors = static_cast<int>(multiprocessors);
    multiprocessors = static_cast<std::size_t>(device.multiprocessors);
    int alignment = kWideBytes;
    while (!is_aligned(input, alignment) || !is_aligned(output, alignment)) alignment /= 2;
    const SmallWay way = small_way<Size>(rows, columns, batch, multiprocessors, alignment);
    if constexpr (Size < 4 && kGathersTyped<Size>) {
        constexpr int kSide = 4 / Size;
        if (way == SmallWay::squares)
            return launch_transpose_small<SmallSquare<kSide>, false>(
                input, output, rows / kSide, columns / kSide, batch, 0, stream, device);
    }
    if constexpr (kGathersTyped<Size> || kGathersStructs<Size>) {
        if (way == SmallWay::columns)
            return launch_transpose_small_columns<gathered_element_t<Size>>(
                input, output, rows, columns, batch, stream, device);
    }
    const auto launch_items =
        alignment >= kUnit
            ? launch_transpose_small<SmallElement<access_word_t<kUnit>, Size / kUnit>, false>
            : launch_transpose_small<SmallElement<std::uint8_t, Size>, false>;
    return launch_items(input, output, rows, columns, batch, 0, stream, device);
}

}  // namespace wideload::WIDELOAD_DETAIL

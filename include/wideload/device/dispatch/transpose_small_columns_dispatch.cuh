// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/device/dispatch/small_matrices.cuh>
#include <wideload/device/kernel/transpose_small_columns_kernel.cuh>
#include <wideload/tuning/transpose_batch_tuning.cuh>
#include <wideload/tuning/transpose_tuning.cuh>

#include <climits>

namespace wideload::WIDELOAD_DETAIL {

/// How matrices of rows × columns elements of `size` bytes, 1, 2, 4 or 8, lie in shared memory.
struct SmallColumns {
    unsigned rows, columns, size;

    unsigned word() const { return size < 4 ? 4 : size; }
    unsigned per_word() const { return word() / size; }
    unsigned matrix_bytes() const { return rows * columns * size; }
    /// Bytes by which a group of columns begins later than a word after the last one's where the
    /// next matrix begins.
    unsigned late() const { return (rows - 1) * columns * size % 4; }
    /// Bytes between staged matrices: no more than banks are to be the same again.
    unsigned pad() const { return (0u - ((rows - 1) * columns * size - late())) % kLineBytes; }
    /// The lanes that meet in no bank, whatever the first one's byte within its word.
    unsigned lanes() const {
        unsigned lanes = kWarpLanes;
        if (late() == 0) return lanes;
        const auto span = [&] {
            return 4 * (lanes - 1) + late() * divide_up(per_word() * (lanes - 1), columns);
        };
        while (span() > kLineBytes - 4) --lanes;
        return lanes;
    }
    /// How many times a warp's lanes the groups of so many matrices are.
    unsigned steps(unsigned matrices) const {
        return divide_up(matrices * columns, lanes() * per_word());
    }
    /// The smallest stage of whose lanes most have a column, and the most matrices that it holds.
    std::size_t stage(unsigned* fit) const {
        std::size_t best = 0;
        unsigned most = 0;
        for (const std::size_t staged : tuning::kSmallTransposeStages) {
            const auto matrices =
                static_cast<unsigned>((staged + pad()) / (matrix_bytes() + pad()));
            if (matrices == 0) continue;
            const unsigned busy =
                matrices * columns * 100 /
                (steps(matrices) * per_word() * static_cast<unsigned>(kWarpLanes));
            const unsigned worth = busy < 75 ? busy : 75;
            if (worth <= most) continue;
            most = worth;
            best = staged;
            *fit = matrices;
        }
        return best;
    }
    /// How many matrices of a batch a block takes, of those that fit.
    unsigned matrices_per_block(std::size_t batch, unsigned fit,
                                std::size_t multiprocessors) const {
        const unsigned filling = matrices_filling(matrix_bytes(), fit);
        return filling_lanes(
            small_matrices_per_block(batch, matrix_bytes(), fit, filling, false, multiprocessors),
            fit);
    }

private:
    /// About so many matrices, whose groups leave fewer of their last lanes idle.
    unsigned filling_lanes(unsigned matrices, unsigned fit) const {
        constexpr unsigned kMostSteps = 3;
        const unsigned words = matrices_making(kWideBytes, matrix_bytes());
        const unsigned together = matrices % words == 0 ? words : 1;
        unsigned best = matrices;
        if (steps(matrices) > kMostSteps) return best;
        for (unsigned step = 1; step <= kMostSteps; ++step) {
            unsigned most = step * lanes() * per_word() / columns;
            if (most > fit) most = fit;
            most -= most % together;
            if (most * 4 >= matrices * 3 && most * 2 <= matrices * 3 &&
                steps(most) * best < steps(best) * most)
                best = most;
        }
        return best;
    }
};

/// Divides the words of every column among a block's warps so that the busiest has least to do,
/// counted in words, with what it costs to begin a column.
inline void set_column_shares(SmallColumnsPlan* plan, const SmallColumns& shape, unsigned warps) {
    constexpr unsigned kColumn = 3, kBegin = 3;
    const unsigned words = divide_up(plan->rows, shape.per_word());
    const unsigned steps = shape.steps(plan->matrices_per_block);
    unsigned least = UINT_MAX;
    for (unsigned log2 = 0; 1u << log2 <= shape.per_word(); ++log2) {
        for (unsigned shares = 1; shares <= warps && shares <= words; ++shares) {
            const unsigned own = divide_up(words, shares), each = shape.per_word() >> log2;
            const unsigned item = each * (own + kColumn) + kBegin;
            const unsigned items = (steps << log2) * shares;
            const unsigned work = divide_up(items, warps) * item + items * item / warps;
            if (work >= least) continue;
            least = work;
            plan->shares = fast_divide(shares);
            plan->share_words = own;
            plan->parts_log2 = log2;
            plan->columns_each = each;
        }
    }
}

/// Matrices of elements of type T, of 1, 2, 4 or 8 bytes, at multiples of their size, of 3 rows at
/// least if of 1 byte; in or out of place.
///
/// @param multiprocessors  among which they are shared
template <class T>
cudaError_t launch_transpose_small_columns(const void* input, void* output, std::size_t rows,
                                           std::size_t columns, std::size_t batch,
                                           cudaStream_t stream, std::size_t multiprocessors) {
    const SmallColumns shape{static_cast<unsigned>(rows), static_cast<unsigned>(columns),
                             sizeof(T)};
    unsigned fit = 0;
    const std::size_t staged = shape.stage(&fit);
    SmallColumnsPlan plan{};
    plan.input = static_cast<const char*>(input);
    plan.output = static_cast<char*>(output);
    plan.matrices = batch;
    plan.matrix_bytes = shape.matrix_bytes();
    plan.pad = shape.pad();
    plan.to_first_word = plan.pad == 0 ? shape.word() - 1 : 0;
    plan.rows = shape.rows;
    plan.row_bytes = shape.columns * shape.size;
    plan.lanes = shape.lanes();
    plan.columns = fast_divide(shape.columns);
    plan.matrices_per_block = shape.matrices_per_block(batch, fit, multiprocessors);
    plan.swizzle = lane_swizzle(shape.word(), shape.word() * shape.rows);
    // A matrix' words, one more that it may begin within, and a sector's in front of it.
    plan.chunks = fast_divide(divide_up<unsigned>(
        (plan.matrix_bytes + kSectorBytes) / shape.word() + 2, kSmallColumnsChunk * kWarpLanes));
    const int most = tuning::small_transpose_threads(staged);
    const int threads = plan.matrices_per_block * plan.matrix_bytes <= tuning::kFewSmallColumnsBytes
                            ? tuning::kFewSmallColumnsThreads
                            : most;
    set_column_shares(&plan, shape, static_cast<unsigned>(threads / kWarpLanes));

    const unsigned range = plan.matrices_per_block * plan.matrix_bytes;
    const bool aligned = blocks_take_words(input, output, range, batch * plan.matrix_bytes);
    plan.copy_bytes =
        staged_copy_bytes(range + (plan.matrices_per_block - 1) * std::size_t{plan.pad}, aligned);
    using Load = tuning::TransposeLoadPolicy;
    using Store = tuning::TransposeStorePolicy;
    const auto kernel = aligned ? transpose_small_columns_kernel<T, true, Load, Store>
                                : transpose_small_columns_kernel<T, false, Load, Store>;
    const std::size_t shared = plan.copy_bytes + staged_copy_bytes(range, aligned);
    if (cudaError_t error = set_small_attributes(kernel, shared)) return error;
    return launch(kernel, divide_up<std::size_t>(batch, plan.matrices_per_block), threads,
                  evenly(shared), stream, plan);
}

}  // namespace wideload::WIDELOAD_DETAIL

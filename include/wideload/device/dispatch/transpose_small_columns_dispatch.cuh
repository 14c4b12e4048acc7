// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/device/dispatch/small_matrices.cuh>
#include <wideload/device/kernel/transpose_small_columns_kernel.cuh>
#include <wideload/tuning/transpose_batch_tuning.cuh>
#include <wideload/tuning/transpose_tuning.cuh>

#include <climits>

namespace wideload::WIDELOAD_DETAIL {

/// How matrices of rows × columns elements of `size` bytes lie in shared memory, and how words of
/// `word` bytes, 4 or 8, are gathered from them.
class SmallColumns {
public:
    SmallColumns(unsigned rows, unsigned columns, unsigned size, unsigned word)
        : rows_(rows),
          columns_(columns),
          size_(size),
          word_(word),
          group_(word / greatest_common_divisor(size, word)) {
        const unsigned lower_rows = (rows - 1) * columns * size;
        const int late = static_cast<int>(lower_rows % 4);
        // Words are staged whole, so where they may not begin at others lanes may meet: those that
        // the next matrix' lanes are so late, or early, that most do not.
        lanes_ = 0;
        int best = 0;
        for (int words = 0; lanes_ < kEnoughLanes && words < 8; ++words) {
            for (const int by : {late + 4 * words, late - 4 * (words + 1)}) {
                const unsigned lanes = late == 0 ? kWarpLanes : lanes_where(by);
                if (lanes <= lanes_) continue;
                lanes_ = lanes;
                best = by;
            }
        }
        pad_ = (best - lower_rows) % kLineBytes;
    }

    unsigned word() const { return word_; }
    unsigned matrix_bytes() const { return rows_ * columns_ * size_; }
    unsigned row_bytes() const { return columns_ * size_; }
    unsigned column_bytes() const { return rows_ * size_; }
    /// Columns whose part of the output is whole words, wherever it begins.
    unsigned group() const { return group_; }
    /// Bytes between staged matrices: no more than banks are to be the same again.
    unsigned pad() const { return pad_; }
    /// The lanes that meet in no bank, whatever the first one's byte within its word.
    unsigned lanes() const { return lanes_; }

    /// How many times a warp's lanes the groups of so many matrices are.
    unsigned steps(unsigned matrices) const {
        return divide_up(matrices * columns_, lanes() * group());
    }
    /// The smallest stage of whose lanes most have a column, and the most matrices that it holds.
    std::size_t stage(unsigned* fit) const {
        std::size_t best = 0;
        unsigned most = 0;
        for (const std::size_t staged : tuning::kSmallTransposeStages) {
            const auto matrices =
                static_cast<unsigned>((staged + pad()) / (matrix_bytes() + pad()));
            if (matrices == 0) continue;
            const unsigned busy = matrices * columns_ * 100 /
                                  (steps(matrices) * group() * static_cast<unsigned>(kWarpLanes));
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
    /// So many lanes are not worth looking for more.
    static constexpr unsigned kEnoughLanes = 24;

    /// The lanes that do where a group begins so much later than others do after the last one, or
    /// earlier, if its matrix is the next one: not at all, or as words are staged whole.
    unsigned lanes_where(int late) const {
        for (unsigned lanes = 1; late != 0 && lanes < kWarpLanes; ++lanes) {
            const unsigned turned = lanes * group_;
            for (const unsigned turns : {turned / columns_, divide_up(turned, columns_)}) {
                if (may_meet(turned * size_ + static_cast<unsigned>(late) * turns)) return lanes;
            }
        }
        return kWarpLanes;
    }
    /// About so many matrices, whose groups leave fewer of their last lanes idle.
    unsigned filling_lanes(unsigned matrices, unsigned fit) const {
        constexpr unsigned kMostSteps = 3;
        const unsigned words = matrices_making(kWideBytes, matrix_bytes());
        const unsigned together = matrices % words == 0 ? words : 1;
        unsigned best = matrices;
        if (steps(matrices) > kMostSteps) return best;
        for (unsigned step = 1; step <= kMostSteps; ++step) {
            unsigned most = step * lanes() * group() / columns_;
            if (most > fit) most = fit;
            most -= most % together;
            if (most * 4 >= matrices * 3 && most * 2 <= matrices * 3 &&
                steps(most) * best < steps(best) * most)
                best = most;
        }
        return best;
    }

    unsigned rows_, columns_, size_, word_, group_, pad_, lanes_;
};

/// Divides the words of every column among a block's warps so that the busiest has least to do,
/// counted in words, with what it costs to begin a column.
inline void set_column_shares(SmallColumnsPlan* plan, const SmallColumns& shape, unsigned step_rows,
                              unsigned warps) {
    constexpr unsigned kColumn = 3, kBegin = 3;
    const unsigned column_steps = divide_up(plan->rows, step_rows);
    const unsigned step_words =
        divide_up(step_rows * plan->column_bytes / plan->rows, shape.word());
    const unsigned steps = shape.steps(plan->matrices_per_block);
    unsigned least = UINT_MAX;
    for (unsigned log2 = 0; 1u << log2 <= shape.group(); ++log2) {
        for (unsigned shares = 1; shares <= warps && shares <= column_steps; ++shares) {
            const unsigned own = divide_up(column_steps, shares), each = shape.group() >> log2;
            const unsigned item = each * (own * step_words + kColumn) + kBegin;
            const unsigned items = (steps << log2) * shares;
            const unsigned work = divide_up(items, warps) * item + items * item / warps;
            if (work >= least) continue;
            least = work;
            plan->shares = fast_divide(shares);
            plan->share_steps = own;
            plan->parts_log2 = log2;
            plan->columns_each = each;
        }
    }
}

/// Matrices of elements of type T as for `ColumnWords`, of 3 rows at least if of 1 byte; in or out
/// of place, two of a block's at least.
template <class T>
cudaError_t launch_transpose_small_columns(const void* input, void* output, std::size_t rows,
                                           std::size_t columns, std::size_t batch,
                                           cudaStream_t stream, const DeviceProperties& device) {
    using Words = ColumnWords<T>;
    const SmallColumns shape{static_cast<unsigned>(rows), static_cast<unsigned>(columns),
                             Words::kSize, sizeof(typename Words::Word)};
    unsigned fit = 0;
    const std::size_t staged = shape.stage(&fit);
    SmallColumnsPlan plan{};
    plan.input = static_cast<const char*>(input);
    plan.output = static_cast<char*>(output);
    plan.matrices = batch;
    plan.matrix_bytes = shape.matrix_bytes();
    plan.pad = shape.pad();
    plan.to_first_word = plan.pad == 0 ? shape.word() - 1 : 0;
    plan.rows = static_cast<unsigned>(rows);
    plan.column_bytes = shape.column_bytes();
    plan.row_bytes = shape.row_bytes();
    plan.lanes = shape.lanes();
    plan.group = shape.group();
    plan.columns = fast_divide(static_cast<unsigned>(columns));
    const auto range_of = [&](unsigned matrices) { return matrices * plan.matrix_bytes; };
    const auto is_whole = [&](unsigned matrices) {
        return blocks_take_words(input, output, range_of(matrices), batch * plan.matrix_bytes);
    };
    const auto before_of = [&](unsigned matrices) {
        const std::size_t padding = (matrices - 1) * std::size_t{plan.pad};
        return staged_copy_bytes(range_of(matrices) + padding, is_whole(matrices));
    };
    const auto shared_of = [&](unsigned matrices) -> std::size_t {
        return before_of(matrices) + staged_copy_bytes(range_of(matrices), is_whole(matrices));
    };
    plan.matrices_per_block = matrices_held(
        shape.matrices_per_block(batch, fit, static_cast<std::size_t>(device.multiprocessors)),
        device, shared_of);
    plan.swizzle = lane_swizzle(shape.word(), shape.column_bytes() * shape.group());
    // A matrix' words, one more that it may begin within, and a sector's in front of it.
    plan.chunks = fast_divide(divide_up<unsigned>(
        (plan.matrix_bytes + kSectorBytes) / shape.word() + 2, kSmallColumnsChunk * kWarpLanes));
    int threads = tuning::small_transpose_threads(staged);
    if (Words::kUnit < Words::kSize) {
        threads = tuning::small_struct_threads(Words::kSize, plan.matrix_bytes,
                                               batch * plan.matrix_bytes);
    } else if (range_of(plan.matrices_per_block) <= tuning::kFewSmallColumnsBytes) {
        threads = tuning::kFewSmallColumnsThreads;
    }
    set_column_shares(&plan, shape, Words::kStepRows, static_cast<unsigned>(threads / kWarpLanes));

    plan.copy_bytes = before_of(plan.matrices_per_block);
    using Load = tuning::TransposeLoadPolicy;
    using Store = tuning::TransposeStorePolicy;
    const auto kernel = is_whole(plan.matrices_per_block)
                            ? transpose_small_columns_kernel<T, true, Load, Store>
                            : transpose_small_columns_kernel<T, false, Load, Store>;
    const std::size_t shared = shared_of(plan.matrices_per_block);
    if (cudaError_t error = set_small_attributes(kernel, shared, device)) return error;
    return launch(kernel, divide_up<std::size_t>(batch, plan.matrices_per_block), threads,
                  evenly(shared), stream, plan);
}

}  // namespace wideload::WIDELOAD_DETAIL

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/block/cp_async.cuh>
#include <wideload/device/detail/bank_swizzle.cuh>
#include <wideload/device/detail/stream_order.cuh>
#include <wideload/device/kernel/column_words.cuh>
#include <wideload/device/kernel/slipped_range.cuh>
#include <wideload/support/fast_divide.cuh>
#include <wideload/thread/access.cuh>
#include <wideload/tuning/transpose_batch_tuning.cuh>

namespace wideload::WIDELOAD_DETAIL {

/// Many small matrices of elements of 1, 2, 4 or 8 bytes or of structs of no whole words, one
/// behind the other: a block takes as many whole ones as fit its shared memory, and gathers the
/// output from it by words of 4 bytes, or of 8 of such elements.
///
/// So few columns as make whole words of the output, wherever they begin, are a *group*. The lanes
/// of a warp take neighbouring groups and gather the same word of each, from elements that lie a
/// word apart, or an odd number of them. Matrices are staged so far from each other that this holds
/// from one to the next as well, or, where words begin elsewhere in the next one, for most lanes;
/// no more gather at once than have banks of their own even so.
struct SmallColumnsPlan {
    const char* input;
    char* output;
    std::size_t matrices;
    unsigned matrices_per_block, matrix_bytes;
    unsigned rows, row_bytes, column_bytes;
    unsigned pad;            ///< bytes between staged matrices
    unsigned to_first_word;  ///< so far from a matrix' first byte lies one of its first word: in
                             ///< front of it a word that it shares with the last matrix, unless 0
    unsigned copy_bytes;     ///< of the staged input, whole lines
    unsigned lanes;          ///< of a warp that gather at once
    unsigned group;          ///< columns of a group
    fast_divide columns;     ///< of a matrix
    fast_divide chunks;      ///< of a matrix: what a warp stages at once
    /// Warps share the columns of the same groups, so many columns each,
    unsigned columns_each, parts_log2;
    /// and the steps through a column, so many each.
    unsigned share_steps;
    fast_divide shares;
    BankSwizzle swizzle;  ///< of the staged output
};

/// How many words a thread stages at once.
inline constexpr unsigned kSmallColumnsChunk = 4;

/// Stages a block's matrices by words, those that two matrices share for either, or once where
/// nothing lies between the two. Every request begins at a sector, or with the matrix.
template <class Words, class Policy, class Range>
WIDELOAD_DEVICE void stage_matrices(const SmallColumnsPlan& plan, unsigned matrices,
                                    const Range& range, char* staged) {
    constexpr unsigned kWord = sizeof(typename Words::Word), kStep = kWarpLanes * kWord;
    const unsigned lane = threadIdx.x % kWarpLanes, warps = blockDim.x / kWarpLanes;
    const unsigned items = matrices * plan.chunks.divisor();
    const unsigned slip = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(range.at(0)));
    const unsigned whole_from = divide_up(range.begin(), kWord) * kWord;
    const unsigned whole_to = range.end() / kWord * kWord;
#pragma unroll 1
    for (unsigned item = threadIdx.x / kWarpLanes; item < items; item += warps) {
        unsigned matrix;
        const unsigned chunk = plan.chunks.remainder(item, &matrix);
        const unsigned begin = range.begin() + matrix * plan.matrix_bytes;
        const unsigned end = begin + plan.matrix_bytes, word = begin / kWord * kWord;
        const unsigned own = (begin + plan.to_first_word) / kWord * kWord;
        const unsigned first = own > whole_from ? own : whole_from;
        const unsigned limit = (end < whole_to ? end : whole_to) - first;
        // In front of place 0, maybe.
        const int place = static_cast<int>(word - (slip + word) % kSectorBytes +
                                           chunk * (kSmallColumnsChunk * kStep) + lane * kWord);
        char* to = staged + matrix * plan.pad + place;
        const char* from = range.at(0) + place;
        asm volatile("" : "+l"(from), "+l"(to));
#pragma unroll
        for (unsigned i = 0; i < kSmallColumnsChunk; ++i) {
            if (static_cast<unsigned>(place) - first + i * kStep < limit)
                async_copy<kWord>(to + i * kStep, from + i * kStep);
        }
    }
    async_commit();
    if constexpr (Words::kUnit < kWord) {
        constexpr int kUnit = static_cast<int>(Words::kUnit);
        const unsigned last = (matrices - 1) * plan.pad;
        range.template for_ends<kUnit, kWord>([&](bool at_end, unsigned place) {
            *reinterpret_cast<access_word_t<kUnit>*>(staged + (at_end ? last : 0) + place) =
                access<Policy>::template load<kUnit>(range.at(place));
        });
    }
    async_wait<0>();
}

/// A thread's columns, and what it puts of each.
template <class Words, class Swizzle>
class ColumnWalk {
    using Word = typename Words::Word;

public:
    /// Bytes of the matrices begin at `begin_before` of `staged` and at `begin_after` of `turned`.
    WIDELOAD_DEVICE ColumnWalk(const SmallColumnsPlan& plan, unsigned matrices,
                               unsigned begin_before, unsigned begin_after, const char* staged,
                               char* turned, const Swizzle& swizzle)
        : plan_(plan),
          columns_(matrices * plan.columns.divisor()),
          begin_before_(begin_before),
          begin_after_(begin_after),
          words_(staged, plan.row_bytes),
          turned_(turned),
          swizzle_(swizzle) {}

    /// The columns of some groups, from one of them on, and of each a share of its words.
    WIDELOAD_DEVICE void put_columns(unsigned column, unsigned share) const {
        unsigned matrix;
        unsigned in_matrix = plan_.columns.remainder(column, &matrix);
        unsigned from =
            begin_before_ + matrix * (plan_.matrix_bytes + plan_.pad) + in_matrix * Words::kSize;
        unsigned to = begin_after_ + column * plan_.column_bytes;
        // From a matrix' last column to the next one's first.
        const unsigned turn = plan_.matrix_bytes + plan_.pad - plan_.row_bytes + Words::kSize;
#pragma unroll 1
        for (unsigned i = 0; i < plan_.columns_each && column < columns_; ++i) {
            const bool turns = ++in_matrix == plan_.columns.divisor();
            const bool last = ++column == columns_;
            const unsigned step = turns ? turn : Words::kSize;
            words_.gather(from, last ? kNoColumn : step - plan_.matrix_bytes, to, plan_.rows,
                          share * plan_.share_steps, plan_.share_steps,
                          [&](unsigned place, const Word& word) {
                              *reinterpret_cast<Word*>(turned_ + swizzle_.place(place)) = word;
                          });
            if (turns) in_matrix = 0;
            from += step;
            to += plan_.column_bytes;
        }
    }
    /// The units of the first word if the output begins within it, which is no group's: each by a
    /// warp, as rows may lie in one bank.
    WIDELOAD_DEVICE void put_front() const {
        const unsigned byte = threadIdx.x / kWarpLanes * Words::kUnit;
        if (threadIdx.x % kWarpLanes != 0 || byte >= (0u - begin_after_) % sizeof(Word)) return;
        const auto unit = words_.unit(begin_before_, byte);
        *reinterpret_cast<std::decay_t<decltype(unit)>*>(
            turned_ + swizzle_.place(begin_after_ + byte)) = unit;
    }
    WIDELOAD_DEVICE unsigned columns() const { return columns_; }

private:
    const SmallColumnsPlan& plan_;
    unsigned columns_, begin_before_, begin_after_;
    Words words_;
    char* turned_;
    const Swizzle& swizzle_;
};

/// Walks through all columns of a block, shared among its warps.
template <class Walk>
WIDELOAD_DEVICE void share_columns(const SmallColumnsPlan& plan, const Walk& walk) {
    const unsigned lane = threadIdx.x % kWarpLanes, warps = blockDim.x / kWarpLanes;
#pragma unroll 1
    for (unsigned item = threadIdx.x / kWarpLanes;; item += warps) {
        unsigned part;
        const unsigned share = plan.shares.remainder(item, &part);
        const unsigned first = (part >> plan.parts_log2) * plan.lanes * plan.group;
        if (first >= walk.columns()) break;
        const unsigned own = part & ((1u << plan.parts_log2) - 1);
        if (lane < plan.lanes)
            walk.put_columns(first + lane * plan.group + own * plan.columns_each, share);
    }
    walk.put_front();
}

/// The most threads of a block, and how many such blocks registers are to leave room for.
template <class T>
struct SmallColumnsBlock {
    static constexpr bool kStructs = ColumnWords<T>::kUnit < ColumnWords<T>::kSize;
    static constexpr int kThreads =
        kStructs ? tuning::kMostSmallStructThreads : tuning::kMostSmallTransposeThreads;
    static constexpr int kBlocks =
        kStructs ? tuning::kSmallTransposeBlocks : tuning::kSmallColumnsBlocks;
};

/// @tparam T        elements' type, or Struct
/// @tparam Aligned  whether both ends and every block's range are whole words of 16 bytes
template <class T, bool Aligned, class LoadPolicy, class StorePolicy>
__global__ void __launch_bounds__(
    SmallColumnsBlock<T>::kThreads,
    kBlocksWithin<SmallColumnsBlock<T>::kThreads, SmallColumnsBlock<T>::kBlocks>)
    transpose_small_columns_kernel(const __grid_constant__ SmallColumnsPlan plan) {
    enter_stream_order(plan.input, plan.matrices * plan.matrix_bytes);
    extern __shared__ uint4 shared_words[];
    char* const staged = held_shared(shared_words);
    char* const turned = staged + plan.copy_bytes;
    const BlockMatrices<Aligned> own = block_matrices<Aligned>(plan);
    using Words = ColumnWords<T>;
    stage_matrices<Words, LoadPolicy>(plan, own.count, own.input, staged);
    __syncthreads();
    const auto gather = [&](const auto& swizzle) {
        share_columns(plan, ColumnWalk<Words, std::decay_t<decltype(swizzle)>>(
                                plan, own.count, own.input.begin(), own.output.begin(), staged,
                                turned, swizzle));
        __syncthreads();
        drain_range<static_cast<int>(Words::kUnit), StorePolicy>(own.output, turned, swizzle);
    };
    if (plan.swizzle.mask == 0) {
        gather(NoSwizzle{});
    } else {
        gather(plan.swizzle);
    }
}

}  // namespace wideload::WIDELOAD_DETAIL

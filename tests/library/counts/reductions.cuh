// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/device/reduce.cuh>
#include <wideload/thread/operations.cuh>

#include "case.cuh"

/// reduce and reduce_atomic.
namespace counts {

/// A sum of which the library does not know that it commutes.
struct SumInOrder {
    template <class T>
    __device__ T operator()(const T& a, const T& b) const {
        return a + b;
    }
};

/// How the blocks' results come together: in one sum, in mailboxes, or in these in order.
enum class Combines { InOneSum, InMailboxes, InOrder };

/// How many blocks share a range, and how many threads of the last one collect the others' results:
/// every so many-th or, to keep their order, neighbours', of which a warp gives each lane as many
/// or one more.
struct ReduceGrid {
    std::size_t blocks, collectors;
    bool in_order;

    /// Where a thread's mailboxes begin that are neighbours.
    std::size_t first_in_order(std::size_t thread) const {
        const std::size_t least = blocks / collectors, longer = blocks % collectors;
        return collectors == kLanes ? thread * least + std::min(thread, longer)
                                    : thread * wideload::divide_up(blocks, collectors);
    }
    /// Its mailbox number `i`, or `blocks` if it has none.
    std::size_t mailbox(std::size_t thread, std::size_t i) const {
        if (!in_order) return std::min(thread + i * collectors, blocks);
        const std::size_t box = first_in_order(thread) + i;
        return box < first_in_order(thread + 1) ? std::min(box, blocks) : blocks;
    }
};

/// @param few  blocks a multiprocessor whose results one warp collects, or 0
inline ReduceGrid in_order_grid(std::size_t tiles_of_blocks, std::size_t few) {
    namespace tuning = wideload::tuning;
    const std::size_t each = few != 0 ? few : tuning::kReduceInOrderBlocksPerMultiprocessor;
    const std::size_t most = few != 0
                                 ? tuning::reduce_mailboxes_of_lane(static_cast<int>(few)) * kLanes
                                 : std::size_t{tuning::kReduceMaxBlocks};
    const std::size_t blocks = std::min({tiles_of_blocks, multiprocessors() * each, most});
    const std::size_t collectors = few != 0 ? kLanes : std::size_t{tuning::kReduceInOrderThreads};
    return {std::max<std::size_t>(blocks, 1), collectors, true};
}

template <class T>
ReduceGrid reduce_grid(std::size_t count, std::size_t offset, Combines how) {
    namespace tuning = wideload::tuning;
    namespace detail = wideload::detail;
    const std::size_t begin = round_up(offset, kWordBytes), end = offset + count * sizeof(T);
    const std::size_t words = begin < end ? (end - begin) / kWordBytes : 0;
    if (how == Combines::InOrder) {
        const std::size_t each = words * kWordBytes / multiprocessors();
        const std::size_t of_thread = each <= tuning::kReduceInOrderFewBytes
                                          ? std::size_t{tuning::kReduceWords}
                                          : std::size_t{tuning::kReduceManyWords};
        const std::size_t tile = kLanes * of_thread;
        const std::size_t warps = tuning::kReduceInOrderThreads / kLanes;
        return in_order_grid(wideload::divide_up(wideload::divide_up(words, tile), warps),
                             each <= tuning::kReduceInOrderOneBlockBytes    ? 1
                             : each <= tuning::kReduceInOrderTwoBlocksBytes ? 2
                                                                            : 0);
    }
    detail::ReduceShape shape{};
    const bool mailboxes = how == Combines::InMailboxes;
    require(mailboxes ? detail::reduce_shape<true, T>(count, &shape)
                      : detail::reduce_shape<false, T>(count, &shape),
            "reduce_shape");
    ReduceGrid grid{};
    const detail::ReduceInput<T> input{nullptr, 0, words, 0};
    const auto of_build = [&](auto build) {
        using Build = decltype(build);
        grid = {detail::reduce_blocks<Build>(input, shape.max_blocks),
                Build::kSmall ? kLanes : std::size_t{Build::kThreads}, false};
        return cudaSuccess;
    };
    require(mailboxes ? detail::launch_shape<true>(shape, input, true, of_build)
                      : detail::launch_shape<false>(shape, input, true, of_build),
            "launch_shape");
    return grid;
}

/// What blocks write to combine their results. Each sends its own, every 4 bytes in a word of 8,
/// one or two words at a time. Of the last one warps empty the words again, as many at a time as
/// their lanes collect; it writes the result, and the count of blocks was set back when the last
/// one came.
template <class Result>
std::size_t sectors_to_combine(const ReduceGrid& grid) {
    if (grid.blocks == 1) return 1;
    constexpr std::size_t kParts = (sizeof(Result) + 3) / 4;
    constexpr std::size_t kAccess = kParts == 1 ? 8 : 16, kBox = round_up(kParts * 8, kAccess);
    const std::size_t group = wideload::divide_up(grid.blocks, grid.collectors);
    std::size_t emptied = 0;
    for (std::size_t warp = 0; warp < grid.collectors; warp += kLanes) {
        for (std::size_t i = 0; i < group; ++i) {
            std::vector<std::size_t> boxes;
            for (std::size_t thread = warp; thread < warp + kLanes; ++thread) {
                const std::size_t box = grid.mailbox(thread, i);
                if (box < grid.blocks) boxes.push_back(box);
            }
            for (std::size_t part = 0; part < kBox; part += kAccess)
                emptied += sectors_of_lanes(boxes, kBox, kAccess, part);
        }
    }
    return grid.blocks * (kBox / kAccess) + emptied + 1;
}

template <class T>
void reduce_range(std::size_t count, std::size_t offset) {
    Memory from(count * sizeof(T), offset), to(256);
    const std::string name = " of " + std::to_string(count) + " elements of " +
                             std::to_string(sizeof(T)) + " bytes, " + std::to_string(offset) +
                             " past a line";
    const auto expect_reads = [&](Case& c) -> Case& {
        const std::size_t read = sectors_of_range(offset, offset + count * sizeof(T));
        return offset % kSectorBytes == 0 ? c.whole("global_ld", read)
                                          : c.wide_runs_exactly("global_ld", read);
    };
    const auto reduce = [&](const std::string& what, auto operation, Combines how) {
        const ReduceGrid grid = reduce_grid<T>(count, offset, how);
        std::size_t written = sectors_to_combine<T>(grid);
        // Blocks count themselves, if there are several, or add the digits of their results, four
        // to a sector: all, or a window of them and a count of blocks. Of these the last one writes
        // its sum and sets back the digits.
        std::size_t counted = 1;
        if (how == Combines::InOneSum) {
            constexpr int kDigits = wideload::detail::Digits<T>::kCount;
            counted = kDigits <= wideload::kWarpLanes ? wideload::divide_up(kDigits, 4) : 2;
            if (grid.blocks != 1) written = 1 + counted;
        }
        Case ordered(what + name);
        expect_reads(ordered).whole("global_atom", grid.blocks == 1 ? 0 : counted * grid.blocks);
        // Neighbouring lanes do not empty neighbouring mailboxes where order matters.
        (grid.in_order ? ordered.exactly("global_st", written)
                       : ordered.whole("global_st", written))
            .run([&] { return wideload::reduce(from.as<T>(), count, to.as<T>(), operation, T{}); });
    };
    reduce("reduce", wideload::plus{}, Combines::InOneSum);
    reduce("reduce to the least", wideload::minimum{}, Combines::InMailboxes);
    reduce("reduce in order", SumInOrder{}, Combines::InOrder);
    const ReduceGrid grid = reduce_grid<T>(count, offset, Combines::InOneSum);
    Case atomic("reduce_atomic" + name);
    expect_reads(atomic).whole("global_red", grid.blocks).run([&] {
        return wideload::reduce_atomic(from.as<T>(), count, to.as<T>(), wideload::plus{});
    });
}

struct AddEach {
    template <int Size>
    __device__ Blob<Size> operator()(const Blob<Size>& a, const Blob<Size>& b) const {
        Blob<Size> sum;
        for (int i = 0; i < Size; ++i) {
            sum.bytes[i] = static_cast<unsigned char>(a.bytes[i] + b.bytes[i]);
        }
        return sum;
    }
};

/// Whole rows of structs, read as the words that they are: `Elements` structs fill a lane's.
template <int Size, int Elements>
void reduce_structs(std::size_t rows) {
    using T = Blob<Size>;
    const std::size_t count = rows * kLanes * Elements;
    const std::size_t warps = wideload::tuning::kReduceInOrderThreads / kLanes;
    const ReduceGrid grid = in_order_grid(wideload::divide_up(rows, warps), 0);
    // The result is stored by as many bytes as its type is aligned to.
    const std::size_t written = sectors_to_combine<T>(grid) + Size / alignof(T) - 1;
    Memory from(count * Size), to(256);
    Case("reduce of " + std::to_string(count) + " structs of " + std::to_string(Size) + " bytes")
        .whole("global_ld", sectors(count * Size))
        .whole("global_atom", grid.blocks == 1 ? 0 : grid.blocks)
        .exactly("global_st", written)
        .run([&] { return wideload::reduce(from.as<T>(), count, to.as<T>(), AddEach{}, T{}); });
}

inline void range_reductions() {
    Memory to(256);
    Case("reduce of nothing").whole("global_st", 1).run([&] {
        return wideload::reduce(to.as<float>(), 0, to.as<float>() + 1, wideload::plus{}, 1.0f);
    });
    for (const std::size_t count :
         {std::size_t{1}, std::size_t{1000}, std::size_t{1} << 16, (std::size_t{1} << 18) + 3}) {
        reduce_range<float>(count, 0);
        reduce_range<float>(count, 4);
        reduce_range<double>(count, 0);
        reduce_range<unsigned>(count, 16);
    }
    for (const std::size_t count : {std::size_t{1} << 20, (std::size_t{1} << 21) + 5}) {
        reduce_range<float>(count, 0);
        reduce_range<double>(count, 8);
    }
    for (const std::size_t rows : {1, 500}) {
        reduce_structs<3, 16>(rows);
        reduce_structs<20, 4>(rows);
        reduce_structs<44, 2>(rows);
        reduce_structs<13, 8>(rows);
    }
}

}  // namespace counts

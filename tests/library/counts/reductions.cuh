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
inline ReduceGrid in_order_grid(std::size_t tiles_of_blocks, int few) {
    namespace tuning = wideload::tuning;
    const std::size_t each = few != 0 ? few : tuning::kReduceInOrderBlocksPerMultiprocessor;
    const std::size_t most = few != 0 ? tuning::reduce_mailboxes_of_lane(few) * kLanes
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
                             tuning::reduce_in_order_few_blocks(each));
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
        grid = {detail::share_reduce_input<Build>(input, shape.max_blocks).blocks,
                Build::kSmall ? kLanes : std::size_t{Build::kThreads}, false};
        return cudaSuccess;
    };
    require(mailboxes ? detail::launch_shape<true>(shape, input, of_build)
                      : detail::launch_shape<false>(shape, input, of_build),
            "launch_shape");
    return grid;
}

/// What blocks write to combine their results. Each sends its own, every 4 bytes in a word of 8,
/// one or two words at a time; where they are more than a sector, those of all blocks lie together
/// that are written at the same time. Of the last one warps empty the words again, as many at a
/// time as their lanes collect; it writes the result, and the count of blocks was set back when the
/// last one came.
template <class Result>
std::size_t sectors_to_combine(const ReduceGrid& grid) {
    if (grid.blocks == 1) return 1;
    constexpr std::size_t kParts = (sizeof(Result) + 3) / 4;
    constexpr std::size_t kAccess = kParts == 1 ? 8 : 16, kBox = round_up(kParts * 8, kAccess);
    constexpr bool kApart = kBox > kSectorBytes;
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
                emptied += kApart ? sectors_of_lanes(boxes, kAccess, kAccess, part * grid.blocks)
                                  : sectors_of_lanes(boxes, kBox, kAccess, part);
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
    __device__ test::Blob<Size> operator()(const test::Blob<Size>& a,
                                           const test::Blob<Size>& b) const {
        test::Blob<Size> sum;
        for (int i = 0; i < Size; ++i) {
            sum.bytes[i] = static_cast<unsigned char>(a.bytes[i] + b.bytes[i]);
        }
        return sum;
    }
};

/// A range of bytes.
struct ByteSpan {
    std::size_t begin, end;
};

/// What tiles of `range` read that go through shared memory: words that hold their bytes, by rows
/// from the first one on, or, of a word that reaches outside of `all`, the tile's own bytes.
inline std::size_t sectors_of_staged_tiles(const ByteSpan& range, const ByteSpan& all,
                                           std::size_t tile) {
    std::size_t sum = 0;
    for (std::size_t from = range.begin; from < range.end; from += tile) {
        const std::size_t to = std::min(from + tile, range.end);
        for (std::size_t row = round_down(from, kWordBytes); row < to; row += kWarpBytes) {
            std::vector<std::size_t> words;
            for (std::size_t word = row; word < std::min(row + kWarpBytes, to);
                 word += kWordBytes) {
                if (word >= all.begin && word + kWordBytes <= all.end) {
                    words.push_back(word);
                } else {
                    ++sum;
                }
            }
            sum += sectors_of_lanes(words, 1, kWordBytes);
        }
    }
    return sum;
}

/// Elements that are no whole words, or begin at none, by way of shared memory: in any order and in
/// their own, to one result or to one that blocks add to.
template <class T, class Operation>
void reduce_staged(std::size_t count, std::size_t offset, Operation operation) {
    using Runs = wideload::detail::ReduceRuns<T, T, Operation>;
    constexpr bool kCommutes = wideload::is_commutative<Operation, T>::value;
    const std::size_t bytes = count * sizeof(T);
    const std::size_t tiles = wideload::divide_up<std::size_t>(count, Runs::kElements);
    const wideload::detail::ReduceInput<T> input{nullptr, 0, count, 0};
    const ReduceGrid grid{wideload::detail::staged_blocks<Runs, T>(input, tiles, multiprocessors()),
                          Runs::kThreads, true};
    Memory from(bytes, offset), to(256);
    const ByteSpan all{offset, offset + bytes};
    const std::size_t read = sectors_of_staged_tiles(all, all, Runs::kTileBytes);
    const auto expect = [&](const std::string& name) {
        return name + " of " + std::to_string(count) + " elements of " + std::to_string(sizeof(T)) +
               " bytes by shared memory, " + std::to_string(offset) + " past a line";
    };
    // The result is stored by as many bytes as its type is aligned to.
    Case(expect(kCommutes ? "reduce" : "reduce in order"))
        .wide_runs_exactly("global_ld", read)
        .whole("global_atom", grid.blocks == 1 ? 0 : grid.blocks)
        .exactly("global_st", sectors_to_combine<T>(grid) + sizeof(T) / alignof(T) - 1)
        .run([&] { return wideload::reduce(from.as<T>(), count, to.as<T>(), operation, T{}); });
    if constexpr (kCommutes && std::is_arithmetic_v<T>) {
        Case(expect("reduce_atomic"))
            .wide_runs_exactly("global_ld", read)
            .whole("global_red", grid.blocks)
            .run([&] {
                return wideload::reduce_atomic(from.as<T>(), count, to.as<T>(), operation);
            });
    }
}

template <class T>
void reduce_staged(std::size_t offset) {
    constexpr std::size_t kTile = wideload::detail::StagedRuns<T>::kElements;
    for (const std::size_t count : {std::size_t{1}, kTile - 1, kTile * 9 + 1, kTile * 3000}) {
        if constexpr (std::is_arithmetic_v<T>) {
            reduce_staged<T>(count, offset, wideload::plus{});
            reduce_staged<T>(count, offset, SumInOrder{});
        } else {
            reduce_staged<T>(count, offset, wideload::commutative(AddEach{}));
            reduce_staged<T>(count, offset, AddEach{});
        }
    }
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
    reduce_staged<float>(1);
    reduce_staged<double>(4);
    reduce_staged<Blob<3>>(0);
    reduce_staged<Blob<3>>(7);
    reduce_staged<Blob<13>>(0);
    reduce_staged<Blob<20>>(28);
    reduce_staged<Blob<32>>(0);
    reduce_staged<Blob<37>>(1);
    reduce_staged<Blob<44>>(0);
    reduce_staged<Blob<48>>(0);
    reduce_staged<Blob<63>>(5);
}

}  // namespace counts

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

inline std::size_t multiprocessors() {
    wideload::detail::DeviceProperties device{};
    require(wideload::detail::current_device_properties(&device), "current_device_properties");
    return static_cast<std::size_t>(device.multiprocessors);
}

/// How the blocks' results come together: in one sum, in mailboxes, or in these in order.
enum class Combines { InOneSum, InMailboxes, InOrder };

/// How many blocks of how many threads share a range. The last block takes the others' results in
/// turn or, to keep their order, so many neighbours' a thread.
struct ReduceGrid {
    std::size_t blocks, threads, neighbours;
};

template <class T>
ReduceGrid reduce_grid(std::size_t count, std::size_t offset, Combines how) {
    namespace tuning = wideload::tuning;
    std::size_t threads = tuning::kReduceInOrderThreads;
    std::size_t words_per_thread = tuning::kReduceWords;
    std::size_t most =
        std::min<std::size_t>(multiprocessors() * tuning::kReduceInOrderBlocksPerMultiprocessor,
                              tuning::kReduceMaxBlocks);
    if (how == Combines::InOrder) {
        if (count * sizeof(T) <= tuning::kReduceInOrderOneWordBytes) words_per_thread = 1;
    } else {
        wideload::detail::ReduceShape shape{};
        require(how == Combines::InMailboxes
                    ? wideload::detail::reduce_shape<true, T>(count, &shape)
                    : wideload::detail::reduce_shape<false, T>(count, &shape),
                "reduce_shape");
        threads = shape.threads;
        if (shape.many_words) words_per_thread = tuning::kReduceManyWords;
        most = shape.max_blocks;
    }
    const std::size_t begin = round_up(offset, kWordBytes), end = offset + count * sizeof(T);
    const std::size_t words = begin < end ? (end - begin) / kWordBytes : 0;
    const std::size_t wanted = wideload::divide_up(words, threads * words_per_thread);
    const std::size_t blocks = std::clamp<std::size_t>(wanted, 1, most);
    return {blocks, threads, how == Combines::InOrder ? wideload::divide_up(blocks, threads) : 1};
}

/// Sectors of which chance decides some.
struct Written {
    std::size_t least, most;
};

/// What blocks write to combine their results. Each sends its own, 4 bytes at a time in words of 8,
/// by one lane. The last one empties the words again, writes the result and sets back the count of
/// blocks. Lanes empty neighbouring words, together or, as chance has it, each as soon as its own
/// has come.
template <class Result>
Written sectors_to_combine(const ReduceGrid& grid) {
    if (grid.blocks == 1) return {1, 1};
    constexpr std::size_t kMarked = 8, kWords = (sizeof(Result) + 3) / 4;
    std::size_t together = 0;
    for (std::size_t first = 0; first < grid.neighbours; ++first) {
        std::vector<std::size_t> senders;
        for (std::size_t b = first; b < grid.blocks; b += grid.neighbours) senders.push_back(b);
        for (std::size_t word = 0; word < kWords; ++word)
            together += sectors_of_lanes(senders, kWords * kMarked, kMarked, word * kMarked);
    }
    const std::size_t alone = grid.blocks * kWords, sent = alone;
    return {sent + together + 1, sent + alone + 1};
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
        Written written = sectors_to_combine<T>(grid);
        // Blocks count themselves, if there are several, or add the digits of their results, four
        // to a sector: all, or a window of them and a count of blocks. Of these the last one writes
        // its sum and sets back the digits.
        std::size_t counted = 1;
        if (how == Combines::InOneSum) {
            constexpr int kDigits = wideload::detail::Digits<T>::kCount;
            counted = kDigits <= wideload::kWarpLanes ? wideload::divide_up(kDigits, 4) : 2;
            if (grid.blocks != 1) written = {1 + counted, 1 + counted};
        }
        Case ordered(what + name);
        expect_reads(ordered)
            .whole("global_atom", grid.blocks == 1 ? 0 : counted * grid.blocks)
            .between("global_st", written.least, written.most)
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
    ReduceGrid grid{0, wideload::tuning::kReduceInOrderThreads, 1};
    const std::size_t most =
        multiprocessors() * wideload::tuning::kReduceInOrderBlocksPerMultiprocessor;
    grid.blocks = std::min(wideload::divide_up(rows, grid.threads / kLanes), most);
    grid.neighbours = wideload::divide_up(grid.blocks, grid.threads);
    Written written = sectors_to_combine<T>(grid);
    // The result is stored by as many bytes as its type is aligned to.
    written.least += Size / alignof(T) - 1;
    written.most += Size / alignof(T) - 1;
    Memory from(count * Size), to(256);
    Case("reduce of " + std::to_string(count) + " structs of " + std::to_string(Size) + " bytes")
        .whole("global_ld", sectors(count * Size))
        .whole("global_atom", grid.blocks == 1 ? 0 : grid.blocks)
        .between("global_st", written.least, written.most)
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
    for (const std::size_t rows : {1, 500}) {
        reduce_structs<3, 16>(rows);
        reduce_structs<20, 4>(rows);
        reduce_structs<44, 2>(rows);
        reduce_structs<13, 8>(rows);
    }
}

}  // namespace counts

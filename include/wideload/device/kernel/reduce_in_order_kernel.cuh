// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/device/kernel/lane_runs.cuh>
#include <wideload/device/kernel/lane_shape.cuh>
#include <wideload/device/kernel/lane_stream.cuh>
#include <wideload/device/kernel/reduce_kernel.cuh>
#include <wideload/tuning/reduce_tuning.cuh>

#include <cstring>
#include <type_traits>

namespace wideload::WIDELOAD_DETAIL {

/// Elements that a lane loads at once: a 16-byte word or, where their size is no power of two, as
/// many as make whole words; one element where neither fits.
template <bool Wide, class T>
inline constexpr int kElementsInOrder = Wide ? LaneShape<T>::kElements : 1;

/// Whether lanes exchange what they loaded: then only whole rows can be read wide.
template <bool Wide, class T>
inline constexpr bool kExchangedInOrder =
    Wide && static_cast<int>(sizeof(T)) * LaneShape<T>::kElements != kWideBytes;

/// Whether elements have a size that is no power of two, or above 16 bytes, and are read row by row
/// all the same: lanes exchange the words of theirs.
template <class T>
inline constexpr bool kReducedByRows = kExchangedInOrder<true, T> && LaneShape<T>::kVectorised;

/// Tiles of `Rows` rows of 32 words that hold so many; one at least, since the elements around the
/// words need a warp, too.
template <int Rows>
WIDELOAD_HOST_DEVICE constexpr std::size_t tiles_in_order(std::size_t words) {
    return words == 0 ? 1 : divide_up<std::size_t>(words, Rows * kWarpLanes);
}

/// How tiles are dealt to warps, or blocks: in runs of `least`, one more to each of the first
/// `longer`.
struct TileRuns {
    std::size_t tiles;
    std::size_t warps;
    std::size_t least;
    std::size_t longer;

    WIDELOAD_HOST_DEVICE TileRuns(std::size_t tiles, std::size_t warps)
        : tiles(tiles), warps(warps), least(tiles / warps), longer(tiles % warps) {}

    WIDELOAD_DEVICE std::size_t begin(std::size_t warp) const {
        return warp * least + (warp < longer ? warp : longer);
    }
    /// Warps with a tile: the first ones.
    WIDELOAD_DEVICE std::size_t busy() const { return tiles < warps ? tiles : warps; }
};

/// The elements of word `word` behind `first`; neighbouring lanes ask for neighbouring words, those
/// who exchange them for a row.
template <bool Wide, class LoadPolicy, class T>
WIDELOAD_DEVICE vec<T, kElementsInOrder<Wide, T>> load_in_order(const T* first, int word) {
    constexpr int kElements = kElementsInOrder<Wide, T>;
    if constexpr (kExchangedInOrder<Wide, T>) {
        const int lane = word % kWarpLanes;
        LaneStream<T, kElements, LaneShape<T>::template kAccess<T>, LoadPolicy, Aligned> stream;
        stream.fetch(first + (word - lane) * kElements, {}, lane);
        return stream.values(lane);
    } else {
        vec<T, kElements> loaded;
        if constexpr (Wide) {
            load_bytes<kWideBytes, kWideBytes, LoadPolicy>(first + word * kElements, &loaded);
        } else {
            loaded[0] = load_element(first + word);
        }
        return loaded;
    }
}

/// A word's elements, combined.
template <class Result, class T, int PerWord, class Operation>
WIDELOAD_DEVICE Result combine_word(const vec<T, PerWord>& word, Operation& operation) {
    Result result = static_cast<Result>(word[0]);
#pragma unroll
    for (int k = 1; k < PerWord; ++k) result = operation(result, static_cast<Result>(word[k]));
    return result;
}

/// Adds what the first `valid` of `Group` neighbouring lanes have, in their order, to the total of
/// the first of them; of a whole warp one lane at least.
template <int Group = kWarpLanes, class Result, class Operation>
WIDELOAD_DEVICE void add_lanes_in_order(const Result& own, int valid,
                                        Accumulator<Result, Operation>& total,
                                        Operation& operation) {
    const int lane = threadIdx.x % kWarpLanes;
    const Result combined = warp::reduce<Group>(own, operation, lane, valid);
    if (lane % Group == 0 && (Group == kWarpLanes || valid > 0)) total.add(combined, operation);
}

/// Adds a tile, whose words begin at `first`, to lane 0's total: all of its rows at once.
template <int Rows, bool Wide, class LoadPolicy, class T, class Result, class Operation>
WIDELOAD_DEVICE void add_tile_in_order(const T* first, Accumulator<Result, Operation>& total,
                                       Operation& operation) {
    constexpr int kPerWord = kElementsInOrder<Wide, T>;
    const int lane = threadIdx.x % kWarpLanes;
    vec<T, kPerWord> loaded[Rows];
#pragma unroll
    for (int i = 0; i < Rows; ++i) {
        loaded[i] = load_in_order<Wide, LoadPolicy>(first, i * kWarpLanes + lane);
    }
    Result rows[Rows];
#pragma unroll
    for (int i = 0; i < Rows; ++i) rows[i] = combine_word<Result>(loaded[i], operation);
    total.add(warp::reduce_striped(rows, operation, lane), operation);
}

/// A word that a lane has loaded but not looked at: as whole registers, whatever its elements are.
template <bool Wide, class LoadPolicy, class T>
class LoadedInOrder {
    static_assert(!kExchangedInOrder<Wide, T>, "lanes exchange what they load");
    using Elements = vec<T, kElementsInOrder<Wide, T>>;

public:
    WIDELOAD_DEVICE void load(const T* first, int word) {
        if constexpr (Wide) {
            load_bytes<kWideBytes, kWideBytes, LoadPolicy>(first + word * Elements::kSize,
                                                           &loaded_);
        } else {
            loaded_ = load_in_order<false, LoadPolicy>(first, word);
        }
    }
    template <class Result, class Operation>
    WIDELOAD_DEVICE Result combine(Operation& operation) const {
        Elements elements;
        std::memcpy(&elements, &loaded_, sizeof(elements));
        return combine_word<Result>(elements, operation);
    }

private:
    std::conditional_t<Wide, uint4, Elements> loaded_;
};

/// What is left behind whole tiles of `Rows` rows, fewer words than one has. All of it is loaded
/// before the first of it is combined: half a tile's rows, where so many are whole, and the rest of
/// less.
template <int Rows, bool Wide, class LoadPolicy, class T>
class RestInOrder {
    static constexpr int kRows = Rows / 2, kWords = kRows * kWarpLanes;

public:
    WIDELOAD_DEVICE void fetch(const T* first, int words) {
        const int lane = threadIdx.x % kWarpLanes;
        if (words >= kWords) {
#pragma unroll
            for (int i = 0; i < kRows; ++i) {
                loaded_[i].load(first, i * kWarpLanes + lane);
            }
            first += kWords * kElementsInOrder<Wide, T>;
        }
        less_.fetch(first, words_of_less(words));
    }
    template <class Result, class Operation>
    WIDELOAD_DEVICE void add(int words, Accumulator<Result, Operation>& total,
                             Operation& operation) const {
        if (words >= kWords) {
            Result rows[kRows];
#pragma unroll
            for (int i = 0; i < kRows; ++i)
                rows[i] = loaded_[i].template combine<Result>(operation);
            const int lane = threadIdx.x % kWarpLanes;
            total.add(warp::reduce_striped(rows, operation, lane), operation);
        }
        less_.add(words_of_less(words), total, operation);
    }

private:
    static WIDELOAD_DEVICE int words_of_less(int words) {
        return words >= kWords ? words - kWords : words;
    }

    LoadedInOrder<Wide, LoadPolicy, T> loaded_[kRows];
    RestInOrder<kRows, Wide, LoadPolicy, T> less_;
};

/// Less than a row.
template <bool Wide, class LoadPolicy, class T>
class RestInOrder<1, Wide, LoadPolicy, T> {
public:
    WIDELOAD_DEVICE void fetch(const T* first, int words) {
        const int lane = threadIdx.x % kWarpLanes;
        if (words > 0) loaded_.load(first, lane < words ? lane : 0);
    }
    template <class Result, class Operation>
    WIDELOAD_DEVICE void add(int words, Accumulator<Result, Operation>& total,
                             Operation& operation) const {
        if (words > 0)
            add_lanes_in_order(loaded_.template combine<Result>(operation), words, total,
                               operation);
    }

private:
    LoadedInOrder<Wide, LoadPolicy, T> loaded_;
};

/// Elements beside the words, fewer than `Behind`, which neighbouring lanes load: what they are
/// combined to is lane 0's. Nothing waits for them where they are asked for.
template <int Behind, class LoadPolicy, class T>
class EdgeInOrder {
public:
    WIDELOAD_DEVICE void fetch(const T* first, std::size_t count) {
        const int lane = threadIdx.x % kWarpLanes;
        count_ = static_cast<int>(count);
        if (count_ > 0) own_.load(first, lane < count_ ? lane : 0);
    }
    WIDELOAD_DEVICE bool any() const { return count_ > 0; }
    template <class Result, class Operation>
    WIDELOAD_DEVICE Result combine(Operation& operation) const {
        constexpr int kLanes = power_of_two_from(Behind - 1);
        const int lane = threadIdx.x % kWarpLanes;
        return warp::reduce<kLanes>(own_.template combine<Result>(operation), operation, lane,
                                    lane < kLanes ? count_ : 0);
    }

private:
    int count_ = 0;
    LoadedInOrder<false, LoadPolicy, T> own_;
};

/// Adds elements behind the words, any number of them.
template <class LoadPolicy, class T, class Result, class Operation>
WIDELOAD_DEVICE void add_elements_in_order(const T* first, int count,
                                           Accumulator<Result, Operation>& total,
                                           Operation& operation) {
    constexpr int kRows = tuning::kReduceInOrderElements<sizeof(T)>;
    constexpr int kTile = kRows * kWarpLanes;
#pragma unroll 1
    for (; count >= kTile; count -= kTile, first += kTile)
        add_tile_in_order<kRows, false, LoadPolicy>(first, total, operation);
    RestInOrder<kRows, false, LoadPolicy, T> rest;
    rest.fetch(first, count);
    rest.add(count, total, operation);
}

/// Adds a warp's run of tiles to lane 0's total; the first warp begins with the elements before the
/// words, the last one ends with those behind them.
template <int Rows, bool Wide, class LoadPolicy, class T, class Result, class Operation>
WIDELOAD_DEVICE void accumulate_in_order(const ReduceInput<T>& input, const TileRuns& runs,
                                         std::size_t warp, Accumulator<Result, Operation>& total,
                                         Operation& operation) {
    constexpr std::size_t kPerWord = kElementsInOrder<Wide, T>, kWords = Rows * kWarpLanes;
    constexpr bool kExchanged = kExchangedInOrder<Wide, T>, kEdges = kExchanged || kPerWord > 1;
    constexpr int kBehindEdge = kExchanged || !kEdges ? kWarpLanes + 1 : kPerWord;
    const T* body = input.elements + input.head_elements;
    EdgeInOrder<kBehindEdge, LoadPolicy, T> head;
    if (kEdges && warp == 0) head.fetch(input.elements, input.head_elements);
    const bool last = warp + 1 == runs.busy();
    const std::size_t whole = input.words - input.words % kWords;
    const std::size_t end = last ? whole : runs.begin(warp + 1) * kWords;
    for (std::size_t word = runs.begin(warp) * kWords; word < end; word += kWords) {
        add_tile_in_order<Rows, Wide, LoadPolicy>(body + word * kPerWord, total, operation);
    }
    if (last) {
        const T* behind = body + input.words * kPerWord;
        if constexpr (kExchanged) {
            add_elements_in_order<LoadPolicy>(behind, static_cast<int>(input.tail_elements), total,
                                              operation);
        } else {
            const int left = static_cast<int>(input.words - whole);
            RestInOrder<Rows, Wide, LoadPolicy, T> words;
            EdgeInOrder<kBehindEdge, LoadPolicy, T> tail;
            words.fetch(body + whole * kPerWord, left);
            if (kEdges) tail.fetch(behind, input.tail_elements);
            words.add(left, total, operation);
            if (kEdges && tail.any())
                total.add(tail.template combine<Result>(operation), operation);
        }
    }
    if (!kEdges || !head.any()) return;
    Accumulator<Result, Operation> all;
    all.add(head.template combine<Result>(operation), operation);
    all.add(total, operation);
    total = all;
}

/// Shared memory of `reduce_tiles_in_order`.
template <class Result, int Rows, int Threads>
struct InOrderRuns {
    static constexpr int kWarps = Threads / kWarpLanes;
    LaneRuns<Result, Rows> of_warp[kWarps];
    LaneRuns<Result, kWarps> of_block;
};

/// What a block combines whose share is a tile for each of its warps, neighbours from `first` on,
/// and nothing else; thread 0 holds the result. Lanes combine runs, then those of one warp the
/// lanes'. Waits for the last kernel as late as it can, and does `then` after that.
template <int Rows, int Threads, class LoadPolicy, class Result, class T, class Operation,
          class Then>
WIDELOAD_DEVICE Result reduce_tiles_in_order(const T* first, Operation& operation,
                                             InOrderRuns<Result, Rows, Threads>& shared,
                                             const Then& then) {
    constexpr int kPerWord = kWideBytes / static_cast<int>(sizeof(T));
    const int lane = threadIdx.x % kWarpLanes, warp = threadIdx.x / kWarpLanes;
    const char* words =
        reinterpret_cast<const char*>(first) + (warp * Rows * kWarpLanes + lane) * kWideBytes;
    before_wait(words);
    await_last_kernel();
    then();
    vec<T, kPerWord> loaded[Rows];
#pragma unroll
    for (int i = 0; i < Rows; ++i) {
        load_bytes<kWideBytes, kWideBytes, LoadPolicy>(words + i * kWarpLanes * kWideBytes,
                                                       &loaded[i]);
    }
    __syncwarp();  // see `accumulate_words`
#pragma unroll
    for (int i = 0; i < Rows; ++i) {
        shared.of_warp[warp].put(i * kWarpLanes + lane, combine_word<Result>(loaded[i], operation));
    }
    __syncwarp();
    shared.of_block.put(warp * kWarpLanes + lane, shared.of_warp[warp].combine(lane, operation));
    __syncthreads();
    Result result;
    if (warp == 0) result = warp::reduce(shared.of_block.combine(lane, operation), operation);
    return result;
}

/// Whether this block's share is a whole tile for each of its warps, and nothing else.
template <int Rows, int Threads, class T>
WIDELOAD_DEVICE bool has_whole_tiles(const ReduceInput<T>& input, const TileRuns& runs) {
    constexpr unsigned kWords = Rows * Threads;
    const unsigned words = static_cast<unsigned>(input.words);
    const bool ends_whole = input.tail_elements == 0 && words % kWords == 0;
    return runs.tiles <= runs.warps && (blockIdx.x + 1) * kWords <= words &&
           (blockIdx.x != 0 || input.head_elements == 0) &&
           (blockIdx.x + 1 != gridDim.x || ends_whole);
}

/// Blocks for which registers are to be left: fewer of large results, of which ptxas was seen to
/// spill some. Of small ones four fit where a multiprocessor has several: all that there are, or
/// the next launch's beside two.
template <class Result, int OfLane>
inline constexpr int kInOrderBlocks = [] {
    if (sizeof(Result) > 40) return 1;
    const bool small = sizeof(Result) <= 8 && alignof(Result) >= 4;
    return small && OfLane != tuning::reduce_mailboxes_of_lane(1) ? 4 : 2;
}();

/// All of a reduction whose operation need not commute: warps combine neighbouring tiles, blocks
/// neighbouring warps, and the block that started last neighbouring blocks. See ReducePlan.
///
/// @tparam OfLane  as of ReduceBuild
/// @param overlap  whether the next launch's blocks may begin beside this one's
template <class T, class Result, class Operation, int Rows, bool Wide, int Threads, int OfLane,
          class LoadPolicy>
__global__ void __launch_bounds__(Threads, (kInOrderBlocks<Result, OfLane>))
    reduce_in_order_kernel(const __grid_constant__ ReducePlan<T, Result> plan,
                           const __grid_constant__ TileRuns runs, bool overlap,
                           Operation operation) {
    if (overlap) release_next_kernel();
    if constexpr (OfLane != 0) plan.input.prefetch();
    constexpr std::size_t kWarps = Threads / kWarpLanes;
    const int thread = threadIdx.x;
    const bool counts = gridDim.x > 1 && thread == 0;
    unsigned started_before = 0;
    if constexpr (OfLane != 0 && kHasWideRuns<Result, Rows>) {
        if (has_whole_tiles<Rows, Threads>(plan.input, runs)) {
            __shared__ InOrderRuns<Result, Rows, Threads> runs_of_lanes;
            constexpr int kTile = Rows * Threads * kElementsInOrder<Wide, T>;
            const T* first =
                plan.input.elements + plan.input.head_elements + std::size_t{blockIdx.x} * kTile;
            const Result partial = reduce_tiles_in_order<Rows, Threads, LoadPolicy>(
                first, operation, runs_of_lanes, [&] {
                    if (counts) started_before = count_start(plan.started);
                });
            if (thread < kWarpLanes) {
                combine_few_blocks<true, OfLane>(
                    plan, partial, counts && started_before == gridDim.x - 1, operation);
            }
            return;
        }
    }
    await_last_kernel();
    __shared__ combine_storage<Threads, true, Result> shared;
    // Large results need the register that would hold the answer until it is looked at.
    constexpr bool kLater = sizeof(Result) <= 2 * kWideBytes;
    __shared__ bool started_last;
    if (counts) started_before = count_start(plan.started);
    if (!kLater && counts) started_last = started_before == gridDim.x - 1;
    const std::size_t first_warp = blockIdx.x * kWarps, behind = runs.busy() - first_warp;
    Accumulator<Result, Operation> total;
    accumulate_in_order<Rows, Wide, LoadPolicy>(plan.input, runs, first_warp + thread / kWarpLanes,
                                                total, operation);
    const Result partial =
        block::reduce_warps<Threads>(total.value(), operation, shared.in_order, thread,
                                     static_cast<int>(behind < kWarps ? behind : kWarps));
    if constexpr (OfLane != 0) {
        const bool last = counts && (kLater ? started_before == gridDim.x - 1 : started_last);
        if (thread < kWarpLanes) combine_few_blocks<true, OfLane>(plan, partial, last, operation);
    } else {
        if (kLater && counts) started_last = started_before == gridDim.x - 1;
        // Elements that no words are whole ones of are large, and take the registers.
        constexpr int kMailboxWords = Wide ? 12 : 4;
        combine_blocks<true, Threads, kMailboxWords>(plan, partial, started_last, operation,
                                                     shared);
    }
}

}  // namespace wideload::WIDELOAD_DETAIL

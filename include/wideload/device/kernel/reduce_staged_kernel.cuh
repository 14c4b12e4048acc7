// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/device/kernel/atomic_combine.cuh>
#include <wideload/device/kernel/lane_runs.cuh>
#include <wideload/device/kernel/reduce_in_order_kernel.cuh>
#include <wideload/device/kernel/staged_value.cuh>
#include <wideload/device/kernel/staged_words.cuh>
#include <wideload/thread/shared_value.cuh>
#include <wideload/tuning/reduce_tuning.cuh>

namespace wideload::WIDELOAD_DETAIL {

/// Registers that a value takes at least where its parts are worked on.
template <class T>
inline constexpr int kParts = static_cast<int>(sizeof(T) / (alignof(T) < 4 ? alignof(T) : 4));

/// How a warp brings elements of any size, from any address on, through shared memory: tile by
/// tile, each as the range of bytes that it is, by words of 16 bytes, of which some are under way
/// while others are worked on. There each lane has a run of neighbours that is whole words of 4
/// bytes, so that all lanes' elements begin at the same byte of one.
///
/// @tparam T       what is reduced
/// @tparam Bytes   that a lane takes from shared memory together, at most
/// @tparam Result  what lanes combine of a tile, where that of some tiles goes through shared
///                 memory as well, to be combined in order; void: nothing does
template <class T, int Bytes = tuning::kReduceStagedRunBytes, class Result = void>
struct StagedRuns {
    static constexpr bool kInOrder = !std::is_void_v<Result>;
    static constexpr int kSize = static_cast<int>(sizeof(T));

    /// How often `bytes` fit `limit`, an odd number, or once.
    static constexpr int odd_times(int bytes, int limit) {
        const int times = limit / bytes;
        return times < 1 ? 1 : times - (times + 1) % 2;
    }
    /// The fewest elements that are whole words of 4 bytes.
    static constexpr int kFewest = 4 / greatest_common_divisor(kSize, 4);
    /// Elements that a lane takes from shared memory together: an odd number of times the fewest.
    /// One by one, if these are long by themselves.
    static constexpr int kTogether = kFewest * kSize > tuning::kReduceStagedPartBytes
                                         ? 1
                                         : kFewest*
                                           odd_times(kFewest* kSize, Bytes);
    /// Bytes of shared memory for a tile of such runs, which begins anywhere in a word. A unit more
    /// is read.
    static constexpr int bytes_of_tile(int run) {
        return divide_up(run * kWarpLanes * kSize + 2 * kWideBytes, kLineBytes) * kLineBytes;
    }
    static constexpr int kMostWarps = tuning::kReduceStagedThreads / kWarpLanes;
    /// Whether two tiles of each warp fit a block of so many.
    static constexpr bool fits(int warps, int run) {
        return 2 * warps * bytes_of_tile(run) <= tuning::kReduceStagedSharedBytes;
    }
    /// Those of its run: an odd number of times as many, or twice.
    static constexpr int kRun = [] {
        constexpr int kUnits = kTogether < kFewest ? kFewest : kTogether;
        const int run = kUnits * odd_times(kUnits * kSize, tuning::kReduceStagedRunBytes);
        const bool twice = 2 * run * kSize <= Bytes + kWideBytes && fits(kMostWarps, 2 * run);
        return twice ? 2 * run : run;
    }();
    static constexpr int kElements = kRun * kWarpLanes, kTileBytes = kElements * kSize;
    /// Runs are an odd number of units of so many bytes apart, or of words of 16, which are
    /// swizzled.
    static constexpr int kUnit = greatest_common_divisor(kRun * kSize, kWideBytes);
    static constexpr BankSwizzle kSwizzleOfRuns = BankSwizzle::for_stride(kUnit, kRun* kSize);
    using Swizzle = FixedSwizzle<kSwizzleOfRuns.shift, kSwizzleOfRuns.mask>;
    static constexpr int kBytes = bytes_of_tile(kRun);

    /// Bytes of shared memory for all lanes' results of so many tiles, a power of two.
    template <int Rows>
    static constexpr int bytes_of_rows() {
        if constexpr (Rows == 1 || !kInOrder) {
            return 0;
        } else {
            return divide_up<int>(sizeof(LaneRuns<Result, Rows>), kLineBytes) * kLineBytes;
        }
    }
    /// Of how many tiles they are combined together.
    static constexpr int rows_beside(int warps, int stages) {
        const int left = tuning::kReduceStagedMostSharedBytes / warps - stages * kBytes;
        if (!kInOrder) return 1;
        return left >= bytes_of_rows<4>() ? 4 : left >= bytes_of_rows<2>() ? 2 : 1;
    }
    /// Warps of a block: half of the most, if two tiles of each of these do not fit; fewer than
    /// these as well, where more results of many parts then are combined together.
    static constexpr int kWarps = [] {
        if (!fits(kMostWarps, kRun)) return kMostWarps / 2;
        int best = kMostWarps;
        if constexpr (kInOrder) {
            for (int warps = best - 1; warps >= tuning::reduce_staged_least_warps(kParts<Result>);
                 --warps) {
                if (rows_beside(warps, 2) > rows_beside(best, 2)) best = warps;
            }
        }
        return best;
    }();
    static constexpr int kThreads = kWarps * kWarpLanes;
    /// Tiles of a warp there: three, if these fit, and leave as much room for results as two.
    static constexpr int kStages = [] {
        const int fit = tuning::kReduceStagedSharedBytes / (kWarps * kBytes);
        return fit < 3 ? fit : rows_beside(kWarps, 2) > rows_beside(kWarps, 3) ? 2 : 3;
    }();
    static constexpr int kRows = rows_beside(kWarps, kStages);
    static constexpr int kWarpBytes = kStages * kBytes + bytes_of_rows<kRows>();
    static constexpr bool kFits = kStages >= 2;
};

/// Those of a reduction.
template <class T, class Result, class Operation>
using ReduceRuns =
    StagedRuns<T, tuning::kReduceStagedRunBytes,
               std::conditional_t<is_commutative<Operation, Result>::value, void, Result>>;

/// Whether words of 16 bytes are whole elements, if these lie at multiples of their size.
template <class T>
inline constexpr bool kFillsWords = is_power_of_two(sizeof(T)) && sizeof(T) <= kWideBytes;

/// Whether elements are reduced so: no word of 16 bytes is whole ones, or none at this address.
template <class T>
bool is_reduced_staged(const T* input) {
    return StagedRuns<T>::kFits && !(kFillsWords<T> && is_aligned(input, sizeof(T)));
}

/// The tiles of a range, on their way through a warp's part of shared memory.
template <class T, class Runs>
class StagedTiles {
    static_assert(Runs::kTileBytes % kWideBytes == 0, "all tiles begin alike");

public:
    /// @param input  what may be read, of which the range is a part
    WIDELOAD_DEVICE StagedTiles(const ReduceInput<T>& input, const T* first, std::size_t count,
                                char* staged)
        : words_(ReachedWordsInside::of(input.elements, input.words)),
          begin_(reinterpret_cast<const char*>(first)),
          end_(begin_ + count * sizeof(T)),
          staged_(staged),
          lane_(threadIdx.x % kWarpLanes) {}

    /// Calls `take(tile, stage)` for each of the tiles from `tile` to `behind` - 1, while those
    /// after it are under way.
    template <class Take>
    WIDELOAD_DEVICE void for_each(std::size_t tile, std::size_t behind, const Take& take) const {
        constexpr int kStages = Runs::kStages;
#pragma unroll
        for (int i = 0; i + 1 < kStages; ++i) fetch(tile + i, tile + i < behind, i);
        for (int stage = 0; tile < behind; ++tile) {
            const std::size_t next = tile + kStages - 1;
            fetch(next, next < behind, stage == 0 ? kStages - 1 : stage - 1);
            async_wait<kStages - 1>();
            __syncwarp();
            take(tile, stage);
            __syncwarp();
            stage = stage + 1 == kStages ? 0 : stage + 1;
        }
    }

    /// `Values` from element `element` of a tile on.
    template <class Values>
    WIDELOAD_DEVICE Values get(int stage, int element) const {
        constexpr typename Runs::Swizzle kSwizzle{};
        const unsigned slip =
            static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(begin_) % kWideBytes);
        return get_by_units<Values, Runs::kUnit>(
            staged_ + stage * Runs::kBytes, slip + static_cast<unsigned>(element) * Runs::kSize,
            kSwizzle);
    }

private:
    /// Asks for tile number `tile`, if it exists.
    WIDELOAD_DEVICE void fetch(std::size_t tile, bool exists, int stage) const {
        constexpr typename Runs::Swizzle kSwizzle{};
        if (exists) {
            const char* const first = begin_ + tile * Runs::kTileBytes;
            const std::size_t left = static_cast<std::size_t>(end_ - first);
            const SlippedRange<false, const char> range(
                first, left < Runs::kTileBytes ? static_cast<unsigned>(left) : Runs::kTileBytes);
            char* const place = staged_ + stage * Runs::kBytes;
            if (left >= Runs::kTileBytes && words_.hold(range)) {
                fetch_words<Runs::kBytes, Runs::kTileBytes>(range, place, lane_, kSwizzle,
                                                            [](unsigned) { return true; });
            } else {
                fetch_words_inside<Runs::kBytes, Runs::kTileBytes>(range, place, lane_, kSwizzle,
                                                                   words_);
            }
        }
        async_commit();  // an empty group too: waiting counts groups
    }

    ReachedWordsInside words_;
    const char *begin_, *end_;
    char* staged_;
    unsigned lane_;
};

/// What a lane combines of its run in a tile of `left` elements. Only one lane's run may end early,
/// and leaves behind its last element: asked for each, by all lanes, whether it is there, a tile
/// took up to 1.5 µs more, and nearly every range has one.
template <class Result, class T, class Runs, class Operation>
WIDELOAD_DEVICE Accumulator<Result, Operation> combine_staged_run(const StagedTiles<T, Runs>& tiles,
                                                                  int stage, int left,
                                                                  Operation& operation) {
    const int first = static_cast<int>(threadIdx.x % kWarpLanes) * Runs::kRun;
    Accumulator<Result, Operation> own;
#pragma unroll
    for (int i = 0; i < Runs::kRun; i += Runs::kTogether) {
        const int behind = left - first - i;
        if (behind <= 0) break;
        const auto some = tiles.template get<vec<T, Runs::kTogether>>(stage, first + i);
        if (behind >= Runs::kTogether) {
#pragma unroll
            for (int k = 0; k < Runs::kTogether; ++k)
                own.add(static_cast<Result>(some[k]), operation);
        } else {
#pragma unroll
            for (int k = 0; k < Runs::kTogether; ++k) {
                if (k >= behind) break;
                own.add(static_cast<Result>(some[k]), operation);
            }
        }
    }
    return own;
}

/// A total of results in order, lane 0's, in shared memory, where registers are wanted for others.
template <class Result>
class SharedTotal {
public:
    explicit WIDELOAD_DEVICE SharedTotal(SharedValue<Result>& place) : place_(place) {}
    template <class Operation>
    WIDELOAD_DEVICE void add(const Result& result, Operation& operation) {
        if (threadIdx.x % kWarpLanes == 0)
            place_.put(any_ ? static_cast<Result>(operation(place_.get(), result)) : result);
        any_ = true;
    }
    WIDELOAD_DEVICE Result value() const {
        Result value;
        if (any_ && threadIdx.x % kWarpLanes == 0) value = place_.get();
        return value;
    }

private:
    SharedValue<Result>& place_;
    bool any_ = false;
};
/// In registers.
template <class Result, class Operation>
class HeldTotal : public Accumulator<Result, Operation> {
public:
    explicit WIDELOAD_DEVICE HeldTotal(SharedValue<Result>&) {}
};
template <class Result, class Operation>
using StagedTotal = std::conditional_t<(kParts<Result> > tuning::kReduceStagedHeldParts),
                                       SharedTotal<Result>, HeldTotal<Result, Operation>>;

/// What a warp combines of its tiles in order, lane 0's. Whole tiles' results are combined over
/// lanes together, of as many as there is room for.
template <class Result, class Runs, class Operation>
class TilesInOrder {
    static constexpr int kRows = Runs::kRows;

public:
    /// Of the tiles from `first` to `behind` - 1, of which the last may be no whole one.
    /// @param whole   so many tiles are whole ones, of all
    /// @param staged  the warp's shared memory
    /// @param total   likewise
    WIDELOAD_DEVICE TilesInOrder(std::size_t first, std::size_t behind, std::size_t whole,
                                 char* staged, SharedValue<Result>& total)
        : runs_(*reinterpret_cast<LaneRuns<Result, kRows>*>(staged + Runs::kStages * Runs::kBytes)),
          total_(total),
          lane_(threadIdx.x % kWarpLanes) {
        const std::size_t last = behind < whole ? behind : whole;
        alone_ = kRows > 1 && first < last ? last - (last - first) % kRows : first;
    }
    /// What the first `valid` lanes combined of a tile.
    WIDELOAD_DEVICE void add(std::size_t tile, const Result& own, int valid, Operation& operation) {
        if (tile >= alone_) {
            const Result all = warp::reduce(own, operation, lane_, valid);
            if (lane_ == 0) total_.add(all, operation);  // others may have none
            return;
        }
        if constexpr (kRows > 1) {
            runs_.put(row_ * kWarpLanes + lane_, own);
            if (++row_ < kRows) return;
            row_ = 0;
            __syncwarp();
            total_.add(warp::reduce(runs_.combine(lane_, operation), operation), operation);
        }
    }
    WIDELOAD_DEVICE Result total() const { return total_.value(); }

private:
    LaneRuns<Result, kRows>& runs_;
    StagedTotal<Result, Operation> total_;
    int lane_, row_ = 0;
    std::size_t alone_;
};

/// How many of `count` elements are in a tile that has some.
template <class Runs>
WIDELOAD_DEVICE int elements_of_tile(std::size_t count, std::size_t tile) {
    const std::size_t left = count - tile * Runs::kElements;
    return left < Runs::kElements ? static_cast<int>(left) : Runs::kElements;
}

/// What a warp combines of the tiles from `first` to `behind` - 1 of `count` elements; lane 0 holds
/// the result. Lanes combine theirs of all tiles first if the operation commutes, else those of
/// each, or of some together.
///
/// @param staged  the warp's shared memory
/// @param total   likewise, for the result
template <class Result, class T, class Runs, class Operation>
WIDELOAD_DEVICE Result reduce_staged_tiles(const StagedTiles<T, Runs>& tiles, std::size_t count,
                                           std::size_t first, std::size_t behind, char* staged,
                                           SharedValue<Result>& total, Operation& operation) {
    if constexpr (Runs::kInOrder) {
        TilesInOrder<Result, Runs, Operation> in_order(first, behind, count / Runs::kElements,
                                                       staged, total);
        tiles.for_each(first, behind, [&](std::size_t tile, int stage) {
            const int here = elements_of_tile<Runs>(count, tile);
            const auto own = combine_staged_run<Result>(tiles, stage, here, operation);
            in_order.add(tile, own.value(), divide_up(here, Runs::kRun), operation);
        });
        return in_order.total();
    } else {
        Accumulator<Result, Operation> own;
        int busy = 0;  // lanes that have a value
        tiles.for_each(first, behind, [&](std::size_t tile, int stage) {
            const int here = elements_of_tile<Runs>(count, tile);
            own.add(combine_staged_run<Result>(tiles, stage, here, operation), operation);
            const int valid = divide_up(here, Runs::kRun);
            if (busy < valid) busy = valid;
        });
        return warp::reduce(own.value(), operation, threadIdx.x % kWarpLanes, busy);
    }
}

/// What a block combines of its run of tiles, dealt to its warps in turn; thread 0 holds the
/// result.
///
/// @param runs  of tiles, one for each block
template <class Result, class T, class Operation>
WIDELOAD_DEVICE Result reduce_staged_share(
    const ReduceInput<T>& input, const TileRuns& runs, Operation& operation,
    block::reduce_storage<Result, ReduceRuns<T, Result, Operation>::kThreads>& shared) {
    using Runs = ReduceRuns<T, Result, Operation>;
    __shared__ uint4 words[Runs::kWarps * Runs::kWarpBytes / kWideBytes];
    const int warp = threadIdx.x / kWarpLanes;
    char* const staged = reinterpret_cast<char*>(words) + warp * Runs::kWarpBytes;
    const std::size_t first = runs.begin(blockIdx.x), behind = runs.begin(blockIdx.x + 1);
    const TileRuns of_warps(behind - first, Runs::kWarps);
    const StagedTiles<T, Runs> tiles(input, input.elements, input.words, staged);
    const Result own = reduce_staged_tiles<Result>(tiles, input.words, first + of_warps.begin(warp),
                                                   first + of_warps.begin(warp + 1), staged,
                                                   shared.values[warp], operation);
    return block::reduce_warps<Runs::kThreads>(own, operation, shared, threadIdx.x,
                                               static_cast<int>(of_warps.busy()));
}

/// Of mailboxes, for which threads have registers that go through shared memory, if of their blocks
/// four are to fit a multiprocessor.
inline constexpr int kStagedMailboxWords = 32;

/// All of a reduction of elements that no words of 16 bytes are whole ones of, or that begin
/// anywhere; see ReducePlan. Its words are elements.
///
/// @param overlap  as of `reduce_in_order_kernel`
template <class T, class Result, class Operation>
__global__ void __launch_bounds__(ReduceRuns<T, Result, Operation>::kThreads,
                                  tuning::kReduceStagedBlocks)
    reduce_staged_kernel(const __grid_constant__ ReducePlan<T, Result> plan,
                         const __grid_constant__ TileRuns runs, bool overlap, Operation operation) {
    if (overlap) release_next_kernel();
    constexpr int kThreads = ReduceRuns<T, Result, Operation>::kThreads;
    __shared__ combine_storage<kThreads, true, Result> shared;
    __shared__ bool started_last;
    prefetch_input(plan.input.elements, plan.input.words * sizeof(T));
    await_last_kernel();
    const bool counts = gridDim.x > 1 && threadIdx.x == 0;
    unsigned started_before = 0;
    if (counts) started_before = count_start(plan.started);
    const Result partial =
        reduce_staged_share<Result>(plan.input, runs, operation, shared.in_order);
    if (counts) started_last = started_before == gridDim.x - 1;
    combine_blocks<true, kThreads, kStagedMailboxWords>(plan, partial, started_last, operation,
                                                        shared);
}

/// The same of `reduce_atomic`.
template <class T, class Result, class Operation>
__global__ void __launch_bounds__(ReduceRuns<T, Result, Operation>::kThreads,
                                  tuning::kReduceStagedBlocks)
    reduce_staged_atomic_kernel(const __grid_constant__ ReduceInput<T> input,
                                const __grid_constant__ TileRuns runs, bool overlap, Result* output,
                                Operation operation) {
    if (overlap) release_next_kernel();
    __shared__ block::reduce_storage<Result, ReduceRuns<T, Result, Operation>::kThreads> shared;
    prefetch_input(input.elements, input.words * sizeof(T));
    await_last_kernel();
    const Result partial = reduce_staged_share<Result>(input, runs, operation, shared);
    if (threadIdx.x == 0) atomic_combine(output, partial, operation);
}

}  // namespace wideload::WIDELOAD_DETAIL

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/device/kernel/matrix_reduce_kernel.cuh>
#include <wideload/device/kernel/staged_value.cuh>
#include <wideload/device/kernel/staged_words.cuh>
#include <wideload/thread/vec.cuh>
#include <wideload/tuning/reduce_tuning.cuh>

namespace wideload::WIDELOAD_DETAIL {

/// The alignment that kernels are told of elements which go through shared memory.
inline constexpr int kStaged = 0;

/// How a warp brings parts of rows through shared memory, of elements of any size from any address
/// on: each part as the range of bytes that it is, by words of 16 bytes, some parts being under way
/// while others are worked on. A lane has the same few columns of each.
template <class T>
struct ColumnRuns {
    static constexpr int kSize = static_cast<int>(sizeof(T));
    /// Columns of a lane: the fewest, a power of two, that are whole words of 4 bytes, and 12
    /// bytes.
    static constexpr int kRun = [] {
        int run = 4 / greatest_common_divisor(kSize, 4);
        while (run * kSize < tuning::kReduceColumnsRunBytes) run *= 2;
        return run;
    }();
    static constexpr int kRunBytes = kRun * kSize, kElements = kRun * kWarpLanes;
    /// Runs are an odd number of units of so many bytes apart, so that lanes meet in no bank.
    static constexpr int kUnit = greatest_common_divisor(kRunBytes, kWideBytes);
    /// Bytes of shared memory for a part, which begins anywhere in a word. A unit more is read.
    static constexpr int kBytes = kRunBytes * kWarpLanes + 2 * kWideBytes;
    /// Parts that are asked for and worked on together, and a warp's shared memory.
    static constexpr int kGroup = kBytes <= tuning::kReduceColumnsFourPartsBytes ? 4 : 2;
    static constexpr int kGroupBytes = kGroup * kBytes, kWarpBytes = 2 * kGroupBytes;
};

/// Whether columns of such elements can go so: a lane's results fit registers, a block's parts its
/// shared memory.
template <class T, class Result>
inline constexpr bool kColumnsFitStaged =
    ColumnRuns<T>::kRun <= 8 && ColumnRuns<T>::kRunBytes <= tuning::kReduceColumnsMostRunBytes &&
    ColumnRuns<T>::kRunBytes % 32 != 0 &&
    ColumnRuns<T>::kRun * sizeof(Result) <= tuning::kReduceColumnsResultBytes;

/// Shared memory that a warp's parts take, of elements of such an alignment.
template <class T, int Alignment>
inline constexpr int kStagedWarpBytes = Alignment == kStaged ? ColumnRuns<T>::kWarpBytes : 0;

/// Parts of a matrix, at equal distances, on their way through a warp's part of shared memory.
template <class T>
class StagedParts {
    using Runs = ColumnRuns<T>;

public:
    /// @param words   what may be read; only the last part may reach out of it
    /// @param step    elements from a part to the next
    /// @param parts   how many there are
    /// @param length  elements of one
    WIDELOAD_DEVICE StagedParts(const ReachedWordsInside& words, const T* first, std::size_t step,
                                std::size_t parts, unsigned length, char* staged)
        : words_(words),
          first_(reinterpret_cast<const char*>(first)),
          step_(step * sizeof(T)),
          parts_(parts),
          bytes_(length * Runs::kSize),
          staged_(staged),
          lane_(threadIdx.x % kWarpLanes) {}

    /// Calls `take(part, run)` for each part with the lane's run of it, while others are under way.
    template <class Take>
    WIDELOAD_DEVICE void for_each(const Take& take) const {
        constexpr int kGroup = Runs::kGroup;
        const char *wanted = first_, *taken = first_;
        char *place = staged_, *other = staged_ + Runs::kGroupBytes;
        fetch(wanted, 0, place);
        for (std::size_t part = 0; part < parts_; part += kGroup) {
            wanted += kGroup * step_;
            fetch(wanted, part + kGroup, other);
            async_wait<1>();
            __syncwarp();
            vec<T, Runs::kRun> runs[kGroup];
#pragma unroll
            for (int i = 0; i < kGroup; ++i) {
                runs[i] = get(place + i * Runs::kBytes, taken);
                taken += step_;
            }
#pragma unroll
            for (int i = 0; i < kGroup; ++i)
                if (part + i < parts_) take(part + i, runs[i]);
            __syncwarp();
            char* const free = place;
            place = other;
            other = free;
        }
    }

private:
    /// This lane's run of a part.
    WIDELOAD_DEVICE vec<T, Runs::kRun> get(const char* place, const char* first) const {
        const auto slip =
            static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(first) % kWideBytes);
        return get_by_units<vec<T, Runs::kRun>, Runs::kUnit>(place, slip + lane_ * Runs::kRunBytes,
                                                             NoSwizzle{});
    }

    /// Asks for the group that begins with part number `part`, at `first`, as far as it exists.
    WIDELOAD_DEVICE void fetch(const char* first, std::size_t part, char* place) const {
        constexpr int kGroup = Runs::kGroup;
        const auto reach =
            static_cast<std::ptrdiff_t>((kGroup - 1) * step_ + bytes_ + 2 * kWideBytes);
        if (part + kGroup <= parts_ && first - words_.begin >= kWideBytes &&
            words_.end - first >= reach) {
#pragma unroll
            for (int i = 0; i < kGroup; ++i) {
                fetch_words<Runs::kBytes, 0>(SlippedRange<false, const char>(first, bytes_),
                                             place + i * Runs::kBytes, lane_, NoSwizzle{},
                                             [](unsigned) { return true; });
                first += step_;
            }
        } else {
#pragma unroll 1
            for (int i = 0; i < kGroup && part + i < parts_; ++i) {
                const auto rest = static_cast<std::size_t>(words_.end - first);
                const unsigned bytes = rest < bytes_ ? static_cast<unsigned>(rest) : bytes_;
                fetch_words_inside<Runs::kBytes, 0>(SlippedRange<false, const char>(first, bytes),
                                                    place + i * Runs::kBytes, lane_, NoSwizzle{},
                                                    words_);
                first += step_;
            }
        }
        async_commit();  // an empty group too: waiting counts groups
    }

    ReachedWordsInside words_;
    const char* first_;
    std::size_t step_, parts_;
    unsigned bytes_;
    char* staged_;
    unsigned lane_;
};

/// Adds the columns of a lane's run, the first `left` at most. That is not bounded by 0 and `Run`:
/// ptxas 13.0 was seen to take 1 of 2 for 2 where it had been (VIMNMX.RELU with one predicate for
/// two answers).
template <int Run, class T, class Result, class Operation>
WIDELOAD_DEVICE void add_run(const vec<T, Run>& run, int left,
                             Accumulator<Result, Operation> (&accumulators)[Run],
                             Operation& operation) {
    if (left >= Run) {
#pragma unroll
        for (int k = 0; k < Run; ++k) accumulators[k].add(static_cast<Result>(run[k]), operation);
    } else {
#pragma unroll
        for (int k = 0; k < Run; ++k)
            if (k < left) accumulators[k].add(static_cast<Result>(run[k]), operation);
    }
}

/// Adds the rows of a warp, `rows` of them `step` elements apart, of which `columns` elements from
/// `first` on are its own, if there are so many.
///
/// @param staged  the warp's shared memory
template <class T, class Result, class Operation, int Run>
WIDELOAD_DEVICE void accumulate_staged_rows(const MatrixReducePlan<T, Result>& plan, const T* first,
                                            std::size_t step, std::size_t rows, std::size_t columns,
                                            char* staged,
                                            Accumulator<Result, Operation> (&accumulators)[Run],
                                            Operation& operation) {
    constexpr std::size_t kElements = ColumnRuns<T>::kElements;
    const auto length = static_cast<unsigned>(columns < kElements ? columns : kElements);
    const int left = static_cast<int>(length) - static_cast<int>(threadIdx.x % kWarpLanes) * Run;
    const StagedParts<T> parts(ReachedWordsInside::of(plan.input, plan.rows * plan.columns), first,
                               step, rows, length, staged);
    parts.for_each(
        [&](std::size_t, const vec<T, Run>& run) { add_run(run, left, accumulators, operation); });
}

}  // namespace wideload::WIDELOAD_DETAIL

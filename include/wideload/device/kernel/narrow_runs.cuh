// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/device/kernel/transpose_small_kernel.cuh>

namespace wideload::WIDELOAD_DETAIL {

/// A matrix with few rows or few columns as a run of bytes for each of them.
struct NarrowRunsShape {
    unsigned count;
    unsigned element;   ///< bytes
    unsigned staged;    ///< bytes from run to run in shared memory, whole words of 16
    std::size_t pitch;  ///< bytes from run to run in memory
    fast_divide words;  ///< of 16 bytes, from run to run in shared memory
};

/// A piece's runs.
///
/// @tparam Aligned  all begin at multiples of 16 and are whole words
/// @tparam Byte     const where they are read
template <bool Aligned, class Byte>
class NarrowRuns {
public:
    WIDELOAD_DEVICE NarrowRuns(const NarrowRunsShape& shape, Byte* first, unsigned bytes)
        : shape_(shape), first_(first), bytes_(bytes) {}

    WIDELOAD_DEVICE SlippedRange<Aligned, Byte> range(unsigned run) const {
        return {first_ + run * shape_.pitch, bytes_};
    }
    /// How far a run is slipped: what `range(run).begin()` is, from less.
    WIDELOAD_DEVICE unsigned slip(unsigned run) const {
        return Aligned
                   ? 0
                   : (range(0).begin() + run * static_cast<unsigned>(shape_.pitch)) % kWideBytes;
    }

    /// Words of 16 bytes of all runs in shared memory.
    WIDELOAD_DEVICE unsigned words() const { return shape_.count * shape_.words.divisor(); }
    /// The run that a word of shared memory is of and its place from that run's on, if there is
    /// such a run.
    WIDELOAD_DEVICE bool find(unsigned word, unsigned* run, unsigned* place) const {
        *place = shape_.words.remainder(word, run) * kWideBytes;
        return *run < shape_.count;
    }

    /// Calls `move(place, range, from)` for each unit, at place `from` of a run's range and at
    /// `place` of shared memory, of the words that a run begins or ends within: a warp for those of
    /// up to four runs, which lie in different banks, since runs begin 32 bytes further into a line
    /// each; of one, where a swizzle moves sectors.
    template <int Unit, bool OneByOne, class Move>
    WIDELOAD_DEVICE void for_edges(Move move) const {
        constexpr unsigned kLanes = kWideBytes / Unit;
        constexpr unsigned kTogether = OneByOne                   ? 1
                                       : 4 * kLanes <= kWarpLanes ? 4
                                                                  : kWarpLanes / kLanes;
        const unsigned lane = threadIdx.x % kWarpLanes, unit = lane % kLanes * Unit;
        const unsigned edges = divide_up(shape_.count, kTogether) * 2;
        for (unsigned edge = threadIdx.x / kWarpLanes; edge < edges;
             edge += blockDim.x / kWarpLanes) {
            const unsigned run = edge / 2 * kTogether + lane / kLanes;
            if (lane >= kTogether * kLanes || run >= shape_.count) continue;
            const auto own = range(run);
            unsigned place;
            if (own.has_edge_unit(edge % 2, unit, &place))
                move(run * shape_.staged + place, own, place);
        }
    }

private:
    const NarrowRunsShape& shape_;
    Byte* first_;
    unsigned bytes_;
};

/// To shared memory, as `stage_range` does a range.
template <int Unit, class Policy, bool Aligned, class Swizzle, class Words>
WIDELOAD_DEVICE void stage_runs(const NarrowRuns<Aligned, const char>& runs, char* staged,
                                const Swizzle& swizzle, const Words& words) {
    constexpr int kBatch = Words::kBatch;
    for (unsigned word = threadIdx.x; word < runs.words(); word += kBatch * blockDim.x) {
        uint4 held[kBatch];
        bool whole[kBatch];
#pragma unroll
        for (int i = 0; i < kBatch; ++i) {
            unsigned run, place;
            const bool found = runs.find(word + i * blockDim.x, &run, &place);
            const auto own = runs.range(run);
            const char* const address = own.at(place);
            whole[i] = found && words.takes(own, place);
            if (whole[i]) held[i] = access<Policy>::template load<kWideBytes>(address);
        }
#pragma unroll
        for (int i = 0; i < kBatch; ++i) {
            if (whole[i]) put_word(staged, (word + i * blockDim.x) * kWideBytes, held[i], swizzle);
        }
    }
    if constexpr (!Aligned && Words::kLeaves) {
        runs.template for_edges<Unit, Swizzle::kMovesSectors>(
            [&](unsigned place, const auto& own, unsigned from) {
                if (!words.leaves(own, from)) return;
                *reinterpret_cast<access_word_t<Unit>*>(staged + swizzle.place(place)) =
                    access<Policy>::template load<Unit>(own.at(from));
            });
    }
}

/// And back.
template <int Unit, class Policy, bool Aligned, class Swizzle>
WIDELOAD_DEVICE void drain_runs(const NarrowRuns<Aligned, char>& runs, const char* staged,
                                const Swizzle& swizzle) {
#pragma unroll 4
    for (unsigned word = threadIdx.x; word < runs.words(); word += blockDim.x) {
        unsigned run, place;
        if (!runs.find(word, &run, &place)) continue;
        const auto own = runs.range(run);
        if (own.has_word(place))
            access<Policy>::template store<kWideBytes>(
                own.at(place), get_word(staged, word * kWideBytes, swizzle));
    }
    if constexpr (!Aligned) {
        runs.template for_edges<Unit, Swizzle::kMovesSectors>(
            [&](unsigned place, const auto& own, unsigned to) {
                access<Policy>::template store<Unit>(
                    own.at(to),
                    *reinterpret_cast<const access_word_t<Unit>*>(staged + swizzle.place(place)));
            });
    }
}

/// The same where a run lies as many bytes nearer in shared memory as it begins behind a multiple
/// of 4 in memory.
template <int Unit, class Policy>
WIDELOAD_DEVICE void drain_shifted_runs(const NarrowRuns<false, char>& runs, const char* staged) {
    const auto late = [](const auto& range) { return range.begin() % 4; };
    const unsigned lane = threadIdx.x % kWarpLanes;
#pragma unroll 2
    for (unsigned word = threadIdx.x; word - lane < runs.words(); word += blockDim.x) {
        unsigned run, place;
        const bool found = runs.find(word, &run, &place);
        const auto own = runs.range(run);
        uint4 held{};
        std::uint32_t before = 0;
        if (found) held = get_word(staged, word * kWideBytes, NoSwizzle{});
        if (lane == 0 && place != 0)
            before = *reinterpret_cast<const std::uint32_t*>(staged + word * kWideBytes - 4);
        const std::uint32_t last = __shfl_up_sync(kFullWarp, held.w, 1);
        if (lane != 0) before = last;
        const unsigned bits = (4 - late(own)) * 8;
        held = {__funnelshift_rc(before, held.x, bits), __funnelshift_rc(held.x, held.y, bits),
                __funnelshift_rc(held.y, held.z, bits), __funnelshift_rc(held.z, held.w, bits)};
        if (found && own.has_word(place))
            access<Policy>::template store<kWideBytes>(own.at(place), held);
    }
    runs.template for_edges<Unit, false>([&](unsigned place, const auto& own, unsigned to) {
        access<Policy>::template store<Unit>(
            own.at(to), *reinterpret_cast<const access_word_t<Unit>*>(staged + place - late(own)));
    });
}

}  // namespace wideload::WIDELOAD_DETAIL

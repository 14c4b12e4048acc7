// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/thread/cache_policy.cuh>

#include <cstddef>

namespace wideload::tuning {

/// Threads of a block of `transform`; from which size of the output on, from which size of a lane's
/// elements on, and from how many words of them on, in how many bytes at most, smaller blocks are
/// faster. Measured by bench/library/copy_tuning.cu and transform_bench.cu;
/// see bench/library/NOTES.md.
inline constexpr int kTransformThreads = 256;
inline constexpr int kTransformSmallerThreads = 128;
inline constexpr std::size_t kTransformLargeBytes = std::size_t{256} << 20;
inline constexpr int kTransformWideLaneBytes = 80;
inline constexpr int kTransformManyWords = 7;
constexpr bool transform_words_are_many(int words, std::size_t bytes) {
    return words >= 9 || (words >= kTransformManyWords && bytes < std::size_t{3} << 20);
}
/// Structs of up to so many words of 1, 2, 4 or 8 bytes, an odd number, go by narrow accesses;
/// where they are many, in outputs of up to so many bytes.
inline constexpr int kTransformNarrowWords = 9;
inline constexpr std::size_t kTransformNarrowBytes = std::size_t{20} << 20;

/// Warps take two tiles where a lane loads less than 8 bytes of an input, in outputs of more bytes
/// than the first and no more than the second.
inline constexpr std::size_t kTransformPairedFrom = std::size_t{2} << 20;
inline constexpr std::size_t kTransformPairedBytes = std::size_t{24} << 20;

/// Elements that lanes cannot take as words go by way of shared memory, in outputs of more bytes
/// than this.
inline constexpr std::size_t kTransformUnstagedBytes = 4 << 10;

/// What lanes do with the words of a transform.
enum class TransformCut {
    aligned,         ///< all streams' elements begin at words
    shifted_input,   ///< an input's begin at none where the output's do
    shifted_output,  ///< the output's begin at none
};

/// A transform whose elements lanes can take as words.
struct TransformWork {
    TransformCut cut;
    bool one_input;
    int words;          ///< of a lane, of the widest stream
    int word_bytes;     ///< of these: 16 in all cuts but the aligned
    int element_bytes;  ///< of that stream
    bool at_units;      ///< whether all streams begin at multiples of 4 bytes
    std::size_t bytes;  ///< of the output
};

/// Whether the work is faster by way of shared memory. A lane with many words has them change lanes
/// by many shuffles, warps are few, and elements beside the words move one by one, at odd addresses
/// byte by byte. Measured by bench/library/transform_staged_bench.cu.
constexpr bool transform_is_staged(const TransformWork& work) {
    constexpr std::size_t kKiB = 1 << 10, kMiB = kKiB << 10;
    const int words = work.words;
    const bool some = work.bytes > 512 * kKiB, much = work.bytes > 2 * kMiB;
    if (words >= 17 || (words == 6 && work.word_bytes == 16)) return true;
    if (work.cut == TransformCut::aligned) {
        if (work.word_bytes < 16) return words >= 13 && much;
        return work.one_input && words >= 8 && work.bytes > 6 * kMiB &&
               (words > 8 || work.bytes < 40 * kMiB);
    }
    const bool shifts_output = work.cut == TransformCut::shifted_output;
    if (!work.one_input) {
        return words >= 8 || (words == 7 && some) ||
               (shifts_output && ((words == 5 && some) || (words == 4 && !much && !work.at_units)));
    }
    if (!shifts_output) {
        return words >= 8 ||
               (words == 7 && work.element_bytes >= 14 && some && work.bytes < 20 * kMiB);
    }
    if (words >= 7) return true;
    if (words == 5 && work.at_units) return much && work.bytes < 10 * kMiB;
    if (words == 5) return some || work.element_bytes > 64;
    if (words == 4) return !work.at_units || (much && work.bytes < 40 * kMiB);
    return words == 3 && work.element_bytes == 12 && some && !work.at_units;
}

/// Whether it is whatever the number of elements and their addresses.
constexpr bool transform_is_always_staged(TransformWork work) {
    for (const bool at_units : {false, true}) {
        work.at_units = at_units;
        for (work.bytes = 1; work.bytes <= std::size_t{1} << 40; work.bytes *= 2) {
            if (!transform_is_staged(work)) return false;
        }
    }
    return true;
}

/// Elements and threads of a block there.
struct TransformStagedBlock {
    int elements, threads;
};
/// Outputs of more bytes than this have large ones, if an element of all streams has `bytes`.
constexpr std::size_t transform_large_staged_from(std::size_t bytes) {
    return std::size_t{bytes < 216 ? 2u : 6u} << 20;
}

/// Small ones are so many that they find all multiprocessors, 6 KiB of all streams each; of large
/// ones a thread has an element or two, and some 60 bytes.
///
/// @param streams  the output and the inputs
/// @param bytes    of an element of each
/// @param least    elements of which a block must have whole times
constexpr TransformStagedBlock transform_staged_block(bool large, int streams, int bytes,
                                                      int least) {
    constexpr int kTurn = 128;
    const auto fill = [&](int elements, int block_bytes) {
        const int times = block_bytes / (elements * bytes);
        return elements * (times > 1 ? times : 1);
    };
    const bool one_input = streams <= 2;
    const int many = kTurn * (one_input ? 90 : 150);
    const int few = fill(least, 6 << 10);
    const TransformStagedBlock small{few, few * bytes < many ? 128 : 256};
    if (!large) return small;
    const int most = fill(kTurn, one_input ? 132 * kTurn : 10 << 10);
    const int elements = most < 3 * kTurn ? most : 3 * kTurn;
    const int filled = elements * bytes;
    if (elements < few || filled > (44 << 10)) return small;
    if (elements == kTurn || !one_input) return {elements, filled < many ? 128 : 256};
    return {elements, elements < 3 * kTurn   ? 256
                      : filled < 68 * kTurn  ? 128
                      : filled < 100 * kTurn ? 192
                                             : 256};
}

using TransformLoadPolicy = cached;
using TransformStorePolicy = cached;

}  // namespace wideload::tuning

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/support/config.cuh>
#include <wideload/support/integer.cuh>

#include <cstring>

namespace wideload::WIDELOAD_DETAIL {

/// How blocks' results travel: every 4 bytes in a 64-bit word of their own beside a mark that they
/// are there. Such words are read and written whole, so neither a fence nor an atomic operation
/// stands between the blocks. Source: the flagged values of D. Merrill, M. Garland, "Single-pass
/// parallel prefix scan with decoupled look-back", 2016.
///
/// Every block of the grid has a mailbox. Longer ones than a sector lie apart: the first words of
/// all come first, then the next ones, so that lanes that read neighbouring mailboxes read
/// neighbouring words.
template <class Result>
class Mailboxes {
    static constexpr int kPayload = static_cast<int>((sizeof(Result) + 3) / 4);

public:
    /// Of one mailbox. Several are read and written two at a time.
    static constexpr int kWords = kPayload == 1 ? 1 : divide_up(kPayload, 2) * 2;

    WIDELOAD_DEVICE explicit Mailboxes(unsigned long long* words) : words_(words) {}

    /// Of this block.
    WIDELOAD_DEVICE void send(const Result& result) const {
        std::uint32_t payload[kWords] = {};
        std::memcpy(payload, &result, sizeof(Result));
        unsigned long long words[kWords];
#pragma unroll
        for (int i = 0; i < kWords; ++i) words[i] = kFull | payload[i];
        write(blockIdx.x, words);
    }

    /// Waits for the results in the first `valid` of `Count` mailboxes, which are `Step` apart from
    /// `first` on, and leaves them empty. The whole warp calls, and its lanes wait for each other:
    /// those that went on alone were seen to take 0.2 µs more.
    ///
    /// @param results  unspecified behind the valid ones
    template <int Count, int Step>
    WIDELOAD_DEVICE void receive(int first, int valid, Result (&results)[Count]) const {
        unsigned long long found[Count][kWords] = {};
        const int wanted = (valid < Count ? valid : Count) * kWords;
        int full;
        do {
            full = 0;
#pragma unroll
            for (int i = 0; i < Count; ++i) {
                if (i < valid) read(first + i * Step, found[i]);
#pragma unroll
                for (int k = 0; k < kWords; ++k) full += static_cast<int>(found[i][k] >> 32);
            }
        } while (!__all_sync(kFullWarp, full >= wanted));
#pragma unroll
        for (int i = 0; i < Count; ++i) {
            constexpr unsigned long long kEmpty[kWords] = {};
            if (i < valid) write(first + i * Step, kEmpty);
            std::uint32_t payload[kWords];
#pragma unroll
            for (int k = 0; k < kWords; ++k) payload[k] = static_cast<std::uint32_t>(found[i][k]);
            std::memcpy(&results[i], payload, sizeof(Result));
        }
    }

private:
    static constexpr unsigned long long kFull = 1ull << 32;
    /// Words that lie together.
    static constexpr int kTogether = kWords * sizeof(kFull) <= kSectorBytes ? kWords : 2;

    WIDELOAD_DEVICE unsigned long long* at(int which, int word) const {
        const unsigned before = word / kTogether * gridDim.x + which;
        return words_ + (before * kTogether + word % kTogether);
    }
    WIDELOAD_DEVICE void write(int which, const unsigned long long (&words)[kWords]) const {
        if constexpr (kWords == 1) {
            *static_cast<volatile unsigned long long*>(at(which, 0)) = words[0];
        } else {
#pragma unroll
            for (int i = 0; i < kWords; i += 2) {
                asm volatile("st.relaxed.gpu.global.v2.b64 [%0], {%1, %2};" ::"l"(
                                 __cvta_generic_to_global(at(which, i))),
                             "l"(words[i]), "l"(words[i + 1])
                             : "memory");
            }
        }
    }
    WIDELOAD_DEVICE void read(int which, unsigned long long (&words)[kWords]) const {
        if constexpr (kWords == 1) {
            words[0] = *static_cast<const volatile unsigned long long*>(at(which, 0));
        } else {
#pragma unroll
            for (int i = 0; i < kWords; i += 2) {
                asm volatile("ld.relaxed.gpu.global.v2.b64 {%0, %1}, [%2];"
                             : "=l"(words[i]), "=l"(words[i + 1])
                             : "l"(__cvta_generic_to_global(at(which, i)))
                             : "memory");
            }
        }
    }

    unsigned long long* words_;
};

}  // namespace wideload::WIDELOAD_DETAIL

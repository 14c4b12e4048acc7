// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/support/config.cuh>
#include <wideload/support/integer.cuh>

#include <cstring>

namespace wideload::WIDELOAD_DETAIL {

/// How a block's result travels: every 4 bytes in a 64-bit word of their own beside a mark that
/// they are there. Such words are read and written whole, so neither a fence nor an atomic
/// operation stands between the blocks. Source: the flagged values of D. Merrill, M. Garland,
/// "Single-pass parallel prefix scan with decoupled look-back", 2016.
template <class Result>
struct Mailbox {
    static constexpr int kPayload = static_cast<int>((sizeof(Result) + 3) / 4);
    /// Several are read and written two at a time.
    static constexpr int kWords = kPayload == 1 ? 1 : divide_up(kPayload, 2) * 2;
    static constexpr unsigned long long kFull = 1ull << 32;

    static WIDELOAD_DEVICE void send(unsigned long long* mailbox, const Result& result) {
        std::uint32_t payload[kWords] = {};
        std::memcpy(payload, &result, sizeof(Result));
        unsigned long long words[kWords];
#pragma unroll
        for (int i = 0; i < kWords; ++i) words[i] = kFull | payload[i];
        write(mailbox, words);
    }

    /// Waits for the results in the first `valid` of `Count` mailboxes, which are `Step` apart from
    /// `first` on, and leaves them empty. The whole warp calls, and its lanes wait for each other:
    /// those that went on alone were seen to take 0.2 µs more.
    ///
    /// @param results  unspecified behind the valid ones
    template <int Count, int Step>
    static WIDELOAD_DEVICE void receive(unsigned long long* first, int valid,
                                        Result (&results)[Count]) {
        unsigned long long found[Count][kWords] = {};
        const int wanted = (valid < Count ? valid : Count) * kWords;
        int full;
        do {
            full = 0;
#pragma unroll
            for (int i = 0; i < Count; ++i) {
                if (i < valid) read(first + i * Step * kWords, found[i]);
#pragma unroll
                for (int k = 0; k < kWords; ++k) full += static_cast<int>(found[i][k] >> 32);
            }
        } while (!__all_sync(kFullWarp, full >= wanted));
#pragma unroll
        for (int i = 0; i < Count; ++i) {
            constexpr unsigned long long kEmpty[kWords] = {};
            if (i < valid) write(first + i * Step * kWords, kEmpty);
            std::uint32_t payload[kWords];
#pragma unroll
            for (int k = 0; k < kWords; ++k) payload[k] = static_cast<std::uint32_t>(found[i][k]);
            std::memcpy(&results[i], payload, sizeof(Result));
        }
    }

private:
    static WIDELOAD_DEVICE void write(unsigned long long* mailbox,
                                      const unsigned long long (&words)[kWords]) {
        if constexpr (kWords == 1) {
            *static_cast<volatile unsigned long long*>(mailbox) = words[0];
        } else {
#pragma unroll
            for (int i = 0; i < kWords; i += 2) {
                asm volatile("st.relaxed.gpu.global.v2.b64 [%0], {%1, %2};" ::"l"(
                                 __cvta_generic_to_global(mailbox + i)),
                             "l"(words[i]), "l"(words[i + 1])
                             : "memory");
            }
        }
    }
    static WIDELOAD_DEVICE void read(const unsigned long long* mailbox,
                                     unsigned long long (&words)[kWords]) {
        if constexpr (kWords == 1) {
            words[0] = *static_cast<const volatile unsigned long long*>(mailbox);
        } else {
#pragma unroll
            for (int i = 0; i < kWords; i += 2) {
                asm volatile("ld.relaxed.gpu.global.v2.b64 {%0, %1}, [%2];"
                             : "=l"(words[i]), "=l"(words[i + 1])
                             : "l"(__cvta_generic_to_global(mailbox + i))
                             : "memory");
            }
        }
    }
};

}  // namespace wideload::WIDELOAD_DETAIL

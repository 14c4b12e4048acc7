// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/block/bulk_copy.cuh>
#include <wideload/block/cp_async.cuh>
#include <wideload/support/integer.cuh>

namespace wideload::block {

/// How the pieces of a pipeline travel.
struct by_thread {
};  ///< every thread copies its own 16 bytes (cp.async; before sm_80 plain copies)
struct by_bulk {};  ///< the copy engine moves the whole piece, completing on an mbarrier (sm_90 on)

/// Brings consecutive pieces of global memory into shared memory ahead of their use: `Stages` of
/// them, so that Stages - 1 are under way while one is worked on.
///
///     __shared__ block::pipeline<4096, 3, 256>::storage shared;
///     block::pipeline<4096, 3, 256> pipeline(shared, threadIdx.x);
///     pipeline.start(data, bytes);
///     for (...) {
///         const char* piece = pipeline.next();   // all threads; waits for the piece
///         ...                                    // read it
///         pipeline.release();                    // all threads; the piece's memory is refilled
///     }
///
/// All threads of a one-dimensional block of `Threads` call each function. The last piece may be
/// shorter; `next` after it returns nullptr. Addresses and sizes are multiples of 16 bytes: what is
/// left of others is read without it. All pieces are to be taken, since those under way land in the
/// block's memory whether they are wanted or not.
///
/// @tparam PieceBytes  a multiple of 16
/// @tparam Way         by_thread or by_bulk
/// Source: CUDA's pipeline primitives; the two ways bear one name here.
template <int PieceBytes, int Stages, int Threads, class Way = by_thread>
class pipeline {
    static_assert(PieceBytes > 0 && PieceBytes % kWideBytes == 0,
                  "block::pipeline: a piece must be a multiple of 16 bytes");
    static_assert(Stages >= 2, "block::pipeline: one stage leaves nothing to overlap");
    static_assert(Threads > 0, "block::pipeline: at least one thread");
    static constexpr bool kBulk = std::is_same_v<Way, by_bulk>;
    static_assert(kBulk || std::is_same_v<Way, by_thread>,
                  "block::pipeline: pieces travel by_thread or by_bulk");
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900
    static_assert(!kBulk, "block::pipeline: by_bulk needs sm_90; use by_thread");
#endif

public:
    struct alignas(128) storage {
        char pieces[Stages][PieceBytes];
        std::uint64_t barriers[kBulk ? Stages : 1];
    };

    WIDELOAD_DEVICE pipeline(storage& shared, int thread) : shared_(shared), thread_(thread) {}

    /// Begins with the `bytes` bytes at `source`; once for a storage, whose barriers it makes: a
    /// second range needs one of its own.
    WIDELOAD_DEVICE void start(const void* source, std::size_t bytes) {
        source_ = static_cast<const char*>(source);
        bytes_ = bytes;
        fetched_ = used_ = 0;
        if constexpr (kBulk) {
            if (thread_ == 0) {
                for (int stage = 0; stage < Stages; ++stage)
                    wideload::detail::barrier_initialise(&shared_.barriers[stage]);
            }
            __syncthreads();
        }
        for (int stage = 0; stage < Stages; ++stage) fetch();
    }

    /// The next piece, complete and visible to all threads; nullptr behind the last.
    WIDELOAD_DEVICE const char* next() {
        if (used_ * PieceBytes >= bytes_) return nullptr;
        const int stage = static_cast<int>(used_ % Stages);
        if constexpr (kBulk) {
            wideload::detail::barrier_wait(&shared_.barriers[stage],
                                           static_cast<unsigned>(used_ / Stages) & 1);
        } else {
            wideload::detail::async_wait<Stages - 1>();
            __syncthreads();
        }
        return shared_.pieces[stage];
    }

    /// The bytes of the piece that `next` returned last.
    WIDELOAD_DEVICE int size() const {
        const std::size_t left = bytes_ - used_ * PieceBytes;
        return left < PieceBytes ? static_cast<int>(left) : PieceBytes;
    }

    /// Done with the piece: its memory may be overwritten.
    WIDELOAD_DEVICE void release() {
        ++used_;
        __syncthreads();
        fetch();
    }

private:
    WIDELOAD_DEVICE void fetch() {
        const std::size_t offset = fetched_ * PieceBytes;
        const int stage = static_cast<int>(fetched_ % Stages);
        const std::size_t left = offset < bytes_ ? bytes_ - offset : 0;
        const int bytes = left < PieceBytes ? static_cast<int>(left) : PieceBytes;
        if constexpr (kBulk) {
            if (thread_ == 0 && bytes != 0) {
                wideload::detail::bulk_copy(shared_.pieces[stage], source_ + offset,
                                            static_cast<unsigned>(bytes), &shared_.barriers[stage]);
            }
        } else {
            for (int byte = thread_ * kWideBytes; byte < bytes; byte += Threads * kWideBytes) {
                wideload::detail::async_copy<kWideBytes>(shared_.pieces[stage] + byte,
                                                         source_ + offset + byte);
            }
            wideload::detail::async_commit();  // an empty group too: waiting counts groups
        }
        ++fetched_;
    }

    storage& shared_;
    int thread_;
    const char* source_ = nullptr;
    std::size_t bytes_ = 0;
    std::size_t fetched_ = 0;
    std::size_t used_ = 0;
};

}  // namespace wideload::block

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "async_copy.cuh"
#include "warp_tile_shape.cuh"

namespace gemm::warp_tile {

/// A thread's share of the copies that fill a block's stages, tile after tile along k.
///
/// A is transposed on the way, which only 4-byte copies can do: a warp copies 8 neighbours of 4
/// rows, 4 whole sectors. B is copied by `Width` floats, 4 where its rows are wide (has_wide_rows),
/// else 1. Rows and columns past the end repeat the last one: what they contribute to is never
/// written, so only k needs exact bounds, and only in the first tile, which takes k % kDepth of it.
template <int Width>
class TileCopies {
    static constexpr int kStepsA = 8;
    static constexpr int kRowsPerPass = kThreads / kStepsA;
    static constexpr int kPassesA = kRows / kRowsPerPass;
    static constexpr int kVectorsB = kColumns / Width;
    static constexpr int kStepsPerPass = kThreads / kVectorsB;
    static constexpr int kPassesB = kDepth / kStepsPerPass;
    static_assert(kThreads % kVectorsB == 0 && kDepth % kStepsPerPass == 0);
    static_assert(kRows % kRowsPerPass == 0 && kDepth % kStepsA == 0);

public:
    /// The copies of a whole tile come in this many parts, to be spread over other work.
    static constexpr int kParts = kPassesA + kPassesB;

    __device__ TileCopies(const MatrixProduct& product, TileOrigin origin, float* stages)
        : row_bytes_(static_cast<unsigned>(product.k) * sizeof(float)), row_floats_b_(product.n) {
        const int thread = static_cast<int>(threadIdx.x);
        step_a_ = thread % kStepsA;
        step_b_ = thread / kVectorsB;
        const int row = thread / kStepsA;
        const int column = thread % kVectorsB * Width;
#pragma unroll
        for (int pass = 0; pass < kPassesA; ++pass) {
            rows_[pass] =
                static_cast<unsigned>(min(origin.row + row + pass * kRowsPerPass, product.m - 1));
        }
        a_ = product.a + step_a_;
        b_ = product.b + static_cast<size_t>(step_b_) * product.n +
             min(origin.column + column, product.n - Width);
        const auto shared = static_cast<unsigned>(__cvta_generic_to_shared(stages));
        stages_a_ = shared + bytes(step_a_ * kPitchA + row);
        stages_b_ = shared + bytes(kFloatsA + step_b_ * kPitchB + column);
    }

    /// Fills stage 0 with the first `depth` steps of k, at most kDepth, and zeros for the rest.
    __device__ void copy_first(int depth) {
#pragma unroll
        for (int pass = 0; pass < kPassesA; ++pass) {
#pragma unroll
            for (int step = 0; step < kDepth; step += kStepsA) {
                if (step_a_ + step < depth) {
                    copy_async<1>(target_a(0, pass, step), source_a(pass) + step);
                } else {
                    clear_shared<1>(target_a(0, pass, step));
                }
            }
        }
#pragma unroll
        for (int pass = 0; pass < kPassesB; ++pass) {
            if (step_b_ + pass * kStepsPerPass < depth) {
                copy_async<Width>(target_b(0, pass), source_b(pass));
            } else {
                clear_shared<Width>(target_b(0, pass));
            }
        }
        advance(depth);
    }

    /// Starts part `part` of the copies of the current tile into a stage.
    __device__ void copy_part(int part, unsigned stage) {
        if (part < kPassesA) {
#pragma unroll
            for (int step = 0; step < kDepth; step += kStepsA) {
                copy_async<1>(target_a(stage, part, step), source_a(part) + step);
            }
        } else {
            copy_async<Width>(target_b(stage, part - kPassesA), source_b(part - kPassesA));
        }
    }

    /// Goes on to what lies `depth` steps of k further.
    __device__ void advance(int depth) {
        a_ += depth;
        b_ += static_cast<size_t>(depth) * row_floats_b_;
    }

private:
    __device__ const float* source_a(int pass) const {
        const char* const bytes = reinterpret_cast<const char*>(a_);
        return reinterpret_cast<const float*>(bytes + static_cast<unsigned long long>(rows_[pass]) *
                                                          row_bytes_);
    }
    __device__ const float* source_b(int pass) const {
        return b_ + static_cast<size_t>(pass * kStepsPerPass) * row_floats_b_;
    }
    static __device__ unsigned bytes(int floats) {
        return static_cast<unsigned>(floats) * sizeof(float);
    }
    __device__ unsigned target_a(unsigned stage, int pass, int step) const {
        return stages_a_ + stage + bytes(step * kPitchA + pass * kRowsPerPass);
    }
    __device__ unsigned target_b(unsigned stage, int pass) const {
        return stages_b_ + stage + bytes(pass * kStepsPerPass * kPitchB);
    }

    const float* a_;
    const float* b_;
    unsigned stages_a_;
    unsigned stages_b_;
    unsigned rows_[kPassesA];
    unsigned row_bytes_;
    int row_floats_b_;
    int step_a_;
    int step_b_;
};

}  // namespace gemm::warp_tile

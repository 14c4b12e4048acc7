// SPDX-License-Identifier: Apache-2.0
// Collectives of a warp that lanes execute which are not those of their masks, and such as look
// like that and are right. collectives.py knows which kernel is which.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#include <cstdio>
#include <cstdlib>

namespace cg = cooperative_groups;

constexpr unsigned kAll = 0xffffffff;

__device__ unsigned lane() {
    unsigned number;
    asm("mov.u32 %0, %%laneid;" : "=r"(number));
    return number;
}
__device__ int thread() {
    return (blockIdx.x * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
}

// Wrong: lanes that the mask names are elsewhere.

__global__ void shuffle_in_branch(int* out) {
    int value = lane();
    if (lane() < 16) value = __shfl_xor_sync(kAll, value, 1);
    out[thread()] = value;
}
__global__ void vote_in_branch(int* out) {
    int value = 0;
    if (lane() >= 16) value = __ballot_sync(kAll, out[thread()] > 5);
    out[thread()] = value;
}
__global__ void match_in_branch(int* out) {
    int value = 0;
    if (lane() % 2 == 0) value = __match_any_sync(kAll, out[thread()]);
    out[thread()] = value;
}
__global__ void redux_in_branch(int* out) {
    int value = 0;
    if (lane() < 31) value = __reduce_add_sync(kAll, lane());
    out[thread()] = value;
}
__global__ void syncwarp_in_branch(int* out) {
    if (lane() < 8) {
        out[thread()] = 1;
        __syncwarp();
        out[thread()] += 1;
    }
    out[thread()] += 1;
}
__global__ void mask_read_from_memory(int* out, unsigned mask) {
    int value = lane();
    if (lane() < 16) value = __shfl_xor_sync(mask, value, 1);
    out[thread()] = value;
}
/// Of 40 elements the last 8 are for a turn of few lanes.
__global__ void turns_of_few(int* out) {
    int sum = 0;
#pragma unroll 1
    for (unsigned i = lane(); i < 40; i += 32) sum += __shfl_xor_sync(kAll, i, 1);
    out[thread()] = sum;
}
/// The same, row after row: lanes come to the next row's first turn all together.
__global__ void turns_of_few_in_rows(int* out, unsigned rows) {
    int sum = 0;
#pragma unroll 1
    for (unsigned row = 0; row < rows; ++row) {
#pragma unroll 1
        for (unsigned i = lane(); i < 40; i += 32) sum += __shfl_xor_sync(kAll, i, 1);
    }
    out[thread()] = sum;
}
__global__ void in_the_last_warp(int* out) {
    int value = lane();
    if (thread() % blockDim.x >= 32 && lane() < 8) value = __shfl_xor_sync(kAll, value, 1);
    out[thread()] = value;
}
__global__ void after_a_return(int* out) {
    if (lane() >= 24) return;
    int value = lane();
    if (lane() < 8) value = __shfl_xor_sync(kAll, value, 1);
    out[thread()] = value;
}
__global__ void after_an_exit(int* out) {
    if (lane() >= 24) asm volatile("exit;");
    int value = lane();
    if (lane() < 8) value = __shfl_xor_sync(kAll, value, 1);
    out[thread()] = value;
}
__noinline__ __device__ void exit_from(unsigned first) {
    if (lane() >= first) asm volatile("exit;");
}
__global__ void after_an_exit_in_called(int* out) {
    exit_from(24);
    int value = lane();
    if (lane() < 8) value = __shfl_xor_sync(kAll, value, 1);
    out[thread()] = value;
}
__global__ void on_the_way_to_a_barrier(int* out) {
    if (lane() < 16) {
        out[thread()] = __shfl_xor_sync(kAll, lane(), 1);
        __syncthreads();
        atomicAdd(out + thread(), 2);
        return;
    }
    __syncthreads();
    atomicAdd(out + thread(), 1);
}

__noinline__ __device__ int shuffled(int value) { return __shfl_xor_sync(kAll, value, 1); }
__noinline__ __device__ int shuffled_by_half(int value) {
    if (lane() < 16) value = __shfl_down_sync(kAll, value, 1);
    return value * 3;
}
__noinline__ __device__ int twice_called(int value) { return shuffled(value) + 1; }

__global__ void call_in_branch(int* out) {
    int value = lane();
    if (lane() < 16) value = shuffled(value);
    out[thread()] = value;
}
__global__ void call_of_call_in_branch(int* out) {
    int value = lane();
    if (lane() < 16) value = twice_called(value);
    out[thread()] = value;
}
__global__ void branch_in_called(int* out) { out[thread()] = shuffled_by_half(lane()); }

__noinline__ __device__ int vote(int value) { return __any_sync(kAll, value > 3); }
using Function = int (*)(int);
__device__ Function functions[2] = {shuffled, vote};
__global__ void pointers(int* out) { out[thread()] = functions[lane() / 16](lane()); }

__global__ void tile_in_branch(int* out) {
    auto tile = cg::tiled_partition<16>(cg::this_thread_block());
    int value = lane();
    if (tile.thread_rank() < 8) value = tile.shfl_xor(value, 1);
    out[thread()] = value;
}

// Wrong: lanes execute it that their mask does not name.

__global__ void unnamed(int* out) { out[thread()] = __shfl_xor_sync(0xffff, lane(), 1); }
__global__ void unnamed_in_branch(int* out) {
    int value = 0;
    if (lane() < 24) value = __ballot_sync(0xffff, out[thread()] == 0);
    out[thread()] = value;
}
__global__ void others_named(int* out) {
    const unsigned mask = lane() < 16 ? 0xffff0000 : 0x0000ffff;
    out[thread()] = __reduce_max_sync(mask, lane());
}

// Right.

__global__ void whole_warps(int* out) {
    int value = __shfl_xor_sync(kAll, lane(), 1) + __ballot_sync(kAll, lane() < 5);
    __syncwarp();
    value += __reduce_add_sync(kAll, value);
    out[thread()] = __match_any_sync(kAll, value);
}
__global__ void returned(int* out) {
    if (lane() >= 16) return;
    out[thread()] = __shfl_down_sync(kAll, lane(), 8);
}
__global__ void returned_by_exit(int* out) {
    if (lane() >= 16) asm volatile("exit;");
    out[thread()] = __shfl_down_sync(kAll, lane(), 8);
}
__global__ void stored_and_returned(int* out) {
    if (lane() >= 16) {
        atomicMax(out + thread(), 7);
        return;
    }
    out[thread()] = __shfl_down_sync(kAll, lane(), 8);
}
__global__ void stored_and_returned_in_loop(int* out, int turns) {
    int value = lane();
#pragma unroll 1
    for (int i = 0; i < turns; ++i) {
        if (value == 7 * i) {
            atomicAdd(out + thread(), 1);
            return;
        }
        value += __shfl_xor_sync(kAll, 1, 1);
        atomicMax(out + thread(), value);
    }
}
__global__ void outside_the_mask(int* out) {
    int value = 0;
    if (lane() < 16) value = __shfl_sync(0xffff, lane(), 20);
    out[thread()] = value;
}
__global__ void active_mask_in_loop(int* out) {
    int sum = 0;
#pragma unroll 1
    for (unsigned i = lane(); i < 40; i += 32) {
        sum += __shfl_sync(__activemask(), i, 0);
        __syncwarp(__activemask());
    }
    out[thread()] = sum;
}
__global__ void ballot_before_branch(int* out) {
    const unsigned mask = __ballot_sync(kAll, lane() % 3 == 0);
    int value = 0;
    if (lane() % 3 == 0) value = __reduce_add_sync(mask, lane());
    out[thread()] = value;
}
__global__ void halves(int* out) {
    int value;
    if (lane() < 16) {
        value = __shfl_xor_sync(0x0000ffff, lane(), 1);
    } else {
        value = __shfl_xor_sync(0xffff0000, 2 * lane(), 3);
    }
    const unsigned mask = lane() < 16 ? 0x0000ffff : 0xffff0000;
    out[thread()] = value + __shfl_xor_sync(mask, value, 2);
}
/// PTX lets lanes meet at different instructions of one kind.
__global__ void in_both_branches(int* out) {
    if (lane() < 16) {
        out[thread()] = 1;
        __syncwarp();
        out[thread()] += out[thread() ^ 1];
        __syncwarp();
    } else {
        out[thread()] = 2;
        __syncwarp();
        out[thread()] *= out[thread() ^ 1];
        __syncwarp();
    }
    out[thread()] += 1;
}
__global__ void a_lane_a_turn(int* out) {
    for (unsigned turn = 0; turn < 32; ++turn) {
        if (turn == lane()) {
            out[thread()] = turn;
            __syncwarp();
            out[thread()] += 1;
        }
    }
    out[thread()] += 1;
}
__global__ void called_in_both_branches(int* out) {
    int value = lane();
    if (lane() % 2 == 0) {
        value = shuffled(value) + 5;
    } else {
        value = shuffled(value * 2);
    }
    out[thread()] = value;
}
__global__ void called_by_all(int* out) { out[thread()] = twice_called(shuffled(lane())); }
__global__ void called_after_return(int* out) {
    if (lane() >= 16) return;
    out[thread()] = shuffled(lane());
}
__noinline__ __device__ void body(int* out) {
    if (lane() >= 16) return;
    out[thread()] = __shfl_down_sync(kAll, lane(), 8);
}
__global__ void return_in_called(int* out) { body(out); }
__global__ void pointers_of_all(int* out) { out[thread()] = functions[out[thread()] & 1](lane()); }
__global__ void by_warp(int* out) {
    int value = lane();
    if (thread() % 64 < 32) value = __shfl_xor_sync(kAll, value, 1);
    out[thread()] = value;
}
__global__ void groups(int* out) {
    const auto block = cg::this_thread_block();
    const auto tile = cg::tiled_partition<8>(block);
    int value = cg::reduce(tile, int(lane()), cg::plus<int>());
    if (lane() % 3 == 0) {
        const auto active = cg::coalesced_threads();
        value += active.shfl(value, 0) + cg::reduce(active, value, cg::greater<int>());
        active.sync();
        if (active.thread_rank() % 2 == 0) value += cg::coalesced_threads().size();
    }
    if (tile.meta_group_rank() % 2 == 0) value += tile.shfl_xor(value, 3) + tile.any(value > 4);
    const auto label = cg::labeled_partition(cg::coalesced_threads(), value % 3);
    value += cg::reduce(label, value, cg::plus<int>());
    cg::tiled_partition<32>(block).sync();
    out[thread()] = value;
}
/// Lanes in a loop that yields come late, and are waited for.
__global__ void after_a_lock(int* out, int* lock) {
    bool done = false;
    while (!done) {
        if (atomicCAS(lock, 0, 1) == 0) {
            out[thread()] = __popc(__activemask());
            __threadfence();
            atomicExch(lock, 0);
            done = true;
        }
    }
    __syncwarp();
    out[thread()] += __shfl_xor_sync(kAll, lane(), 1);
}
__global__ void search_and_meet(int* out, int* slots) {
    unsigned at = lane();
    while (atomicExch(slots + 64 * (thread() / 32 % 64) + at, 1) != 0) at = (at + 7) % 64;
    __syncwarp();
    out[thread()] = __shfl_xor_sync(kAll, lane(), 1);
}

int main(int, char** arguments) {
    const int blocks = std::atoi(arguments[1]);
    int *out, *others;
    cudaMalloc(&out, blocks * 64 * sizeof(int));
    cudaMemset(out, 0, blocks * 64 * sizeof(int));
    cudaMalloc(&others, 64 * 64 * sizeof(int));
    const dim3 whole(64), flat(48), uneven(20, 3);
#define RUN(kernel, block, ...) kernel<<<blocks, block>>>(out __VA_OPT__(, ) __VA_ARGS__)
    RUN(shuffle_in_branch, whole);
    RUN(vote_in_branch, whole);
    RUN(match_in_branch, whole);
    RUN(redux_in_branch, whole);
    RUN(syncwarp_in_branch, whole);
    RUN(mask_read_from_memory, whole, 0x00ffffff);
    RUN(turns_of_few, whole);
    RUN(turns_of_few_in_rows, whole, 5);
    RUN(in_the_last_warp, flat);
    RUN(after_a_return, whole);
    RUN(after_an_exit, whole);
    RUN(after_an_exit_in_called, whole);
    RUN(on_the_way_to_a_barrier, whole);
    RUN(call_in_branch, whole);
    RUN(call_of_call_in_branch, whole);
    RUN(branch_in_called, whole);
    RUN(pointers, whole);
    RUN(tile_in_branch, whole);
    RUN(unnamed, whole);
    RUN(unnamed_in_branch, whole);
    RUN(others_named, whole);

    RUN(whole_warps, whole);
    RUN(whole_warps, uneven);
    RUN(returned, whole);
    RUN(returned, uneven);
    RUN(returned_by_exit, whole);
    RUN(stored_and_returned, whole);
    RUN(stored_and_returned_in_loop, whole, 20);
    RUN(outside_the_mask, whole);
    RUN(active_mask_in_loop, whole);
    RUN(ballot_before_branch, whole);
    RUN(ballot_before_branch, uneven);
    RUN(halves, whole);
    RUN(in_both_branches, whole);
    RUN(a_lane_a_turn, whole);
    RUN(called_in_both_branches, whole);
    RUN(called_by_all, uneven);
    RUN(called_after_return, whole);
    RUN(return_in_called, whole);
    cudaMemset(out, 0, blocks * 64 * sizeof(int));
    RUN(pointers_of_all, whole);
    RUN(by_warp, whole);
    RUN(groups, whole);
    RUN(groups, uneven);
    cudaMemset(others, 0, 64 * 64 * sizeof(int));
    after_a_lock<<<2, whole>>>(out, others);
    cudaMemset(others, 0, 64 * 64 * sizeof(int));
    search_and_meet<<<2, whole>>>(out, others);
    std::puts(cudaGetErrorName(cudaDeviceSynchronize()));
}

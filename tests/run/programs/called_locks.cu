// SPDX-License-Identifier: Apache-2.0
// Threads of one warp that wait for each other inside functions that are called: by their name,
// from other functions, through pointers.
#include "check.h"

__device__ __noinline__ void lock(int* flag) {
    while (atomicCAS(flag, 0, 1) != 0) {
    }
    __threadfence();
}

__device__ __noinline__ void unlock(int* flag) {
    __threadfence();
    atomicExch(flag, 0);
}

__device__ __noinline__ void add_locked(int* flag, volatile int* counter, int amount) {
    lock(flag);
    *counter = *counter + amount;
    unlock(flag);
}

__global__ void lock_in_a_function(int* flag, volatile int* counter) {
    lock(flag);
    *counter = *counter + 1;
    unlock(flag);
}

/// Two calls deep, at two places, one of them for some threads only.
__global__ void lock_in_a_functions_function(int* flag, volatile int* counter) {
    add_locked(flag, counter, 2);
    if (threadIdx.x % 3 == 0) add_locked(flag, counter, 100);
}

__device__ __noinline__ bool try_often(int* flag, int tries) {
    for (int i = 0; i < tries; ++i) {
        if (atomicCAS(flag, 0, 1) == 0) return true;
        __nanosleep(20);
    }
    return false;
}

/// A function with several ends, in a loop of its caller.
__global__ void lock_by_tries(int* flag, volatile int* counter) {
    while (!try_often(flag, 3)) {
    }
    __threadfence();
    *counter = *counter + 1;
    unlock(flag);
}

/// A thread's turn, with memory of its own that must outlast the others' turns.
__device__ __noinline__ int wait_for_turn(volatile int* turn, int mine) {
    int seen[4] = {mine, mine + 1, mine + 2, mine + 3};
    int tries = 0;
    for (int now = *turn; now != mine; now = *turn) seen[++tries % 4] += now - now;
    return seen[mine % 4] - mine % 4;
}

__global__ void relay(volatile int* turn, int* out) {
    const int lane = threadIdx.x;
    out[lane] = wait_for_turn(turn, lane);
    __threadfence();
    *turn = lane + 1;
}

__device__ __noinline__ int sum_of_warp(int value) {
    for (int offset = 16; offset > 0; offset /= 2) {
        value += __shfl_down_sync(~0u, value, offset);
    }
    return value;
}

/// Lanes that leave the lock early come to the sum with the others.
__global__ void lock_then_sum(int* flag, volatile int* counter, int* out) {
    lock(flag);
    const int mine = *counter;
    *counter = mine + 1;
    unlock(flag);
    __syncwarp();
    const int sum = sum_of_warp(mine);
    if (threadIdx.x % 32 == 0) atomicAdd(out, sum);
    __syncthreads();
    if (threadIdx.x == 0) atomicAdd(out + 1, *counter);
}

struct Lock {
    int* flag;
    __device__ explicit Lock(int* where) : flag(where) {}
    __device__ virtual void take() = 0;
};

struct ComparingLock : Lock {
    using Lock::Lock;
    __device__ void take() override {
        while (atomicCAS(flag, 0, 1) != 0) {
        }
    }
};

struct ExchangingLock : Lock {
    using Lock::Lock;
    __device__ void take() override {
        while (atomicExch(flag, 1) != 0) {
        }
    }
};

__global__ void lock_by_a_virtual_function(int* flag, volatile int* counter) {
    ComparingLock comparing(flag);
    ExchangingLock exchanging(flag);
    Lock* mine = (threadIdx.x + blockIdx.x) % 2 ? static_cast<Lock*>(&comparing)
                                                : static_cast<Lock*>(&exchanging);
    mine->take();
    __threadfence();
    *counter = *counter + 1;
    unlock(flag);
}

__device__ __noinline__ void take_nothing(int*) {}

__global__ void lock_by_a_pointer(int* flag, volatile int* counter) {
    void (*const take[])(int*) = {lock, take_nothing};
    const int kind = threadIdx.x % 4 == 3;
    take[kind](flag);
    if (kind == 0) {
        *counter = *counter + 1;
        unlock(flag);
    }
}

/// A barrier of the block in a function, with a wait of its own: each block in its turn.
__device__ __noinline__ void enter_in_order(volatile int* turn) {
    __shared__ int entered;
    if (threadIdx.x == 0) {
        while (*turn != static_cast<int>(blockIdx.x)) {
        }
        entered = 1;
    }
    __syncthreads();
    if (threadIdx.x == blockDim.x - 1) entered += 1;
    __syncthreads();
    if (threadIdx.x == 0) *turn = *turn + entered - 1;
}

__global__ void blocks_in_order(volatile int* turn) { enter_in_order(turn); }

int main() {
    constexpr int kThreads = 4 * 64;
    DeviceArray<int> flags(8), counters(8), out(64);
    lock_in_a_function<<<4, 64>>>(flags, counters);
    lock_in_a_functions_function<<<4, 64>>>(flags + 1, counters + 1);
    lock_by_tries<<<4, 64>>>(flags + 2, counters + 2);
    lock_by_a_virtual_function<<<4, 64>>>(flags + 3, counters + 3);
    lock_by_a_pointer<<<4, 64>>>(flags + 4, counters + 4);
    CHECK_LAUNCH();
    const int thirds = 4 * 22;
    const int expected[] = {kThreads, 2 * kThreads + 100 * thirds, kThreads, kThreads,
                            kThreads * 3 / 4};
    for (int i = 0; i < 5; ++i) CHECK_AT(i, counters.host()[i] == expected[i]);

    DeviceArray<int> turn(2);
    relay<<<1, 32>>>(turn, out);
    CHECK_LAUNCH();
    for (int i = 0; i < 32; ++i) CHECK_AT(i, out.host()[i] == i);

    lock_then_sum<<<1, 128>>>(flags + 5, counters + 5, out + 32);
    CHECK_LAUNCH();
    CHECK(counters.host()[5] == 128);
    CHECK(out.host()[32] == 127 * 128 / 2 && out.host()[33] == 128);

    blocks_in_order<<<4, 64>>>(turn + 1);
    CHECK_LAUNCH();
    CHECK(turn.host()[1] == 4);
}

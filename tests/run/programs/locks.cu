// SPDX-License-Identifier: Apache-2.0
// Threads that wait for each other: spin locks inside a warp, across blocks, ticket locks,
// hand-written grid barriers.
#include "check.h"

/// Lanes of one warp take the lock one after the other.
__global__ void lock_with_flag(int* lock, volatile int* counter) {
    bool done = false;
    while (!done) {
        if (atomicCAS(lock, 0, 1) == 0) {
            __threadfence();
            *counter = *counter + 1;
            __threadfence();
            atomicExch(lock, 0);
            done = true;
        }
    }
}

__global__ void lock_by_spinning(int* lock, int* counter) {
    while (atomicCAS(lock, 0, 1) != 0) {
    }
    __threadfence();
    *reinterpret_cast<volatile int*>(counter) += 2;
    __threadfence();
    atomicExch(lock, 0);
}

__global__ void lock_with_backoff(int* lock, int* counter) {
    unsigned wait = 8;
    while (atomicExch(lock, 1) == 1) {
        __nanosleep(wait);
        if (wait < 256) wait *= 2;
    }
    __threadfence();
    *reinterpret_cast<volatile int*>(counter) += 3;
    __threadfence();
    *reinterpret_cast<volatile int*>(lock) = 0;
}

__global__ void ticket_lock(unsigned* next, volatile unsigned* serving, volatile int* order) {
    if (threadIdx.x % 32 != 0) return;
    const unsigned mine = atomicAdd(next, 1);
    while (*serving != mine) {
    }
    __threadfence();
    order[mine] = blockIdx.x * 100 + threadIdx.x / 32;
    __threadfence();
    *serving = mine + 1;
}

/// One warp's lanes hand a token round: lane i waits for lane i - 1.
__global__ void relay(volatile int* token, int* out) {
    const int lane = threadIdx.x;
    while (*token != lane) {
    }
    out[lane] = lane * lane;
    __threadfence();
    *token = lane + 1;
}

/// The later lanes come first: lane i waits for lane i + 1.
__global__ void relay_down(volatile int* token, int* out) {
    const int lane = threadIdx.x;
    while (*token != 31 - lane) {
    }
    out[lane] = 100 + lane;
    __threadfence();
    *token = 31 - lane + 1;
}

/// A lane that counts its tries never looks the same twice, and yet it waits.
__global__ void relay_counting_tries(volatile int* token, int* tries) {
    const int lane = threadIdx.x;
    int count = 0;
    while (*token != lane) ++count;
    tries[lane] = count;
    __threadfence();
    *token = lane + 1;
}

__device__ unsigned arrived;
__device__ volatile unsigned generation;

__device__ void grid_barrier() {
    __syncthreads();
    if (threadIdx.x == 0) {
        const unsigned mine = generation;
        __threadfence();
        if (atomicAdd(&arrived, 1) == gridDim.x - 1) {
            arrived = 0;
            __threadfence();
            generation = mine + 1;
        } else {
            while (generation == mine) {
            }
        }
        __threadfence();
    }
    __syncthreads();
}

__global__ void rounds(int* data, int count) {
    const int n = gridDim.x * blockDim.x, i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int r = 0; r < count; ++r) {
        const int next = *reinterpret_cast<volatile int*>(&data[(r % 2) * n + (i + 1) % n]);
        *reinterpret_cast<volatile int*>(&data[((r + 1) % 2) * n + i]) = next + 1;
        grid_barrier();
    }
}

/// Warps of a block as producer and consumer through a flag in shared memory.
__global__ void producer_consumer(int* out, int n) {
    __shared__ volatile int full, value;
    if (threadIdx.x == 0) full = 0;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int i = 0; i < n; ++i) {
            while (full != 0) {
            }
            value = i * 3;
            __threadfence_block();
            full = 1;
        }
    } else if (threadIdx.x == 32) {
        for (int i = 0; i < n; ++i) {
            while (full == 0) {
            }
            __threadfence_block();
            out[i] = value;
            __threadfence_block();
            full = 0;
        }
    }
}

/// After a loop of as many turns as lanes differ, all meet again for a shuffle.
__global__ void contended_then_shuffle(int* slots, int* out) {
    const int lane = threadIdx.x % 32;
    int turns = 0;
    for (int i = 0; i < lane * 7; ++i) turns += atomicAdd(&slots[lane], 1) >= 0;
    for (int offset = 16; offset > 0; offset /= 2) turns += __shfl_xor_sync(~0u, turns, offset);
    out[threadIdx.x] = turns;
}

/// The same with a lock: what each lane counted is summed by all.
__global__ void lock_then_shuffle(int* lock, volatile int* counter, int* out) {
    int mine = 0;
    for (bool done = false; !done;) {
        if (atomicCAS(lock, 0, 1) == 0) {
            mine = *counter;
            *counter = mine + 1;
            __threadfence();
            atomicExch(lock, 0);
            done = true;
        }
    }
    __syncwarp();
    for (int offset = 16; offset > 0; offset /= 2) mine += __shfl_down_sync(~0u, mine, offset);
    if (threadIdx.x % 32 == 0) atomicAdd(out, mine);
    __syncthreads();
    if (threadIdx.x == 0) atomicAdd(out + 1, *counter);
}

int main() {
    DeviceArray<int> lock(4), counter(4), out(2048);
    lock_with_flag<<<4, 64>>>(lock, counter);
    lock_by_spinning<<<4, 64>>>(lock + 1, counter + 1);
    lock_with_backoff<<<4, 64>>>(lock + 2, counter + 2);
    CHECK_LAUNCH();
    CHECK(counter.host()[0] == 256 && counter.host()[1] == 512 && counter.host()[2] == 768);

    DeviceArray<unsigned> tickets(2);
    ticket_lock<<<8, 128>>>(tickets, tickets + 1, out);
    CHECK_LAUNCH();
    CHECK(tickets.host()[1] == 32);
    std::vector<int> seen(800);
    for (int i = 0; i < 32; ++i) ++seen[out.host()[i]];
    for (int b = 0; b < 8; ++b) {
        for (int w = 0; w < 4; ++w) CHECK(seen[b * 100 + w] == 1);
    }

    DeviceArray<int> token(3);
    relay<<<1, 32>>>(token, out);
    CHECK_LAUNCH();
    for (int i = 0; i < 32; ++i) CHECK_AT(i, out.host()[i] == i * i);
    relay_down<<<1, 32>>>(token + 1, out);
    CHECK_LAUNCH();
    for (int i = 0; i < 32; ++i) CHECK_AT(i, out.host()[i] == 100 + i);

    relay_counting_tries<<<1, 32>>>(token + 2, out);
    CHECK_LAUNCH();
    CHECK(token.host()[2] == 32);

    const int n = 8 * 64;
    std::vector<int> start(2 * n);
    for (int i = 0; i < n; ++i) start[i] = i;
    DeviceArray<int> data(start);
    rounds<<<8, 64>>>(data, 6);
    CHECK_LAUNCH();
    for (int i = 0; i < n; ++i) CHECK_AT(i, data.host()[i] == (i + 6) % n + 6);

    producer_consumer<<<1, 64>>>(out, 100);
    CHECK_LAUNCH();
    const auto consumed = out.host();
    for (int i = 0; i < 100; ++i) CHECK_AT(i, consumed[i] == 3 * i);

    DeviceArray<int> slots(32), sums(64);
    contended_then_shuffle<<<1, 64>>>(slots, sums);
    CHECK_LAUNCH();
    for (const int v : sums.host()) CHECK(v == 7 * 31 * 32 / 2);

    DeviceArray<int> last(4);
    lock_then_shuffle<<<1, 128>>>(last, last + 1, last + 2);
    CHECK_LAUNCH();
    CHECK(last.host()[1] == 128 && last.host()[2] == 127 * 128 / 2 && last.host()[3] == 128);
}

// SPDX-License-Identifier: Apache-2.0
// Control flow that parts lanes: early returns, nested loops with break, continue and goto,
// switches, loops whose turns differ by lane with values used after them. The same function runs on
// the host as the reference.
#include "check.h"

__host__ __device__ int collatz(unsigned n) {
    int steps = 0;
    while (n != 1) {
        n = n % 2 == 0 ? n / 2 : 3 * n + 1;
        ++steps;
    }
    return steps;
}

__host__ __device__ int nested(int i) {
    int sum = 0;
    for (int a = 0; a < i % 7 + 2; ++a) {
        if ((a + i) % 5 == 0) continue;
        for (int b = a; b < 12; ++b) {
            if (b * a > i % 40) break;
            if ((b ^ i) & 1) continue;
            sum += a * b + i;
            int c = b;
            while (true) {
                c += 3;
                if (c > i % 16) break;
                sum ^= c;
                if (sum % 11 == 3) goto out;
            }
        }
        if (sum > 5000) return -sum;
    }
out:
    return sum + i;
}

__host__ __device__ int many_ways(int i) {
    switch (i % 13) {
        case 0:
            return i + 5;
        case 1:
            i *= 3;  // falls through
        case 2:
            i -= 7;
            break;
        case 3:
            i ^= 0x55;
            break;
        case 4:
            return -i;
        case 5:
            i = i / 3;
            break;
        case 6:
            i = i * i;
            break;
        case 7:
            i = ~i;
            break;
        case 8:
            i += 1000;
            break;
        case 10:
            i <<= 2;
            break;
        case 11:
            i |= 1;
            break;
        default:
            i = 42;
    }
    return i * 2 + 1;
}

__host__ __device__ int state_machine(int i) {
    int state = i % 4, turns = 0, value = i;
    while (turns < 50) {
        ++turns;
        switch (state) {
            case 0:
                value += 3;
                state = value % 2 ? 1 : 2;
                break;
            case 1:
                value = value * 5 % 97;
                state = value > 40 ? 3 : 0;
                break;
            case 2:
                value ^= turns;
                state = value % 3;
                break;
            case 3:
                if (value % 7 == 0) return value * 100 + turns;
                state = 0;
                break;
        }
    }
    return value;
}

__host__ __device__ int with_goto(int i) {
    int value = i, turns = 0;
again:
    if (++turns > 20) goto done;
    if (value % 3 == 0) {
        value += 7;
        goto middle;
    }
    value -= 2;
    if (value < 0) goto done;
middle:
    value ^= turns;
    if (value % 5 != 0) goto again;
done:
    return value * 32 + turns;
}

/// Two loops entered in their middles: an irreducible graph.
__host__ __device__ int irreducible(int i) {
    int value = i, budget = 40;
    if (i & 1) goto second;
first:
    value += 3;
    if (--budget < 0) return value;
    if (value % 4 == 0) goto second;
    value ^= 9;
second:
    value = value * 3 % 1001;
    if (--budget < 0) return -value;
    if (value % 7 != 0) goto first;
    return value + 100000;
}

__host__ __device__ float newton(int i) {
    float x = i + 1.0f, guess = x;
    int turns = 0;
    float change;
    do {
        const float next = 0.5f * (guess + x / guess);
        change = guess - next;
        guess = next;
        ++turns;
    } while (change > 1e-3f);
    return guess + turns * 1000.0f;
}

__host__ __device__ int last_seen(int i) {
    int last = -1, seen = 0;
    for (int k = i; k < 100; k += i % 5 + 1) {
        last = k * 2;
        if (k % 17 == 3) break;
        seen |= 1 << k % 31;
    }
    return last * 7 + seen;
}

__host__ __device__ bool is_prime(int n) {
    if (n < 2) return false;
    for (int d = 2; d * d <= n; ++d) {
        if (n % d == 0) return false;
    }
    return true;
}

__host__ __device__ int binary_search(int i) {
    int low = 0, high = 1000, steps = 0;
    while (low < high) {
        const int middle = (low + high) / 2;
        if (middle * 7 == i) return middle * 100;
        if (middle * 7 < i)
            low = middle + 1;
        else
            high = middle;
        ++steps;
    }
    return low + steps;
}

__host__ __device__ int ternaries(int i) {
    const int a = i % 3 == 0                            ? (i % 2 ? i : -i)
                  : (i > 100 && i < 300) || i % 19 == 0 ? 3 * i
                                                        : i / 2;
    return a > 0 && (a & 7) != 3 ? a : !(a % 2) ? 1 - a : a * a;
}

__host__ __device__ long long euclid(int i) {
    long long a = i * 1234567ll + 17, b = i * 7654ll + 3;
    while (b != 0) {
        const long long rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

__global__ void all(long long* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    long long* own = out + i * 12;
    own[0] = collatz(i + 1);
    own[1] = nested(i);
    own[2] = many_ways(i);
    own[3] = state_machine(i);
    own[4] = with_goto(i);
    own[5] = irreducible(i);
    own[6] = static_cast<long long>(newton(i) * 16.0f + 0.5f);
    own[7] = last_seen(i);
    own[8] = is_prime(i);
    own[9] = binary_search(i);
    own[10] = ternaries(i);
    own[11] = euclid(i);
}

/// Barriers inside loops that all threads of a block leave together, with lanes parted before and
/// after.
__global__ void barriers_in_loops(const int* in, int* out, int rounds) {
    __shared__ int slots[128];
    const int t = threadIdx.x;
    int value = in[blockIdx.x * 128 + t];
    for (int r = 0; r < rounds; ++r) {
        if (value % 2) {
            for (int k = 0; k < t % 5; ++k) value += k;
        } else if (value % 3 == 0) {
            value -= t;
        }
        slots[t] = value;
        __syncthreads();
        const int other = slots[(t + r + 1) % 128];
        if (__syncthreads_or(other > 1000000)) break;
        value = (value + other) % 10007;
    }
    out[blockIdx.x * 128 + t] = value;
}

/// Threads that have returned are not waited for.
__global__ void some_return(int* out) {
    __shared__ int sum;
    const int t = threadIdx.x;
    if (t == 0) sum = 0;
    __syncthreads();
    if (t >= 70) return;
    atomicAdd(&sum, t);
    __syncthreads();
    out[t] = sum;
}

int main() {
    const int n = 2000;
    DeviceArray<long long> out(n * 12);
    all<<<(n + 127) / 128, 128>>>(out, n);
    CHECK_LAUNCH();
    const auto got = out.host();
    for (int i = 0; i < n; ++i) {
        const long long expected[12] = {collatz(i + 1),
                                        nested(i),
                                        many_ways(i),
                                        state_machine(i),
                                        with_goto(i),
                                        irreducible(i),
                                        static_cast<long long>(newton(i) * 16.0f + 0.5f),
                                        last_seen(i),
                                        is_prime(i),
                                        binary_search(i),
                                        ternaries(i),
                                        euclid(i)};
        for (int k = 0; k < 12; ++k) CHECK_AT(i * 100 + k, got[i * 12 + k] == expected[k]);
    }
    std::vector<int> in(256);
    for (int i = 0; i < 256; ++i) in[i] = i * i % 1009;
    DeviceArray<int> din(in), rounds(256);
    barriers_in_loops<<<2, 128>>>(din, rounds, 9);
    CHECK_LAUNCH();
    std::vector<int> values = in;
    for (int r = 0; r < 9; ++r) {
        for (int i = 0; i < 256; ++i) {
            const int t = i % 128;
            int& v = values[i];
            if (v % 2) {
                for (int k = 0; k < t % 5; ++k) v += k;
            } else if (v % 3 == 0) {
                v -= t;
            }
        }
        const std::vector<int> before = values;
        for (int i = 0; i < 256; ++i) {
            values[i] = (before[i] + before[i / 128 * 128 + (i % 128 + r + 1) % 128]) % 10007;
        }
    }
    CHECK(rounds.host() == values);
    DeviceArray<int> returned(128);
    some_return<<<1, 128>>>(returned);
    CHECK_LAUNCH();
    for (int t = 0; t < 70; ++t) CHECK_AT(t, returned.host()[t] == 69 * 70 / 2);
}

// SPDX-License-Identifier: Apache-2.0
// Lanes that part by their data, in every shape of control flow that C++ has, and store at the
// places where they may have met again: a request for each group of lanes that has not.
#include <cstdio>
#include <vector>

constexpr int kThreads = 64;
constexpr int kTurns = 50;

/// What a thread knows: two numbers of its own, and a table of more.
struct Thread {
    const int* table;
    int* results;
    int i = threadIdx.x, v = table[i], w = table[kThreads + i];
    __device__ void store(int place, int value) const {
        results[place * kThreads + i] = value + place;
    }
};

__global__ void nested_break(const int* table, int* results) {
    const Thread t{table, results};
    int k = 0;
    for (int x = 0; x < t.v; ++x) {
        for (int y = 0; y < t.w; ++y) {
            k += table[(x + y) % kTurns];
            if (k > 40) break;
            t.store(0, k);
        }
        t.store(1, k);
        if (k > 90) break;
    }
    t.store(2, k);
}

__global__ void continues(const int* table, int* results) {
    const Thread t{table, results};
    int k = 0;
    for (int x = 0; x < t.v; ++x) {
        k += table[x];
        if (k & 1) continue;
        t.store(0, k);
        if (k % 3 == 0) continue;
        t.store(1, k);
    }
    t.store(2, k);
}

__global__ void return_in_loop(const int* table, int* results) {
    const Thread t{table, results};
    int k = 0;
    for (int x = 0; x < t.v; ++x) {
        k += table[x + t.i];
        if (k > 30) {
            t.store(0, k);
            return;
        }
        t.store(1, k);
    }
    t.store(2, k);
}

__global__ void early_returns(const int* table, int* results) {
    const Thread t{table, results};
    int k = 0;
    if (t.v < 5) {
        t.store(0, k);
        return;
    }
    k = t.w;
    if (t.w < 5) return;
    t.store(1, k);
    for (int x = 0; x < t.v; ++x) {
        k += table[x];
        t.store(2, k);
    }
    t.store(3, k);
}

__global__ void fallthrough(const int* table, int* results) {
    const Thread t{table, results};
    int k = 0;
    switch (t.v % 5) {
        case 0:
            k = 3;
            t.store(0, k);
            break;
        case 1:
            t.store(1, k);
            [[fallthrough]];
        case 2:
            k += t.w;
            t.store(2, k);
            break;
        case 3:
            t.store(3, k);
            return;
        default:
            k = t.w * t.w;
            t.store(4, k);
    }
    t.store(5, k);
}

__global__ void short_circuit(const int* table, int* results) {
    const Thread t{table, results};
    int k = 0;
    if ((t.v > 5 && table[t.v] > 3) || (t.w > 7 && table[t.w] % 2 == 0)) {
        k = table[t.v + t.w];
        t.store(0, k);
    } else {
        k = table[t.w];
        t.store(1, k);
    }
    t.store(2, k);
}

__global__ void goto_out_of_loops(const int* table, int* results) {
    const Thread t{table, results};
    int k = 0;
    for (int x = 0; x < t.v; ++x) {
        for (int y = 0; y < t.w; ++y) {
            k += table[x + y];
            if (k % 17 == 0) goto out;
            t.store(0, k);
        }
    }
    t.store(1, k);
out:
    t.store(2, k);
}

__global__ void tested_last(const int* table, int* results) {
    const Thread t{table, results};
    int k = 0;
    do {
        k += table[k % kTurns] + 1;
        t.store(0, k);
        if (k % 4 == 1) t.store(1, k);
    } while (k < t.v * 9);
    t.store(2, k);
}

__global__ void one_loop_after_another(const int* table, int* results) {
    const Thread t{table, results};
    int k = 0;
    for (int x = 0; x < t.v; ++x) {
        k += table[x];
        t.store(0, k);
    }
    for (int x = 0; x < t.w; ++x) {
        k -= table[x];
        t.store(1, k);
    }
    t.store(2, k);
}

__global__ void loops_in_branches(const int* table, int* results) {
    const Thread t{table, results};
    int k = 0;
    if (t.v & 1) {
        for (int x = 0; x < t.w; ++x) {
            k += table[x];
            t.store(0, k);
        }
        t.store(1, k);
    } else if (t.v & 2) {
        for (int x = 0; x < t.v; ++x) {
            k += table[x];
            t.store(2, k);
        }
    } else {
        t.store(3, k);
    }
    t.store(4, k);
}

__global__ void two_breaks_that_store(const int* table, int* results) {
    const Thread t{table, results};
    int k = 0;
    for (;;) {
        k += table[k % kTurns] + 1;
        if (k > t.v * 5) {
            t.store(0, k);
            break;
        }
        if (k % 7 == 0) {
            t.store(1, k);
            break;
        }
        t.store(2, k);
    }
    t.store(3, k);
}

__global__ void nested_branches(const int* table, int* results) {
    const Thread t{table, results};
    int k = 0;
    if (t.v > 4) {
        if (t.w > 4) {
            k = table[t.v];
            t.store(0, k);
            if (k > 5) t.store(1, k);
        } else {
            k = table[t.w];
            t.store(2, k);
        }
        t.store(3, k);
    }
    t.store(4, k);
}

__global__ void ladder(const int* table, int* results) {
    const Thread t{table, results};
    if (t.v < 3) {
        t.store(0, 0);
    } else if (t.v < 6) {
        t.store(1, 0);
        if (t.w < 5) return;
    } else if (t.v < 9) {
        t.store(2, 0);
    } else {
        t.store(3, 0);
    }
    t.store(4, 0);
}

__global__ void continue_and_break(const int* table, int* results) {
    const Thread t{table, results};
    int k = 0, x = 0;
    while (x < t.v) {
        ++x;
        k += table[x];
        if (k % 5 == 0) continue;
        if (k % 11 == 0) break;
        t.store(0, k);
        for (int y = 0; y < t.w; ++y) {
            if (table[y] == k) break;
            k += table[y];
            t.store(1, k);
        }
    }
    t.store(2, k);
}

__device__ __noinline__ int helper(const int* table, int* results, int i, int v) {
    if (v < 4) return table[v];
    int k = 0;
    for (int x = 0; x < v; ++x) {
        k += table[x];
        results[9 * kThreads + i] = k;
        if (k > 25) return k;
    }
    results[10 * kThreads + i] = k;
    return k + 1;
}

__global__ void calls(const int* table, int* results) {
    const Thread t{table, results};
    int k = 0;
    if (t.v & 1) k = helper(table, results, t.i, t.w);
    t.store(0, k);
    k += helper(table, results, t.i, t.v);
    t.store(1, k);
}

__global__ void lanes_that_end(const int* table, int* results) {
    const Thread t{table, results};
    int k = 0;
    if (t.i % 7 == 3) return;
    for (int x = 0; x < t.v; ++x) {
        k += table[x];
        t.store(0, k);
        if (k > 60) return;
    }
    t.store(1, k);
}

__global__ void binary_search(const int* table, int* results) {
    const Thread t{table, results};
    int low = 0, high = kTurns;
    while (low < high) {
        const int middle = (low + high) / 2;
        if (table[middle] * 3 < t.v + t.w) {
            low = middle + 1;
        } else {
            high = middle;
        }
        t.store(0, 0);
    }
    t.store(1, low);
}

__global__ void collatz(const int* table, int* results) {
    const Thread t{table, results};
    int x = t.v + t.w * 7 + 1, k = 0;
    while (x != 1) {
        if (x & 1) {
            x = 3 * x + 1;
            t.store(0, k);
        } else {
            x /= 2;
        }
        ++k;
    }
    t.store(1, k);
}

/// A loop with two entries.
__global__ void irreducible(const int* table, int* results) {
    const Thread t{table, results};
    int k = 0, x = t.v;
    if (t.v & 1) goto second;
first:
    k += table[x];
    t.store(0, k);
    if (--x <= 0) goto end;
second:
    k += 2 * table[x + 1];
    t.store(1, k);
    if (k % 3) goto first;
    x -= 2;
    if (x > 0) goto second;
end:
    t.store(2, k);
}

__global__ void branches_in_loop(const int* table, int* results) {
    const Thread t{table, results};
    int k = 0;
    for (int x = 0; x < t.v; ++x) {
        const int value = table[x];
        k += value > 5 ? value : -value;
        if (value == t.w) t.store(0, k);
    }
    t.store(1, k);
}

int main() {
    std::vector<int> numbers(4096);
    unsigned state = 12345;
    for (int& number : numbers) {
        state = state * 1664525 + 1013904223;
        number = static_cast<int>((state >> 16) % 13);
    }
    int *table, *results;
    if (cudaMalloc(&table, numbers.size() * sizeof(int)) || cudaMalloc(&results, 1 << 20)) return 1;
    cudaMemcpy(table, numbers.data(), numbers.size() * sizeof(int), cudaMemcpyHostToDevice);
    for (const auto kernel : {nested_break,
                              continues,
                              return_in_loop,
                              early_returns,
                              fallthrough,
                              short_circuit,
                              goto_out_of_loops,
                              tested_last,
                              one_loop_after_another,
                              loops_in_branches,
                              two_breaks_that_store,
                              nested_branches,
                              ladder,
                              continue_and_break,
                              calls,
                              lanes_that_end,
                              binary_search,
                              collatz,
                              irreducible,
                              branches_in_loop}) {
        kernel<<<1, kThreads>>>(table, results);
        if (cudaDeviceSynchronize()) return 1;
    }
    std::puts("ok");
}

// SPDX-License-Identifier: Apache-2.0
// Irregular algorithms: breadth-first search with frontier queues, Floyd-Warshall, sparse
// matrix-vector products, Needleman-Wunsch by anti-diagonals, bitonic and odd-even sorts, k-means.
#include <algorithm>
#include <climits>
#include <queue>

#include "check.h"

__global__ void bfs_step(const int* rows, const int* columns, int* level, const int* frontier,
                         int size, int* next, int* next_size, int depth) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= size) return;
    const int node = frontier[i];
    for (int e = rows[node]; e < rows[node + 1]; ++e) {
        const int to = columns[e];
        if (atomicCAS(&level[to], -1, depth + 1) == -1) next[atomicAdd(next_size, 1)] = to;
    }
}

/// The same without a queue: every node looks whether it is at this depth.
__global__ void bfs_sweep(const int* rows, const int* columns, int* level, int nodes, int depth,
                          bool* changed) {
    const int node = blockIdx.x * blockDim.x + threadIdx.x;
    if (node >= nodes || level[node] != depth) return;
    for (int e = rows[node]; e < rows[node + 1]; ++e) {
        if (level[columns[e]] == -1) {
            level[columns[e]] = depth + 1;
            *changed = true;
        }
    }
}

__global__ void floyd_step(int* distance, int n, int k) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= n || y >= n) return;
    const int through = distance[y * n + k] + distance[k * n + x];
    if (through < distance[y * n + x]) distance[y * n + x] = through;
}

__global__ void spmv_scalar(const int* rows, const int* columns, const double* values,
                            const double* x, double* y, int n) {
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= n) return;
    double sum = 0;
    for (int e = rows[row]; e < rows[row + 1]; ++e) sum += values[e] * x[columns[e]];
    y[row] = sum;
}

__global__ void spmv_vector(const int* rows, const int* columns, const double* values,
                            const double* x, double* y, int n) {
    const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= n) return;
    double sum = 0;
    for (int e = rows[row] + lane; e < rows[row + 1]; e += 32) sum += values[e] * x[columns[e]];
    for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(~0u, sum, offset);
    if (lane == 0) y[row] = sum;
}

__global__ void align_diagonal(const char* a, const char* b, int* score, int n, int diagonal) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x + 1, j = diagonal - i;
    if (i > n || j < 1 || j > n) return;
    const int match = score[(i - 1) * (n + 1) + j - 1] + (a[i - 1] == b[j - 1] ? 2 : -1);
    const int gap = max(score[(i - 1) * (n + 1) + j], score[i * (n + 1) + j - 1]) - 1;
    score[i * (n + 1) + j] = max(match, gap);
}

/// A whole tile of the alignment in shared memory, wavefront by wavefront.
__global__ void align_in_block(const char* a, const char* b, int* score, int n) {
    extern __shared__ int tile[];
    const int t = threadIdx.x, width = n + 1;
    for (int i = t; i <= n; i += blockDim.x) tile[i] = -i, tile[i * width] = -i;
    __syncthreads();
    for (int diagonal = 2; diagonal <= 2 * n; ++diagonal) {
        const int i = t + 1, j = diagonal - i;
        if (i <= n && j >= 1 && j <= n) {
            const int match = tile[(i - 1) * width + j - 1] + (a[i - 1] == b[j - 1] ? 2 : -1);
            const int gap = max(tile[(i - 1) * width + j], tile[i * width + j - 1]) - 1;
            tile[i * width + j] = max(match, gap);
        }
        __syncthreads();
    }
    for (int i = t; i < width * width; i += blockDim.x) score[i] = tile[i];
}

__global__ void bitonic_step(float* data, int j, int k) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x, other = i ^ j;
    if (other <= i) return;
    const bool ascending = (i & k) == 0;
    if ((data[i] > data[other]) == ascending) {
        const float kept = data[i];
        data[i] = data[other];
        data[other] = kept;
    }
}

__global__ void bitonic_in_block(unsigned* keys) {
    __shared__ unsigned own[512];
    const int t = threadIdx.x;
    own[t] = keys[blockIdx.x * 512 + t];
    own[t + 256] = keys[blockIdx.x * 512 + t + 256];
    for (int size = 2; size <= 512; size *= 2) {
        for (int stride = size / 2; stride > 0; stride /= 2) {
            __syncthreads();
            const int at = 2 * t - (t & (stride - 1));
            const bool descending = (t & (size / 2)) != 0;
            const unsigned a = own[at], b = own[at + stride];
            if ((a > b) != descending) own[at] = b, own[at + stride] = a;
        }
    }
    __syncthreads();
    keys[blockIdx.x * 512 + t] = own[t];
    keys[blockIdx.x * 512 + t + 256] = own[t + 256];
}

__global__ void odd_even_sort(int* data, int n) {
    __shared__ bool changed;
    do {
        __syncthreads();
        if (threadIdx.x == 0) changed = false;
        __syncthreads();
        for (int phase = 0; phase < 2; ++phase) {
            const int i = 2 * threadIdx.x + phase;
            if (i + 1 < n && data[i] > data[i + 1]) {
                const int kept = data[i];
                data[i] = data[i + 1];
                data[i + 1] = kept;
                changed = true;
            }
            __syncthreads();
        }
    } while (changed);
}

__global__ void assign_clusters(const float2* points, int n, const float2* centres, int k,
                                int* cluster, float2* sums, int* counts) {
    __shared__ float2 own_sums[8];
    __shared__ int own_counts[8];
    if (threadIdx.x < k) own_sums[threadIdx.x] = make_float2(0, 0), own_counts[threadIdx.x] = 0;
    __syncthreads();
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float best = 1e30f;
        int nearest = 0;
        for (int c = 0; c < k; ++c) {
            const float dx = points[i].x - centres[c].x, dy = points[i].y - centres[c].y;
            const float distance = dx * dx + dy * dy;
            if (distance < best) best = distance, nearest = c;
        }
        cluster[i] = nearest;
        atomicAdd(&own_sums[nearest].x, points[i].x);
        atomicAdd(&own_sums[nearest].y, points[i].y);
        atomicAdd(&own_counts[nearest], 1);
    }
    __syncthreads();
    if (threadIdx.x < k) {
        atomicAdd(&sums[threadIdx.x].x, own_sums[threadIdx.x].x);
        atomicAdd(&sums[threadIdx.x].y, own_sums[threadIdx.x].y);
        atomicAdd(&counts[threadIdx.x], own_counts[threadIdx.x]);
    }
}

void check_searches() {
    const int nodes = 900;
    Random random(21);
    std::vector<int> rows(nodes + 1), columns;
    for (int v = 0; v < nodes; ++v) {
        rows[v] = static_cast<int>(columns.size());
        const int degree = v % 50 == 0 ? 120 : static_cast<int>(random.below(4));
        for (int e = 0; e < degree; ++e) columns.push_back(random.below(nodes));
    }
    rows[nodes] = static_cast<int>(columns.size());
    std::vector<int> expected(nodes, -1);
    std::queue<int> queue;
    expected[0] = 0;
    queue.push(0);
    while (!queue.empty()) {
        const int v = queue.front();
        queue.pop();
        for (int e = rows[v]; e < rows[v + 1]; ++e) {
            if (expected[columns[e]] < 0)
                expected[columns[e]] = expected[v] + 1, queue.push(columns[e]);
        }
    }
    std::vector<int> start(nodes, -1);
    start[0] = 0;
    DeviceArray<int> drows(rows), dcolumns(columns), level(start), frontier(nodes), next(nodes),
        size(1), swept(start);
    int count = 1;
    int *current = frontier, *following = next;
    for (int depth = 0; count > 0; ++depth) {
        CUDA(cudaMemset(size, 0, sizeof(int)));
        bfs_step<<<(count + 63) / 64, 64>>>(drows, dcolumns, level, current, count, following, size,
                                            depth);
        CHECK_LAUNCH();
        count = size.host()[0];
        std::swap(current, following);
    }
    CHECK(level.host() == expected);
    DeviceArray<bool> changed(1);
    for (int depth = 0;; ++depth) {
        CUDA(cudaMemset(changed, 0, 1));
        bfs_sweep<<<(nodes + 127) / 128, 128>>>(drows, dcolumns, swept, nodes, depth, changed);
        bool any;
        CUDA(cudaMemcpy(&any, changed, 1, cudaMemcpyDeviceToHost));
        if (!any) break;
    }
    CHECK(swept.host() == expected);

    std::vector<double> values(columns.size()), x(nodes), y(nodes);
    for (auto& v : values) v = random.below(10);
    for (auto& v : x) v = random.below(10);
    for (int r = 0; r < nodes; ++r) {
        for (int e = rows[r]; e < rows[r + 1]; ++e) y[r] += values[e] * x[columns[e]];
    }
    DeviceArray<double> dvalues(values), dx(x), scalar(nodes), vector(nodes);
    spmv_scalar<<<(nodes + 127) / 128, 128>>>(drows, dcolumns, dvalues, dx, scalar, nodes);
    spmv_vector<<<(nodes + 3) / 4, 128>>>(drows, dcolumns, dvalues, dx, vector, nodes);
    CHECK_LAUNCH();
    CHECK(scalar.host() == y && vector.host() == y);
}

void check_tables() {
    const int n = 60;
    Random random(4);
    std::vector<int> distance(n * n);
    for (int i = 0; i < n * n; ++i)
        distance[i] = i % (n + 1) == 0 ? 0 : random.below(5) ? 100000 : random.below(100) + 1;
    DeviceArray<int> ddistance(distance);
    for (int k = 0; k < n; ++k) {
        floyd_step<<<dim3(4, 4), dim3(16, 16)>>>(ddistance, n, k);
        for (int y = 0; y < n; ++y) {
            for (int x = 0; x < n; ++x) {
                distance[y * n + x] =
                    std::min(distance[y * n + x], distance[y * n + k] + distance[k * n + x]);
            }
        }
    }
    CHECK_LAUNCH();
    CHECK(ddistance.host() == distance);

    std::vector<char> a(n), b(n);
    for (char& c : a) c = "ACGT"[random.below(4)];
    for (char& c : b) c = "ACGT"[random.below(4)];
    std::vector<int> score((n + 1) * (n + 1));
    for (int i = 0; i <= n; ++i) score[i] = score[i * (n + 1)] = -i;
    DeviceArray<int> dscore(score), in_block((n + 1) * (n + 1));
    DeviceArray<char> da(a), db(b);
    for (int diagonal = 2; diagonal <= 2 * n; ++diagonal)
        align_diagonal<<<2, 32>>>(da, db, dscore, n, diagonal);
    align_in_block<<<1, 64, (n + 1) * (n + 1) * sizeof(int)>>>(da, db, in_block, n);
    CHECK_LAUNCH();
    for (int i = 1; i <= n; ++i) {
        for (int j = 1; j <= n; ++j) {
            const int match = score[(i - 1) * (n + 1) + j - 1] + (a[i - 1] == b[j - 1] ? 2 : -1);
            score[i * (n + 1) + j] = std::max(
                match, std::max(score[(i - 1) * (n + 1) + j], score[i * (n + 1) + j - 1]) - 1);
        }
    }
    CHECK(dscore.host() == score && in_block.host() == score);
}

void check_sorts() {
    const int n = 1024;
    Random random(8);
    std::vector<float> reals(n);
    for (float& v : reals) v = random.unit();
    DeviceArray<float> dreals(reals);
    for (int k = 2; k <= n; k *= 2) {
        for (int j = k / 2; j > 0; j /= 2) bitonic_step<<<n / 128, 128>>>(dreals, j, k);
    }
    CHECK_LAUNCH();
    std::sort(reals.begin(), reals.end());
    CHECK(dreals.host() == reals);
    std::vector<unsigned> keys(n);
    for (unsigned& v : keys) v = random.next() * 300;
    DeviceArray<unsigned> dkeys(keys);
    bitonic_in_block<<<2, 256>>>(dkeys);
    CHECK_LAUNCH();
    std::sort(keys.begin(), keys.begin() + 512);
    std::sort(keys.begin() + 512, keys.end());
    CHECK(dkeys.host() == keys);
    std::vector<int> few(200);
    for (int& v : few) v = random.below(1000);
    DeviceArray<int> dfew(few);
    odd_even_sort<<<1, 128>>>(dfew, 200);
    CHECK_LAUNCH();
    std::sort(few.begin(), few.end());
    CHECK(dfew.host() == few);
}

void check_clusters() {
    const int n = 1500, k = 5;
    Random random(6);
    std::vector<float2> points(n), centres(k);
    for (float2& p : points) p = make_float2(random.below(64), random.below(64));
    for (int c = 0; c < k; ++c) centres[c] = points[c * 100];
    DeviceArray<float2> dpoints(points);
    DeviceArray<int> cluster(n);
    for (int round = 0; round < 5; ++round) {
        DeviceArray<float2> dcentres(centres), sums(k);
        DeviceArray<int> counts(k);
        assign_clusters<<<(n + 127) / 128, 128>>>(dpoints, n, dcentres, k, cluster, sums, counts);
        CHECK_LAUNCH();
        std::vector<float2> host_sums(k, make_float2(0, 0));
        std::vector<int> host_counts(k);
        const auto got = cluster.host();
        for (int i = 0; i < n; ++i) {
            float best = 1e30f;
            int nearest = 0;
            for (int c = 0; c < k; ++c) {
                const float dx = points[i].x - centres[c].x, dy = points[i].y - centres[c].y;
                if (std::fmaf(dx, dx, dy * dy) < best)
                    best = std::fmaf(dx, dx, dy * dy), nearest = c;
            }
            // Rounding may decide between centres that are equally near; the sums below follow the
            // device's choice.
            const auto to = [&](int c) {
                return std::hypot(points[i].x - centres[c].x, points[i].y - centres[c].y);
            };
            CHECK_AT(i, got[i] == nearest || is_close(to(got[i]), to(nearest)));
            host_sums[got[i]].x += points[i].x;
            host_sums[got[i]].y += points[i].y;
            ++host_counts[got[i]];
        }
        CHECK(counts.host() == host_counts);
        for (int c = 0; c < k; ++c) {
            CHECK_AT(c, sums.host()[c].x == host_sums[c].x && sums.host()[c].y == host_sums[c].y);
            centres[c] =
                make_float2(host_sums[c].x / host_counts[c], host_sums[c].y / host_counts[c]);
        }
    }
}

int main() {
    check_searches();
    check_tables();
    check_sorts();
    check_clusters();
}

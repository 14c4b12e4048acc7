// SPDX-License-Identifier: Apache-2.0
// Numerical programs: n-body, Mandelbrot, stencils in two and three dimensions, convolution, Monte
// Carlo, heat, the game of life, numerical integration, Gaussian elimination.
#include "check.h"

__global__ void forces(const float4* bodies, float3* out, int n) {
    __shared__ float4 tile[64];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float4 own = i < n ? bodies[i] : make_float4(0, 0, 0, 0);
    float3 force = make_float3(0, 0, 0);
    for (int t = 0; t < n; t += blockDim.x) {
        if (t + threadIdx.x < n) tile[threadIdx.x] = bodies[t + threadIdx.x];
        __syncthreads();
        for (int k = 0; k < blockDim.x && t + k < n; ++k) {
            const float dx = tile[k].x - own.x, dy = tile[k].y - own.y, dz = tile[k].z - own.z;
            const float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f);
            const float scale = tile[k].w * inverse * inverse * inverse;
            force.x += dx * scale, force.y += dy * scale, force.z += dz * scale;
        }
        __syncthreads();
    }
    if (i < n) out[i] = force;
}

__host__ __device__ int escape_time(double cx, double cy, int limit) {
    double x = 0, y = 0;
    int turns = 0;
    while (x * x + y * y <= 4.0 && turns < limit) {
        const double next = x * x - y * y + cx;
        y = 2 * x * y + cy;
        x = next;
        ++turns;
    }
    return turns;
}

__global__ void mandelbrot(unsigned char* image, int width, int height, int limit) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    image[y * width + x] =
        static_cast<unsigned char>(escape_time(-2.0 + x * 0.0625, -1.0 + y * 0.0625, limit));
}

__global__ void stencil_1d(const int* in, int* out, int n) {
    __shared__ int tile[128 + 6];
    const int i = blockIdx.x * 128 + threadIdx.x, l = threadIdx.x + 3;
    tile[l] = i < n ? in[i] : 0;
    if (threadIdx.x < 3) {
        tile[l - 3] = i >= 3 ? in[i - 3] : 0;
        tile[l + 128] = i + 128 < n ? in[i + 128] : 0;
    }
    __syncthreads();
    int sum = 0;
    for (int o = -3; o <= 3; ++o) sum += tile[l + o] * (o + 4);
    if (i < n) out[i] = sum;
}

__global__ void heat(const float* in, float* out, int n) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x == 0 || y == 0 || x >= n - 1 || y >= n - 1) return;
    out[y * n + x] =
        0.25f * (in[y * n + x - 1] + in[y * n + x + 1] + in[(y - 1) * n + x] + in[(y + 1) * n + x]);
}

__global__ void stencil_3d(const double* in, double* out, int n) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x + 1,
              y = blockIdx.y * blockDim.y + threadIdx.y + 1;
    if (x >= n - 1 || y >= n - 1) return;
    const int plane = n * n, at = y * n + x;
    double below = in[at], here = in[at + plane];
    for (int z = 1; z < n - 1; ++z) {
        const double above = in[at + (z + 1) * plane];
        const int i = at + z * plane;
        out[i] = above + below + in[i - 1] + in[i + 1] + in[i - n] + in[i + n] - 6 * here;
        below = here;
        here = above;
    }
}

__global__ void life(const unsigned char* in, unsigned char* out, int width, int height) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= width * height) return;
    const int x = i % width, y = i / width;
    int alive = 0;
    for (int dy = -1; dy <= 1; ++dy) {
        for (int dx = -1; dx <= 1; ++dx) {
            if (dx != 0 || dy != 0)
                alive += in[(y + dy + height) % height * width + (x + dx + width) % width];
        }
    }
    out[i] = alive == 3 || (alive == 2 && in[i]);
}

__host__ __device__ unsigned hits(unsigned seed, int samples) {
    unsigned state = seed * 747796405u + 2891336453u, inside = 0;
    for (int s = 0; s < samples; ++s) {
        state = state * 1664525u + 1013904223u;
        const unsigned x = state >> 17;
        state = state * 1664525u + 1013904223u;
        const unsigned y = state >> 17;
        if (x * x + y * y < 1u << 30) ++inside;
    }
    return inside;
}

__global__ void monte_carlo(unsigned* total, int samples) {
    atomicAdd(total, hits(blockIdx.x * blockDim.x + threadIdx.x, samples));
}

__global__ void integrate(double* sum, long long steps) {
    double own = 0;
    for (long long i = blockIdx.x * blockDim.x + threadIdx.x; i < steps;
         i += gridDim.x * blockDim.x) {
        const double x = (i + 0.5) / steps;
        own += 4.0 / (1.0 + x * x);
    }
    atomicAdd(sum, own / steps);
}

__global__ void eliminate(double* m, int n, int pivot) {
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= n || row == pivot) return;
    const double factor = m[row * (n + 1) + pivot] / m[pivot * (n + 1) + pivot];
    for (int k = pivot; k <= n; ++k) m[row * (n + 1) + k] -= factor * m[pivot * (n + 1) + k];
}

int main() {
    const int n = 150;
    Random random(2);
    std::vector<float4> bodies(n);
    for (float4& b : bodies)
        b = make_float4(random.unit(), random.unit(), random.unit(), random.unit() + 0.1f);
    DeviceArray<float4> dbodies(bodies);
    DeviceArray<float3> dforces(n);
    forces<<<3, 64>>>(dbodies, dforces, n);
    CHECK_LAUNCH();
    for (int i = 0; i < n; ++i) {
        double x = 0, y = 0, z = 0;
        for (const float4& b : bodies) {
            const double dx = b.x - bodies[i].x, dy = b.y - bodies[i].y, dz = b.z - bodies[i].z;
            const double scale = b.w / std::pow(dx * dx + dy * dy + dz * dz + 0.01, 1.5);
            x += dx * scale, y += dy * scale, z += dz * scale;
        }
        const float3 f = dforces.host()[i];
        CHECK_AT(i, is_close(f.x, x, 1e-3, 1e-2) && is_close(f.y, y, 1e-3, 1e-2) &&
                        is_close(f.z, z, 1e-3, 1e-2));
    }

    DeviceArray<unsigned char> image(48 * 32);
    mandelbrot<<<dim3(3, 4), dim3(16, 8)>>>(image, 48, 32, 100);
    CHECK_LAUNCH();
    const auto pixels = image.host();
    for (int i = 0; i < 48 * 32; ++i) {
        CHECK_AT(i, pixels[i] == escape_time(-2.0 + i % 48 * 0.0625, -1.0 + i / 48 * 0.0625, 100));
    }

    std::vector<int> line(1000);
    for (int& v : line) v = random.below(100);
    DeviceArray<int> dline(line), dsmooth(1000);
    stencil_1d<<<8, 128>>>(dline, dsmooth, 1000);
    CHECK_LAUNCH();
    const auto smooth = dsmooth.host();
    for (int i = 0; i < 1000; ++i) {
        int sum = 0;
        for (int o = -3; o <= 3; ++o) sum += i + o >= 0 && i + o < 1000 ? line[i + o] * (o + 4) : 0;
        CHECK_AT(i, smooth[i] == sum);
    }

    const int side = 50;
    std::vector<float> grid(side * side), next;
    for (int i = 0; i < side; ++i) grid[i] = 100.0f;
    next = grid;
    DeviceArray<float> hot(grid), cold(grid);
    float *from = hot, *to = cold;
    for (int step = 0; step < 20; ++step) {
        heat<<<dim3(4, 7), dim3(16, 8)>>>(from, to, side);
        std::swap(from, to);
        for (int y = 1; y < side - 1; ++y) {
            for (int x = 1; x < side - 1; ++x) {
                next[y * side + x] = 0.25f * (grid[y * side + x - 1] + grid[y * side + x + 1] +
                                              grid[(y - 1) * side + x] + grid[(y + 1) * side + x]);
            }
        }
        std::swap(grid, next);
    }
    CHECK_LAUNCH();
    CHECK(hot.host() == grid);

    const int edge = 20;
    std::vector<double> cube(edge * edge * edge);
    for (double& v : cube) v = random.below(50);
    DeviceArray<double> dcube(cube), dresult(cube.size());
    stencil_3d<<<dim3(2, 3), dim3(16, 8)>>>(dcube, dresult, edge);
    CHECK_LAUNCH();
    const auto result = dresult.host();
    for (int z = 1; z < edge - 1; ++z) {
        for (int y = 1; y < edge - 1; ++y) {
            for (int x = 1; x < edge - 1; ++x) {
                const int i = (z * edge + y) * edge + x, p = edge * edge;
                CHECK_AT(i, result[i] == cube[i - p] + cube[i + p] + cube[i - 1] + cube[i + 1] +
                                             cube[i - edge] + cube[i + edge] - 6 * cube[i]);
            }
        }
    }

    const int width = 40, height = 30;
    std::vector<unsigned char> cells(width * height), after(width * height);
    for (auto& c : cells) c = random.below(3) == 0;
    DeviceArray<unsigned char> now(cells), then(cells);
    unsigned char *a = now, *b = then;
    for (int step = 0; step < 10; ++step) {
        life<<<(width * height + 95) / 96, 96>>>(a, b, width, height);
        std::swap(a, b);
        for (int i = 0; i < width * height; ++i) {
            int alive = 0;
            for (int d = 0; d < 9; ++d) {
                if (d != 4) {
                    alive += cells[(i / width + d / 3 - 1 + height) % height * width +
                                   (i % width + d % 3 - 1 + width) % width];
                }
            }
            after[i] = alive == 3 || (alive == 2 && cells[i]);
        }
        std::swap(cells, after);
    }
    CHECK_LAUNCH();
    CHECK(now.host() == cells);

    DeviceArray<unsigned> inside(1);
    monte_carlo<<<4, 128>>>(inside, 100);
    CHECK_LAUNCH();
    unsigned expected = 0;
    for (unsigned t = 0; t < 512; ++t) expected += hits(t, 100);
    CHECK(inside.host()[0] == expected && is_close(4.0 * expected / 51200, 3.14159, 0.02));

    DeviceArray<double> pi(1);
    integrate<<<4, 64>>>(pi, 20000);
    CHECK_LAUNCH();
    CHECK(is_close(pi.host()[0], 3.14159265358979, 1e-8));

    const int unknowns = 40;
    std::vector<double> m(unknowns * (unknowns + 1));
    for (double& v : m) v = random.unit();
    for (int i = 0; i < unknowns; ++i) m[i * (unknowns + 1) + i] += unknowns;
    DeviceArray<double> system(m);
    for (int p = 0; p < unknowns; ++p) eliminate<<<2, 32>>>(system, unknowns, p);
    CHECK_LAUNCH();
    const auto solved = system.host();
    for (int row = 0; row < unknowns; ++row) {
        double sum = 0;
        for (int k = 0; k < unknowns; ++k) {
            const double x = solved[k * (unknowns + 1) + unknowns] / solved[k * (unknowns + 1) + k];
            sum += m[row * (unknowns + 1) + k] * x;
        }
        CHECK_AT(row, is_close(sum, m[row * (unknowns + 1) + unknowns], 1e-9));
    }
}

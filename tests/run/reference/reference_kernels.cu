// SPDX-License-Identifier: Apache-2.0
// clang-format off: profiles of an H200 name these lines.
// The kernels that the source documents describe, launched once each with fixed sizes and deterministic data.
// reference_h200.csv holds what an H200 (compute capability 9.0) counted for each launch, in launch order.
#include <cstdio>
#include <cstdlib>
#include <vector>
#define CK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); exit(1);} } while (0)
constexpr int T = 32;
// 000: vectorised copies
__global__ void copy_scalar(int* in, int* out, int N) { for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < N; i += blockDim.x * gridDim.x) out[i] = in[i]; }
__global__ void copy_vector2(int* in, int* out, int N) { int idx = blockIdx.x * blockDim.x + threadIdx.x;
  for (int i = idx; i < N / 2; i += blockDim.x * gridDim.x) reinterpret_cast<int2*>(out)[i] = reinterpret_cast<int2*>(in)[i];
  if (idx == N / 2 && N % 2 == 1) out[N - 1] = in[N - 1]; }
__global__ void copy_vector4(int* in, int* out, int N) { int idx = blockIdx.x * blockDim.x + threadIdx.x;
  for (int i = idx; i < N / 4; i += blockDim.x * gridDim.x) reinterpret_cast<int4*>(out)[i] = reinterpret_cast<int4*>(in)[i];
  int r = N % 4; if (idx == N / 4 && r != 0) while (r) { int k = N - r--; out[k] = in[k]; } }
struct Foo { int a, b; double c; };
__global__ void copy_struct(Foo* x, Foo* y, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] = y[i]; }
// 003: coalesced, strided, matrices
__global__ void coalesced_access(float* in, float* out, int n) { int t = blockIdx.x * blockDim.x + threadIdx.x; if (t < n) out[t] = in[t] * 2.0f; }
__global__ void uncoalesced_access(float* in, float* out, int n) { int t = blockIdx.x * blockDim.x + threadIdx.x; if (t < n) { int s = (t * 32) % n; out[t] = in[s] * 2.0f; } }
__global__ void strided_access(float* a, int s) { int i = (blockDim.x * blockIdx.x + threadIdx.x) * s; a[i] = a[i] + 1; }
__global__ void offset_access(float* a, int s) { int i = blockDim.x * blockIdx.x + threadIdx.x + s; a[i] = a[i] + 1; }
__global__ void coalesced_matrix(float* m, int w, int h) { int r = blockIdx.y * blockDim.y + threadIdx.y, c = blockIdx.x * blockDim.x + threadIdx.x;
  if (r < h && c < w) { int i = r * w + c; m[i] = m[i] * 2.0f + 1.0f; } }
__global__ void uncoalesced_matrix(float* m, int w, int h) { int r = blockIdx.y * blockDim.y + threadIdx.y, c = blockIdx.x * blockDim.x + threadIdx.x;
  if (r < h && c < w) { int i = c * h + r; m[i] = m[i] * 2.0f + 1.0f; } }
// 004: misaligned, broadcast, transposes
__global__ void add_offset(float* x, float* y, float* z) { int t = blockIdx.x * blockDim.x + threadIdx.x + 1; z[t] = x[t] + y[t]; }
__global__ void add_broadcast(float* x, float* y, float* z) { int t = blockIdx.x * blockDim.x + threadIdx.x; z[t] = x[0] + y[t]; }
__global__ void transpose_write_coalesced(const double* A, double* B, int N) { int nx = blockIdx.x * blockDim.x + threadIdx.x, ny = blockIdx.y * blockDim.y + threadIdx.y; if (nx < N && ny < N) B[ny * N + nx] = A[nx * N + ny]; }
__global__ void transpose_read_coalesced(const double* A, double* B, int N) { int nx = blockIdx.x * blockDim.x + threadIdx.x, ny = blockIdx.y * blockDim.y + threadIdx.y; if (nx < N && ny < N) B[nx * N + ny] = A[ny * N + nx]; }
__global__ void transpose_ldg(const double* A, double* B, int N) { int nx = blockIdx.x * blockDim.x + threadIdx.x, ny = blockIdx.y * blockDim.y + threadIdx.y; if (nx < N && ny < N) B[ny * N + nx] = __ldg(&A[nx * N + ny]); }
template <int PAD> __global__ void transpose_shared(const float* A, float* B, int N) { __shared__ float s[T][T + PAD];
  int x = blockIdx.x * T + threadIdx.x, y = blockIdx.y * T + threadIdx.y; if (x < N && y < N) s[threadIdx.y][threadIdx.x] = A[y * N + x]; __syncthreads();
  int x2 = blockIdx.y * T + threadIdx.x, y2 = blockIdx.x * T + threadIdx.y; if (x2 < N && y2 < N) B[y2 * N + x2] = s[threadIdx.x][threadIdx.y]; }
// 002: vector add, GEMMs, float3, AoS/SoA, reductions, divergence
__global__ void vector_add(const float* A, const float* B, float* C, int N) { int i = blockIdx.x * blockDim.x + threadIdx.x, st = blockDim.x * gridDim.x; while (i < N) { C[i] = A[i] + B[i]; i += st; } }
__global__ void add_vec_bounds(float* A, float* B, float* C, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) C[i] = A[i] + B[i]; }
__global__ void matmul_naive(const float* A, const float* B, float* C, int N) { int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < N && col < N) { float s = 0; for (int k = 0; k < N; ++k) s += A[row * N + k] * B[k * N + col]; C[row * N + col] = s; } }
template <int W> __global__ void matmul_shared(const float* A, const float* B, float* C, int N) { __shared__ float As[W][W], Bs[W][W];
  int bx = blockIdx.x, by = blockIdx.y, tx = threadIdx.x, ty = threadIdx.y, row = by * W + ty, col = bx * W + tx; float v = 0;
  for (int p = 0; p < N / W; ++p) { As[ty][tx] = A[row * N + p * W + tx]; Bs[ty][tx] = B[(p * W + ty) * N + col]; __syncthreads();
    for (int k = 0; k < W; ++k) v += As[ty][k] * Bs[k][tx]; __syncthreads(); }
  if (row < N && col < N) C[row * N + col] = v; }
__global__ void scale_float3(float3* p, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) { float3 v = p[i]; v.x *= 2; v.y *= 2; v.z *= 2; p[i] = v; } }
struct Pixel { float r, g, b; };
__global__ void aos_read_r(const Pixel* p, float* o, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) o[i] = p[i].r; }
__global__ void soa_read_r(const float* r, float* o, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) o[i] = r[i]; }
__global__ void reduce_shared_atomic(const float* in, float* out, int n) { __shared__ float s[256]; int t = threadIdx.x, i = blockIdx.x * blockDim.x + t; s[t] = i < n ? in[i] : 0; __syncthreads();
  for (int h = blockDim.x / 2; h > 0; h >>= 1) { if (t < h) s[t] += s[t + h]; __syncthreads(); } if (t == 0) atomicAdd(out, s[0]); }
__global__ void reduce_two_pass(const float* in, float* part, int n) { __shared__ float s[256]; int t = threadIdx.x; float v = 0; for (int i = blockIdx.x * blockDim.x + t; i < n; i += gridDim.x * blockDim.x) v += in[i]; s[t] = v; __syncthreads();
  for (int h = blockDim.x / 2; h > 0; h >>= 1) { if (t < h) s[t] += s[t + h]; __syncthreads(); } if (t == 0) part[blockIdx.x] = s[0]; }
__global__ void reduce_shuffle(const float* in, float* out, int n) { __shared__ float s[32]; int t = threadIdx.x, i = blockIdx.x * blockDim.x + t; float v = i < n ? in[i] : 0;
  for (int o = 16; o; o >>= 1) v += __shfl_down_sync(~0u, v, o); if (t % 32 == 0) s[t / 32] = v; __syncthreads();
  if (t < 32) { v = t < blockDim.x / 32 ? s[t] : 0; for (int o = 16; o; o >>= 1) v += __shfl_down_sync(~0u, v, o); if (t == 0) atomicAdd(out, v); } }
__global__ void diverge_branch(float* a, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return; float v = a[i]; if (threadIdx.x % 32 < 24) { for (int k = 0; k < 20; k++) v = v * v + 0.5f; } else { for (int k = 0; k < 20; k++) v = sqrtf(v + 1.0f); } a[i] = v; }
__global__ void diverge_loop(float* a, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return; float v = a[i]; for (int k = 0; k < 4 + (int)(threadIdx.x % 5); k++) v = v * 1.5f + a[(i + k) % n]; a[i] = v; }
template <int S> __global__ void bank_stride(float* o) { __shared__ float s[32 * S + 32]; s[threadIdx.x * S] = threadIdx.x; __syncthreads(); o[blockIdx.x * 32 + threadIdx.x] = s[threadIdx.x * S] + 1; }
__global__ void local_dynamic(const int* idx, float* o, int n) { float a[40]; int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return; for (int k = 0; k < 40; k++) a[k] = k * (float)i; float v = 0; for (int k = 0; k < 8; k++) { v += a[idx[(i + k) % n] % 40]; a[(k * 7 + idx[i]) % 40] = v; } o[i] = v + a[idx[i] % 40]; }
__global__ void reg33(float* a, const float* b, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; float r[24]; if (i >= n / 24) return;
#pragma unroll
  for (int k = 0; k < 24; k++) r[k] = b[i + k * (n / 24)];
#pragma unroll
  for (int j = 0; j < 24; j++) { float v = 0;
#pragma unroll
    for (int k = 0; k < 24; k++) v = v * r[(j + k) % 24] + r[k]; a[i + j * (n / 24)] = v; } }
int main() {
  const int n = 1 << 22; float *a, *b, *c; CK(cudaMalloc(&a, n * 33ull * 4)); CK(cudaMalloc(&b, n * 8ull)); CK(cudaMalloc(&c, n * 8ull + 4096));
  std::vector<float> h(2 * n); for (int i = 0; i < 2 * n; i++) h[i] = (float)(rand() % 1000) / 1000.f; CK(cudaMemset(a, 0, n * 33ull * 4)); CK(cudaMemcpy(a, h.data(), n * 8ull, cudaMemcpyHostToDevice)); CK(cudaMemcpy(b, h.data(), n * 8ull, cudaMemcpyHostToDevice));
  int* ia = (int*)a; int* ib = (int*)b; const int N = n - 5;
  copy_scalar<<<1024, 256>>>(ia, ib, N); copy_vector2<<<1024, 256>>>(ia, ib, N); copy_vector4<<<1024, 256>>>(ia, ib, N); copy_struct<<<n / 4 / 256, 256>>>((Foo*)b, (Foo*)a, n / 4);
  coalesced_access<<<n / 256, 256>>>(a, b, n); uncoalesced_access<<<n / 256, 256>>>(a, b, n);
  for (int s : {1, 2, 3, 4, 8, 16, 32}) strided_access<<<n / 256, 256>>>(a, s);
  for (int s : {0, 1, 2, 7, 8, 16, 31, 32}) offset_access<<<n / 256, 256>>>(a, s);
  coalesced_matrix<<<dim3(64, 64), dim3(32, 32)>>>(a, 2048, 2048); uncoalesced_matrix<<<dim3(64, 64), dim3(32, 32)>>>(a, 2048, 2048);
  add_offset<<<128, 32>>>(a, b, c); add_broadcast<<<128, 32>>>(a, b, c);
  double *da = (double*)a, *db = (double*)b; dim3 tg(32, 32), tb(32, 32);
  transpose_write_coalesced<<<tg, tb>>>(da, db, 1000); transpose_read_coalesced<<<tg, tb>>>(da, db, 1000); transpose_ldg<<<tg, tb>>>(da, db, 1000);
  transpose_shared<0><<<dim3(64, 64), tb>>>(a, b, 2048); transpose_shared<1><<<dim3(64, 64), tb>>>(a, b, 2048); transpose_shared<1><<<dim3(63, 63), tb>>>(a, b, 1999);
  vector_add<<<528, 256>>>(a, b, c, N); add_vec_bounds<<<16, 64>>>(a, b, c, 1003); add_vec_bounds<<<1, 128>>>(a, b, c, 100); add_vec_bounds<<<40, 256>>>(a, b, c, 10000);
  matmul_naive<<<dim3(16, 16), tb>>>(a, b, c, 512); matmul_naive<<<dim3(32, 32), dim3(16, 16)>>>(a, b, c, 512); matmul_shared<32><<<dim3(16, 16), tb>>>(a, b, c, 512); matmul_shared<16><<<dim3(32, 32), dim3(16, 16)>>>(a, b, c, 512);
  scale_float3<<<4096, 256>>>((float3*)a, 1 << 20); aos_read_r<<<4096, 256>>>((Pixel*)a, b, 1 << 20); soa_read_r<<<4096, 256>>>(a, b, 1 << 20);
  reduce_shared_atomic<<<n / 256, 256>>>(a, c, n - 77); reduce_two_pass<<<1024, 256>>>(a, c, n - 77); reduce_two_pass<<<1, 256>>>(c, b, 1024); reduce_shuffle<<<n / 256, 256>>>(a, c, n - 77);
  diverge_branch<<<4096, 256>>>(a, (1 << 20) - 3); diverge_loop<<<4096, 256>>>(a, (1 << 20) - 3);
  bank_stride<1><<<256, 32>>>(c); bank_stride<2><<<256, 32>>>(c); bank_stride<3><<<256, 32>>>(c); bank_stride<4><<<256, 32>>>(c); bank_stride<8><<<256, 32>>>(c); bank_stride<16><<<256, 32>>>(c); bank_stride<32><<<256, 32>>>(c); bank_stride<33><<<256, 32>>>(c);
  CK(cudaMemset(a, 0, 1 << 24)); std::vector<int> hi(1 << 18); for (auto& x : hi) x = rand() & 0xffff; CK(cudaMemcpy(a, hi.data(), 1 << 20, cudaMemcpyHostToDevice)); local_dynamic<<<1024, 256>>>((int*)a, c, 1 << 18); reg33<<<(n / 24 + 255) / 256, 256>>>(c, b, n);
  CK(cudaGetLastError()); CK(cudaDeviceSynchronize()); puts("ok"); }

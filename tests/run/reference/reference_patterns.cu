// SPDX-License-Identifier: Apache-2.0
// clang-format off: profiles of an H200 name these lines.
// Access patterns that separate a right counting rule from one that only looks right: atomics of several lanes, wide and
// broadcast shared accesses, asynchronous copies, narrow types, partial warps, gathers, cache operators, constants.
// reference_patterns_h200.csv holds what an H200 counted for each launch, in launch order.
#include <cstdio>
#include <cstdlib>
#include <cuda_pipeline.h>
#include <vector>
#define CK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); exit(1);} } while (0)
using byte = unsigned char;
#define TID (blockIdx.x * blockDim.x + threadIdx.x)
enum Where { same, each, pairs, quads, stride2, stride8, stride33, reversed, by_index };
__device__ int place(Where w, int i, const int* idx) { switch (w) { case same: return 0; case each: return i; case pairs: return i / 2; case quads: return i / 4; case stride2: return 2 * i; case stride8: return 8 * i; case stride33: return 33 * i; case reversed: return i ^ 31; default: return idx[i]; } }
// reductions: the result is not used
template <class T, Where W> __global__ void red_add(T* p, const int* idx) { atomicAdd(p + place(W, TID, idx), T(1)); }
template <Where W> __global__ void red_max(int* p, const int* idx) { int i = TID; atomicMax(p + place(W, i, idx), i); }
// atomics: the result is used
template <class T, Where W> __global__ void atom_add(T* p, const int* idx, T* out) { int i = TID; out[i] = atomicAdd(p + place(W, i, idx), T(1)); }
template <Where W> __global__ void atom_cas(unsigned* p, const int* idx, unsigned* out) { int i = TID; out[i] = atomicCAS(p + place(W, i, idx), 0u, unsigned(i)); }
template <Where W> __global__ void red_add_half_lanes(float* p, const int* idx) { if (threadIdx.x & 1) atomicAdd(p + place(W, TID, idx), 1.f); }
// shared memory of every width and pattern; V words of 4 bytes a lane
enum Lanes { consecutive, broadcast, lane_pairs, lane_quads, by2, by3, by5, by8, by16, by32, by33, mirrored };
__device__ int slot(Lanes l, int t) { switch (l) { case consecutive: return t; case broadcast: return 0; case lane_pairs: return t / 2; case lane_quads: return t / 4; case by2: return 2 * t; case by3: return 3 * t; case by5: return 5 * t; case by8: return 8 * t; case by16: return 16 * t; case by32: return 32 * t; case by33: return 33 * t; default: return 31 - t; } }
template <class V, Lanes L> __global__ void shared_load(const V* in, V* out) { __shared__ V s[33 * 32]; int t = threadIdx.x; for (int k = t; k < 33 * 32; k += 32) s[k] = in[k]; __syncwarp(); out[TID] = s[slot(L, t)]; }
template <class V, Lanes L> __global__ void shared_store(V* out, V v) { __shared__ V s[33 * 32]; int t = threadIdx.x; s[slot(L, t)] = v; __syncwarp(); out[TID] = s[t]; }
__global__ void shared_atomic(int* out, int mod) { __shared__ int h[64]; int t = threadIdx.x; if (t < 64) h[t] = 0; __syncthreads(); atomicAdd(&h[(t * 7) % mod], 1); __syncthreads(); if (t < 64) out[blockIdx.x * 64 + t] = h[t]; }
// global memory: types, partial warps, gathers, cache operators
template <class T> __global__ void copy_as(const T* a, T* b, int n) { int i = TID; if (i < n) b[i] = a[i]; }
struct alignas(16) Aligned16 { int a, b; double c; }; struct Odd20 { int w[5]; }; struct Bytes3 { unsigned char r, g, b; };
__global__ void every_other_lane(const float* a, float* b, int n) { int i = TID; if (i < n && (i & 1)) b[i] = a[i]; }
__global__ void lane_zero_only(const float* a, float* b, int n) { int i = TID; if (i < n && (i & 31) == 0) b[i] = a[i]; }
__global__ void gather(const float* a, const int* idx, float* b, int n) { int i = TID; if (i < n) b[i] = a[idx[i]]; }
__global__ void scatter(const float* a, const int* idx, float* b, int n) { int i = TID; if (i < n) b[idx[i]] = a[i]; }
__global__ void cache_operators(const float* a, float* b, int n) { int i = TID; if (i < n) { __stcs(b + i, __ldg(a + i)); __stcg(b + i + n, __ldcs(a + i + n)); __stwt(b + i + 2 * n, __ldcg(a + i + 2 * n)); b[i + 3 * n] = __ldlu(a + i + 3 * n); } }
__global__ void volatile_access(volatile float* a, volatile float* b, int n) { int i = TID; if (i < n) b[i] = a[i]; }
__constant__ float table[256];
__global__ void constant_read(float* b, int n, int k) { int i = TID; if (i < n) b[i] = table[k] + table[i & 255]; }
__global__ void async_copy16(const float4* a, float4* b) { __shared__ float4 s[256]; int t = threadIdx.x; __pipeline_memcpy_async(s + t, a + TID, 16); __pipeline_commit(); __pipeline_wait_prior(0); __syncthreads(); b[TID] = s[t ^ 1]; }
__global__ void async_copy4(const float* a, float* b) { __shared__ float s[256]; int t = threadIdx.x; __pipeline_memcpy_async(s + t, a + TID, 4); __pipeline_commit(); __pipeline_wait_prior(0); __syncthreads(); b[TID] = s[255 - t]; }
__global__ void csr_matvec(const int* row, const int* col, const float* v, const float* x, float* y, int n) { int r = TID; if (r >= n) return; float s = 0; for (int k = row[r]; k < row[r + 1]; k++) s += v[k] * x[col[k]]; y[r] = s; }
__global__ void stencil(const float* a, float* b, int w, int h) { int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y; if (x > 0 && y > 0 && x < w - 1 && y < h - 1) b[y * w + x] = a[y * w + x] + a[y * w + x - 1] + a[y * w + x + 1] + a[(y - 1) * w + x] + a[(y + 1) * w + x]; }
__global__ void compact(const int* a, int* b, int* count, int n) { int i = TID, lane = threadIdx.x & 31; bool keep = i < n && a[i] % 3 == 0; unsigned m = __ballot_sync(~0u, keep); int base = 0; if (lane == 0 && m) base = atomicAdd(count, __popc(m)); base = __shfl_sync(~0u, base, 0); if (keep) b[base + __popc(m & ((1u << lane) - 1))] = a[i]; }
__global__ void switch_paths(const int* a, float* b, int n) { int i = TID; if (i >= n) return; float v = i; switch (a[i] & 3) { case 0: v = b[i] * 2; break; case 1: v = b[i ^ 1] + 1; break; case 2: v = sqrtf(v); break; default: b[i + n] = v; } b[i + 2 * n] = v; }
int main() { const int n = 1 << 18; char *x, *y, *z; int* idx; CK(cudaMalloc(&x, 64 << 20)); CK(cudaMalloc(&y, 64 << 20)); CK(cudaMalloc(&z, 64 << 20)); CK(cudaMalloc(&idx, 4 * n));
  std::vector<int> h(n); srand(7); for (int i = 0; i < n; i++) h[i] = i; for (int i = n - 1; i > 0; i--) std::swap(h[i], h[(rand() * 32768ll + rand()) % (i + 1)]); CK(cudaMemcpy(idx, h.data(), 4 * n, cudaMemcpyHostToDevice)); CK(cudaMemset(x, 0, 64 << 20)); CK(cudaMemset(y, 0, 64 << 20)); CK(cudaMemset(z, 0, 64 << 20));
  float *fx = (float*)x, *fy = (float*)y; int *ix = (int*)x, *iy = (int*)y; const int B = 64, T = 128;
#define RED(W) red_add<float, W><<<B, T>>>(fx, idx); red_add<int, W><<<B, T>>>(ix, idx); red_add<double, W><<<B, T>>>((double*)x, idx); atom_add<float, W><<<B, T>>>(fx, idx, fy); atom_add<int, W><<<B, T>>>(ix, idx, iy); red_max<W><<<B, T>>>(ix, idx); atom_cas<W><<<B, T>>>((unsigned*)x, idx, (unsigned*)y); red_add_half_lanes<W><<<B, T>>>(fx, idx);
  RED(same) RED(each) RED(pairs) RED(quads) RED(stride2) RED(stride8) RED(stride33) RED(reversed) RED(by_index)
#define SH(V, L) shared_load<V, L><<<B, 32>>>((V*)x, (V*)y); shared_store<V, L><<<B, 32>>>((V*)y, V{});
#define SHV(V) SH(V, consecutive) SH(V, broadcast) SH(V, lane_pairs) SH(V, lane_quads) SH(V, by2) SH(V, by3) SH(V, by5) SH(V, by8) SH(V, by16) SH(V, by32) SH(V, by33) SH(V, mirrored)
  SHV(byte) SHV(short) SHV(float) SHV(float2) SHV(float4)
  shared_atomic<<<B, 128>>>(iy, 1); shared_atomic<<<B, 128>>>(iy, 8); shared_atomic<<<B, 128>>>(iy, 64);
  copy_as<<<n / 256, 256>>>((unsigned char*)x, (unsigned char*)y, n); copy_as<<<n / 256, 256>>>((short*)x, (short*)y, n); copy_as<<<n / 256, 256>>>((double*)x, (double*)y, n); copy_as<<<n / 256, 256>>>((float4*)x, (float4*)y, n - 3); copy_as<<<n / 256, 256>>>((Aligned16*)x, (Aligned16*)y, n); copy_as<<<n / 256, 256>>>((Odd20*)x, (Odd20*)y, n); copy_as<<<n / 256, 256>>>((Bytes3*)x, (Bytes3*)y, n); copy_as<<<n / 256, 256>>>((unsigned char*)x + 1, (unsigned char*)y + 2, n); copy_as<<<n / 256, 256>>>((float2*)(fx + 2), (float2*)(fy + 6), n);
  every_other_lane<<<n / 256, 256>>>(fx, fy, n); lane_zero_only<<<n / 256, 256>>>(fx, fy, n); gather<<<n / 256, 256>>>(fx, idx, fy, n); scatter<<<n / 256, 256>>>(fx, idx, fy, n); cache_operators<<<n / 256, 256>>>(fx, fy, n); volatile_access<<<n / 256, 256>>>(fx, fy, n); constant_read<<<n / 256, 256>>>(fy, n, 3);
  async_copy16<<<B, 256>>>((float4*)x, (float4*)y); async_copy4<<<B, 256>>>(fx, fy);
  std::vector<int> row(n / 8 + 1), col; for (int r = 0; r < n / 8; r++) { row[r] = col.size(); for (int k = 0; k < 1 + h[r] % 13; k++) col.push_back(h[(r * 11 + k) % n] % (n / 8)); } row[n / 8] = col.size(); int *dr = (int*)z, *dc = dr + n; CK(cudaMemcpy(dr, row.data(), row.size() * 4, cudaMemcpyHostToDevice)); CK(cudaMemcpy(dc, col.data(), col.size() * 4, cudaMemcpyHostToDevice));
  csr_matvec<<<n / 8 / 128, 128>>>(dr, dc, fx, fx, fy, n / 8); stencil<<<dim3(16, 64), dim3(32, 8)>>>(fx, fy, 500, 509); CK(cudaMemset(z, 0, 4)); compact<<<n / 256, 256>>>(idx, iy, (int*)z, n); switch_paths<<<n / 256, 256>>>(idx, fy, n);
  CK(cudaGetLastError()); CK(cudaDeviceSynchronize()); puts("ok"); }

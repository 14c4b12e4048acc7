// SPDX-License-Identifier: Apache-2.0
// Arithmetic of every type, and inline assembly.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

__global__ void halves(const __half2* a, const __half* h, float* f) {
    const int i = threadIdx.x;
    __half2 x = __hfma2(a[i], a[i + 1], a[i + 2]);
    x = __hadd2_sat(h2sin(x), a[i]);
    f[i] = __low2float(x) + float(hexp(h[i])) + float(h[i] > h[i + 1]) + __half2int_rn(h[i]);
}

__global__ void bfloats(__nv_bfloat162* c, __nv_bfloat16* b, float* f) {
    const int i = threadIdx.x;
#if __CUDA_ARCH__ >= 800
    c[i] = __hmax2(__hfma2(c[i], c[i + 1], c[i]), c[i + 1]);
#endif
    b[i] = __hneg(__float2bfloat16_rn(f[i]) + b[i]);
    f[i] += __bfloat162float(b[i]);
    c[9] = __floats2bfloat162_rn(f[1], f[2]);
}

__global__ void eight_bits(__nv_fp8_e4m3* a, __nv_fp8x2_e5m2* b, float2* f) {
    a[0] = __nv_fp8_e4m3(f[0].x);
    f[1].x = float(a[1]);
    b[0] = __nv_fp8x2_e5m2(f[0]);
    f[2] = float2(b[1]);
}

__global__ void singles(float* f) {
    f[0] = sinf(f[0]) + expf(f[2]) + logf(f[3]) + powf(f[4], f[5]) + tanf(f[6]) + sqrtf(f[7]) +
           rsqrtf(f[8]) + f[9] / f[10] + fmodf(f[11], f[12]) + __sinf(f[13]) + __expf(f[1]);
    f[1] = __fdividef(f[1], f[2]) + tanhf(f[3]) + erff(f[4]) + lgammaf(f[5]) + rintf(f[6]) +
           floorf(f[7]) + __fadd_rz(f[1], f[2]) + __ldg(f + 1) + __ldcg(f + 2) + __ldcs(f + 3) +
           __ldlu(f + 5) + __ldcv(f + 6);
    __stcg(f + 7, 1.f);
    __stcs(f + 8, 2.f);
    __stwt(f + 9, 3.f);
}

__global__ void doubles(double* d) {
    d[0] = sin(d[0]) + exp(d[2]) + log(d[3]) + pow(d[4], d[5]) + sqrt(d[6]) + d[7] / d[8] +
           rsqrt(d[9]) + cbrt(d[1]) + fma(d[1], d[2], d[3]) + __dadd_ru(d[1], d[2]);
}

__global__ void integers(int* i, long long* l, double* d) {
    i[0] = __clz(i[1]) + __ffs(i[2]) + __mulhi(i[3], i[4]) + __byte_perm(i[5], i[6], i[7]) +
           __dp4a(i[1], i[2], i[3]) + __sad(i[1], i[2], i[3]) + __funnelshift_l(i[1], i[2], i[3]) +
           __vadd4(i[1], i[2]) + __double2int_rz(d[1]) + max(i[1], i[2]) + __fns(i[1], i[2], i[3]);
    l[0] = l[1] * l[2] + __mul64hi(l[3], l[4]) + l[5] / l[6] + l[7] % l[8] + __popcll(l[1]) +
           static_cast<long long>(__int128(l[1]) * l[2] >> 64) + __double_as_longlong(d[1]);
}

__global__ void assembly(int* i, float* f, long long* l) {
    asm volatile(
        "{ .reg .pred p; .reg .b32 t<4>; setp.lt.s32 p, %1, 3; @p add.s32 t1, %1, 1;"
        " @!p mov.b32 t1, 0x7U; mov.u32 %0, t1; }"
        : "=r"(i[8])
        : "r"(i[9]));
    asm("mov.u32 %0, %%lanemask_lt;" : "=r"(i[10]));
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(l[4]));
    asm volatile("prefetch.global.L2 [%0];" ::"l"(f));
    asm volatile("lop3.b32 %0,%1,%2,%3,0xe8;" : "=r"(i[1]) : "r"(i[2]), "r"(i[3]), "r"(i[4]));
    asm volatile("ld.global.nc.L1::no_allocate.v4.f32 {%0,%1,%2,%3}, [%4];"
                 : "=f"(f[0]), "=f"(f[1]), "=f"(f[2]), "=f"(f[3])
                 : "l"(f + 8));
    __nanosleep(100);
}

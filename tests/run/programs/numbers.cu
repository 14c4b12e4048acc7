// SPDX-License-Identifier: Apache-2.0
// Numbers of every width: half and bfloat16, 64 and 128 bits, mathematical functions of the
// device's library against the host's, intrinsics, packed bytes. Built with and without fast math.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "check.h"

#ifdef FAST
constexpr double kSlack = 2e-4;
#else
constexpr double kSlack = 2e-6;
#endif

constexpr int kDoubles = 24, kFloats = 20;

__host__ __device__ void double_functions(double x, double* out) {
    int k = 0;
    out[k++] = sin(x), out[k++] = cos(x), out[k++] = tan(x), out[k++] = exp(x / 8),
    out[k++] = log(x + 1);
    out[k++] = pow(x + 0.5, 1.7), out[k++] = sqrt(x), out[k++] = cbrt(x), out[k++] = erf(x / 10);
    out[k++] = tgamma(x / 10 + 1), out[k++] = lgamma(x + 1), out[k++] = atan2(x, 3.0),
    out[k++] = asin(x / 101);
    out[k++] = sinh(x / 20), out[k++] = tanh(x / 20), out[k++] = log2(x + 3),
    out[k++] = exp2(x / 9);
    out[k++] = fmod(x * 7.3, 2.1), out[k++] = hypot(x, 4.0),
    out[k++] = floor(x * 1.3) + ceil(x * 1.7) + rint(x * 2.5);
    out[k++] = log1p(x), out[k++] = expm1(x / 30), out[k++] = 1.0 / (x + 3),
    out[k++] = fma(x, x, -x);
}

__host__ __device__ void float_functions(float x, float* out) {
    int k = 0;
    out[k++] = sinf(x / 16), out[k++] = cosf(x / 16), out[k++] = expf(x / 8),
    out[k++] = logf(x + 2);
    out[k++] = powf(x + 0.5f, 1.5f), out[k++] = sqrtf(x), out[k++] = tanf(x / 80),
    out[k++] = atanf(x);
    out[k++] = erff(x / 20), out[k++] = tanhf(x / 20), out[k++] = x / 3.7f, out[k++] = exp2f(x / 9);
    out[k++] = log10f(x + 1), out[k++] = fmodf(x * 3.1f, 2.3f), out[k++] = roundf(x * 0.3f),
    out[k++] = cbrtf(x);
    out[k++] = fminf(x, 7.5f) + fmaxf(x, 3.5f), out[k++] = fabsf(x - 50), out[k++] = acosf(x / 101);
    out[k++] = truncf(x * 0.7f) + floorf(-x * 0.7f);
}

__global__ void run_doubles(double* out) {
    double_functions(threadIdx.x, out + threadIdx.x * kDoubles);
}
__global__ void run_floats(float* out) {
    float_functions(threadIdx.x, out + threadIdx.x * kFloats);
}

__global__ void fast_intrinsics(float* out) {
    const float x = threadIdx.x * 0.05f + 0.1f;
    float* own = out + threadIdx.x * 8;
    own[0] = __sinf(x), own[1] = __cosf(x), own[2] = __expf(x), own[3] = __logf(x),
    own[4] = __fdividef(x, 3.0f);
    own[5] = __powf(x, 2.5f), own[6] = rsqrtf(x), own[7] = __saturatef(x - 1);
}

__global__ void halves(const float* in, float* out) {
    const float v = in[threadIdx.x];
    const __half a = __float2half(v), b = __float2half(0.75f);
    float* own = out + threadIdx.x * 10;
    own[0] = __half2float(__hadd(a, b));
    own[1] = __half2float(__hmul(a, b));
    own[2] = __half2float(__hfma(a, b, b));
    own[3] = __hlt(a, b);
    const __half2 two = __floats2half2_rn(v, v + 1), sum = __hadd2(two, __half2half2(b));
    own[4] = __low2float(sum), own[5] = __high2float(sum);
    own[6] = __half2float(__hdiv(a, b));
    const __nv_bfloat16 c = __float2bfloat16(v);
    own[7] = __bfloat162float(__hadd(c, __float2bfloat16(1.0f)));
    own[8] = __bfloat162float(__hmul(c, c));
    own[9] = __half2float(hsqrt(__habs(a))) + __half2int_rn(a);
}

__host__ __device__ void integer_functions(long long i, long long* out) {
    const long long a = i * 0x123456789abll - 77, b = i * 9901 + 3;
    const unsigned long long u = static_cast<unsigned long long>(a) * 31;
    out[0] = a / b, out[1] = a % b;
    out[2] = static_cast<long long>(u / static_cast<unsigned long long>(b));
    out[3] = a >> (i % 63), out[4] = static_cast<long long>(u >> (i % 63)), out[5] = a << (i % 63);
    const __int128 product = static_cast<__int128>(a) * b * 12345;
    out[6] = static_cast<long long>(product), out[7] = static_cast<long long>(product >> 64);
    const unsigned __int128 wide =
        (static_cast<unsigned __int128>(u) << 64) | static_cast<unsigned long long>(b);
    out[8] = static_cast<long long>(wide / (static_cast<unsigned long long>(b) | 1ull << 40));
    out[9] = static_cast<long long>(wide % 1000000007u);
    out[10] = static_cast<int>(i * 77777) / (static_cast<int>(i % 13) - 20);
    out[11] = static_cast<int>(i * 77777) % (static_cast<int>(i % 13) - 20);
    out[12] = static_cast<short>(i * 1001) * static_cast<signed char>(i * 3) +
              static_cast<unsigned char>(i * 5);
    out[13] = static_cast<long long>(static_cast<double>(a) * 0.001);
    out[14] = static_cast<long long>(static_cast<float>(b));
    out[15] = static_cast<unsigned>(static_cast<double>(b) * 1.5);
}

__global__ void run_integers(long long* out) {
    integer_functions(threadIdx.x + 1, out + threadIdx.x * 16);
}

__global__ void bits(const unsigned* in, int* out) {
    const unsigned v = in[threadIdx.x];
    int* own = out + threadIdx.x * 10;
    own[0] = __popc(v), own[1] = __clz(v), own[2] = __brev(v), own[3] = __ffs(v);
    own[4] = __byte_perm(v, ~v, 0x3614), own[5] = __mulhi(static_cast<int>(v), 12345),
    own[6] = __umulhi(v, 987654321u);
    own[7] = __funnelshift_l(v, v * 3, 9), own[8] = __dp4a(static_cast<int>(v), 0x01020304, 5);
    own[9] = __popcll(static_cast<unsigned long long>(v) * 0x10001) + __clzll(v) +
             __sad(static_cast<int>(v % 100), 40, 2u);
}

int main() {
    DeviceArray<double> doubles(100 * kDoubles);
    run_doubles<<<1, 100>>>(doubles);
    DeviceArray<float> floats(100 * kFloats);
    run_floats<<<1, 100>>>(floats);
    CHECK_LAUNCH();
    const auto d = doubles.host();
    const auto f = floats.host();
    for (int i = 0; i < 100; ++i) {
        double reference[kDoubles];
        double_functions(i, reference);
        for (int k = 0; k < kDoubles; ++k)
            CHECK_AT(i * 100 + k, is_close(d[i * kDoubles + k], reference[k], 1e-13, 1e-13));
        float single[kFloats];
        float_functions(static_cast<float>(i), single);
        for (int k = 0; k < kFloats; ++k)
            CHECK_AT(i * 100 + k, is_close(f[i * kFloats + k], single[k], kSlack, kSlack));
    }

    DeviceArray<float> fast(64 * 8);
    fast_intrinsics<<<1, 64>>>(fast);
    CHECK_LAUNCH();
    const auto q = fast.host();
    for (int i = 0; i < 64; ++i) {
        const double x = i * 0.05f + 0.1f;
        const double reference[8] = {
            std::sin(x), std::cos(x),      std::exp(x),      std::log(x),
            x / 3,       std::pow(x, 2.5), 1 / std::sqrt(x), std::fmin(std::fmax(x - 1, 0), 1)};
        for (int k = 0; k < 8; ++k)
            CHECK_AT(i * 100 + k, is_close(q[i * 8 + k], reference[k], 1e-4, 1e-5));
    }

    std::vector<float> in(64);
    for (int i = 0; i < 64; ++i) in[i] = i * 0.5f - 8;
    DeviceArray<float> din(in), dhalves(640);
    halves<<<1, 64>>>(din, dhalves);
    CHECK_LAUNCH();
    const auto h = dhalves.host();
    for (int i = 0; i < 64; ++i) {
        const float v = in[i];
        const float* own = h.data() + i * 10;
        CHECK_AT(i, own[0] == v + 0.75f && own[1] == v * 0.75f && own[2] == v * 0.75f + 0.75f &&
                        own[3] == (v < 0.75f));
        CHECK_AT(i,
                 own[4] == v + 0.75f && own[5] == v + 1.75f && is_close(own[6], v / 0.75f, 1e-3));
        CHECK_AT(i, own[7] == v + 1 && is_close(own[8], v * v, 0.01));
        CHECK_AT(i, is_close(own[9], std::sqrt(std::fabs(v)) + std::nearbyint(v), 1e-3, 1e-2));
    }

    DeviceArray<long long> integers(256 * 16);
    run_integers<<<1, 256>>>(integers);
    CHECK_LAUNCH();
    const auto n = integers.host();
    for (int i = 0; i < 256; ++i) {
        long long reference[16];
        integer_functions(i + 1, reference);
        for (int k = 0; k < 16; ++k) CHECK_AT(i * 100 + k, n[i * 16 + k] == reference[k]);
    }

    std::vector<unsigned> words(64);
    Random random(13);
    for (unsigned& w : words) w = random.next() * 977u;
    DeviceArray<unsigned> dwords(words);
    DeviceArray<int> dbits(640);
    bits<<<1, 64>>>(dwords, dbits);
    CHECK_LAUNCH();
    const auto b = dbits.host();
    for (int i = 0; i < 64; ++i) {
        const unsigned v = words[i];
        const int* own = b.data() + i * 10;
        unsigned reversed = 0;
        for (int k = 0; k < 32; ++k) reversed |= (v >> k & 1) << (31 - k);
        int dot = 5;
        for (int k = 0; k < 4; ++k) dot += static_cast<signed char>(v >> 8 * k) * (4 - k);
        const unsigned byte4 = ~v & 255, byte1 = v >> 8 & 255, byte6 = ~v >> 16 & 255,
                       byte3 = v >> 24;
        CHECK_AT(i, own[0] == __builtin_popcount(v) && own[1] == (v ? __builtin_clz(v) : 32));
        CHECK_AT(i, unsigned(own[2]) == reversed && own[3] == __builtin_ffs(int(v)));
        CHECK_AT(i, unsigned(own[4]) == (byte4 | byte1 << 8 | byte6 << 16 | byte3 << 24));
        CHECK_AT(i, own[5] == int((long long)(int)v * 12345 >> 32));
        CHECK_AT(i, unsigned(own[6]) == unsigned((unsigned long long)v * 987654321u >> 32));
        CHECK_AT(i, unsigned(own[7]) == (v * 3 << 9 | v >> 23) && own[8] == dot);
        CHECK_AT(i, own[9] == __builtin_popcountll(v * 0x10001ull) + (v ? __builtin_clzll(v) : 64) +
                                  std::abs(int(v % 100) - 40) + 2);
    }
}

// SPDX-License-Identifier: Apache-2.0
// `load` and `store` must move the same bytes for every cache policy, width and alignment, and the
// guarded forms nothing beyond the end.
#include <wideload/thread/funnel.cuh>
#include <wideload/thread/load.cuh>
#include <wideload/thread/store.cuh>

#include "support/harness.cuh"

namespace {

using namespace wideload;
using test::Blob;
using test::GuardedBuffer;

template <int N, class Load, class Store, class T, std::size_t Alignment>
__global__ void copy_kernel(const T* from, T* to, std::size_t vectors) {
    const std::size_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < vectors) {
        store<Store>(assume_aligned<Alignment>(to), i,
                     load<N, Load>(assume_aligned<Alignment>(from), i));
    }
}

template <int N, class T>
__global__ void guarded_kernel(const T* from, T* to, std::size_t count) {
    const std::size_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i * N < count) store_guarded(to, i, count, load_guarded<N>(from, i, count));
}

template <int N>
__global__ void visit_kernel(const float* from, float* to, std::size_t vectors) {
    const std::size_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < vectors)
        visit_alignment<4 * N>(from, [&](auto pointer) { store(to, i, load<N>(pointer, i)); });
}

template <int N>
void visited(std::size_t offset) {
    GuardedBuffer from(64 * 4 * N, offset, 5), to(64 * 4 * N, 0, 6);
    visit_kernel<N><<<1, 64>>>(from.as<const float>(), to.as<float>(), 64);
    std::memcpy(to.expected(), from.expected(), from.size());
    to.expect_equal("visit_alignment of " + std::to_string(N) + " floats at offset " +
                    std::to_string(offset));
}

template <int N, class Load, class Store, class T,
          std::size_t Alignment = packed_alignment(sizeof(T), N)>
void copy_one(const char* policy) {
    const std::size_t vectors = 77;
    const std::string what = std::string(policy) + ": " + std::to_string(N) + " elements of " +
                             std::to_string(sizeof(T)) + " bytes, aligned to " +
                             std::to_string(Alignment);
    constexpr std::size_t kOffset = Alignment < 16 ? Alignment : 0;
    GuardedBuffer from(vectors * N * sizeof(T), kOffset, 1),
        to(vectors * N * sizeof(T), kOffset, 2);
    copy_kernel<N, Load, Store, T, Alignment><<<1, 128>>>(from.as<const T>(), to.as<T>(), vectors);
    test::expect_status(cudaGetLastError(), cudaSuccess, what);
    std::memcpy(to.expected(), from.expected(), from.size());
    to.expect_equal(what);
}

template <class Load, class Store>
void widths(const char* policy) {
    copy_one<1, Load, Store, std::uint8_t>(policy);
    copy_one<1, Load, Store, std::uint16_t>(policy);
    copy_one<1, Load, Store, float>(policy);
    copy_one<2, Load, Store, float>(policy);
    copy_one<4, Load, Store, float>(policy);
    copy_one<8, Load, Store, float>(policy);
    copy_one<3, Load, Store, float>(policy);
    copy_one<4, Load, Store, float, 8>(policy);
    copy_one<4, Load, Store, float, 4>(policy);
    copy_one<16, Load, Store, std::uint8_t>(policy);
    copy_one<4, Load, Store, Blob<12>>(policy);
}

void guarded_and_visited() {
    for (std::size_t count : {1, 2, 3, 4, 5, 127, 128, 129}) {
        GuardedBuffer from(count * 4, 4, 3), to(count * 4, 8, 4);
        guarded_kernel<4><<<1, 128>>>(from.as<const float>(), to.as<float>(), count);
        std::memcpy(to.expected(), from.expected(), count * 4);
        to.expect_equal("guarded vectors, " + std::to_string(count) + " elements");
    }
    for (std::size_t offset : {0, 4, 16}) {
        visited<4>(offset);
        visited<8>(offset);
    }
}

__global__ void funnel_kernel(const uint4* from, uint4* to) {
    to[threadIdx.x] = funnel_shift_bytes(from[0], from[1], threadIdx.x);
}

void funnel() {
    GuardedBuffer from(32, 0, 7), to(16 * 16, 0, 8);
    funnel_kernel<<<1, 16>>>(from.as<const uint4>(), to.as<uint4>());
    for (int shift = 0; shift < 16; ++shift)
        std::memcpy(to.expected() + shift * 16, from.expected() + shift, 16);
    to.expect_equal("funnel shift");
}

}  // namespace

int main(int argc, char** argv) {
    test::start(argc, argv);
    widths<cached, cached>("cached");
    widths<read_only, cached>("read_only");
    widths<read_once, cached>("read_once");
    widths<read_line, cached>("read_line");
    widths<read_two_lines, cached>("read_two_lines");
    widths<streaming, streaming>("streaming");
    widths<cache_global, cache_global>("cache_global");
    widths<no_allocate, no_allocate>("no_allocate");
    widths<evict_first, evict_first>("evict_first");
    widths<evict_last, evict_last>("evict_last");
    guarded_and_visited();
    funnel();
    return test::finish("thread_test");
}

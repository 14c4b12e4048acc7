// SPDX-License-Identifier: Apache-2.0
// The library's kernels may be launched before the last kernel of their stream has ended. Chains in
// which each step reads what the step before wrote, too short to hide a missing wait, must still
// give what their order says: launched, captured into a graph, forked and joined, and with the
// caller's own kernels, copies and fills in between.
#include "support/chains.cuh"
#include "support/matrices.cuh"

namespace {

using test::chains::bytes_of;
using test::chains::kAddIndex;
using test::chains::kCount;
using test::chains::Kind;
using test::chains::kScale;
using test::chains::kSide;
using test::chains::Memory;
using test::chains::permuted;
using test::chains::require;
using test::chains::Scale;
using test::chains::State;

/// `batch` matrices, transposed.
void transpose_on_host(State& state, std::size_t rows, std::size_t columns, std::size_t batch) {
    test::transpose_on_host(bytes_of(state), rows, columns, batch, 4);
}

std::uint32_t sum_of(const State& state, std::size_t first, std::size_t step, std::size_t count) {
    std::uint32_t sum = 0;
    for (std::size_t i = 0; i < count; ++i) sum += state[first + i * step];
    return sum;
}

/// A rectangle in place, panel by panel, by many launches, or by two blocks that hold a panel.
void through_scratch(const Memory& memory, void* scratch, std::size_t held_by,
                     cudaStream_t stream) {
    require(wideload::detail::dispatch_transpose_rectangle<4>(
        memory.state, kSide / 2, kSide * 2, 1, 0, {Memory::kLentBytes / 2, 1, held_by},
        {scratch, Memory::kLentBytes, scratch == nullptr}, stream));
}

constexpr Kind kKinds[] = {
    kScale,
    {[](const Memory& m, cudaStream_t stream) {
         require(wideload::transpose(m.state, m.other, kSide / 2, kSide * 2, stream));
         require(wideload::transform(m.other, m.state, kCount, Scale{}, stream));
     },
     [](State& state) {
         transpose_on_host(state, kSide / 2, kSide * 2, 1);
         for (std::uint32_t& value : state) value = Scale{}(value);
     }},
    {[](const Memory& m, cudaStream_t stream) {
         require(wideload::copy(m.state, m.other + 1, kCount, stream));
         require(wideload::copy(m.other + 1, m.state, kCount, stream));
     },
     [](State&) {}},
    kAddIndex,
    {[](const Memory& m, cudaStream_t stream) {
         require(wideload::gather(m.state, m.index, m.other, kCount, stream));
         require(cudaMemcpyAsync(m.state, m.other, kCount * 4, cudaMemcpyDeviceToDevice, stream));
     },
     [](State& state) {
         const State before = state;
         for (std::size_t i = 0; i < kCount; ++i) state[i] = before[permuted(i)];
     }},
    // To rows that begin between words, and from there.
    {[](const Memory& m, cudaStream_t stream) {
         char* const between = reinterpret_cast<char*>(m.other) + 1;
         require(wideload::gather_rows(reinterpret_cast<const char*>(m.state), kCount, m.index,
                                       between, kCount, 4, stream));
         require(wideload::scatter_rows(between, m.index, reinterpret_cast<char*>(m.state), kCount,
                                        kCount, 4, stream));
         require(wideload::gather_rows(m.state, kCount, m.index, m.other, kCount, 1, stream));
         m.take_other(stream);
     },
     [](State& state) {
         const State before = state;
         for (std::size_t i = 0; i < kCount; ++i) state[i] = before[permuted(i)];
     }},
    {[](const Memory& m, cudaStream_t stream) {
         require(wideload::scatter(m.state, m.index, m.other, kCount, stream));
         m.take_other(stream);
     },
     [](State& state) {
         const State before = state;
         for (std::size_t i = 0; i < kCount; ++i) state[permuted(i)] = before[i];
     }},
    {[](const Memory& m, cudaStream_t stream) {
         require(wideload::transpose_square_in_place(m.state, kSide, 1, stream));
     },
     [](State& state) { transpose_on_host(state, kSide, kSide, 1); }},
    // Rows that start anywhere, and tiles inside as well as at the edges.
    {[](const Memory& m, cudaStream_t stream) {
         require(wideload::transpose_square_in_place(m.state, kSide - 1, 1, stream));
     },
     [](State& state) { transpose_on_host(state, kSide - 1, kSide - 1, 1); }},
    {[](const Memory& m, cudaStream_t stream) {
         require(
             wideload::transpose_batched(m.state, m.other, kSide / 9, kSide / 16, kSide, stream));
         m.take_other(stream);
     },
     [](State& state) { transpose_on_host(state, kSide / 9, kSide / 16, kSide); }},
    {[](const Memory& m, cudaStream_t stream) { through_scratch(m, m.lent, 0, stream); },
     [](State& state) { transpose_on_host(state, kSide / 2, kSide * 2, 1); }},
    {[](const Memory& m, cudaStream_t stream) { through_scratch(m, nullptr, 0, stream); },
     [](State& state) { transpose_on_host(state, kSide / 2, kSide * 2, 1); }},
    {[](const Memory& m, cudaStream_t stream) { through_scratch(m, m.lent, 2, stream); },
     [](State& state) { transpose_on_host(state, kSide / 2, kSide * 2, 1); }},
    {[](const Memory& m, cudaStream_t stream) { through_scratch(m, nullptr, 2, stream); },
     [](State& state) { transpose_on_host(state, kSide / 2, kSide * 2, 1); }},
    {[](const Memory& m, cudaStream_t stream) {
         require(wideload::reduce(m.state, kCount, m.sums, wideload::plus{}, 7u, m.scratch,
                                  Memory::kScratchBytes, stream));
         require(wideload::copy(m.sums, m.state + 17, 1, stream));
     },
     [](State& state) { state[17] = 7 + sum_of(state, 0, 1, kCount); }},
    {[](const Memory& m, cudaStream_t stream) {
         require(wideload::reduce(m.state, kCount, m.sums, wideload::plus{}, 9u, stream));
         require(wideload::copy(m.sums, m.state + 18, 1, stream));
     },
     [](State& state) { state[18] = 9 + sum_of(state, 0, 1, kCount); }},
    {[](const Memory& m, cudaStream_t stream) {
         require(cudaMemsetAsync(m.sums, 0, 4, stream));
         require(wideload::reduce_atomic(m.state, kCount, m.sums, wideload::plus{}, stream));
         require(wideload::copy(m.sums, m.state + kCount - 1, 1, stream));
     },
     [](State& state) { state[kCount - 1] = sum_of(state, 0, 1, kCount); }},
    {[](const Memory& m, cudaStream_t stream) {
         std::uint32_t* fields[] = {m.other, m.other + kCount / 3, m.other + kCount / 3 * 2};
         require(wideload::deinterleave(m.state, fields, kCount / 3, stream));
         std::swap(fields[0], fields[2]);
         require(wideload::interleave(fields, m.state, kCount / 3, stream));
     },
     [](State& state) {
         for (std::size_t i = 0; i < kCount; i += 3) std::swap(state[i], state[i + 2]);
     }},
    {[](const Memory& m, cudaStream_t stream) {
         require(
             wideload::reduce_rows(m.state, kSide, kSide, m.sums, wideload::plus{}, 0u, stream));
         require(wideload::strided_copy(m.sums, 1, m.state, kSide, kSide, stream));
     },
     [](State& state) {
         for (std::size_t r = 0; r < kSide; ++r)
             state[r * kSide] = sum_of(state, r * kSide, 1, kSide);
     }},
    {[](const Memory& m, cudaStream_t stream) {
         require(
             wideload::reduce_columns(m.state, kSide, kSide, m.sums, wideload::plus{}, 0u, stream));
         require(wideload::copy(m.sums, m.state + kSide, kSide, stream));
     },
     [](State& state) {
         const State before = state;
         for (std::size_t c = 0; c < kSide; ++c) state[kSide + c] = sum_of(before, c, kSide, kSide);
     }},
    // Few rows; few columns of so many elements that they take two launches, with memory in the
    // stream's order and with the caller's.
    {[](const Memory& m, cudaStream_t stream) {
         require(
             wideload::reduce_rows(m.state, 2, kCount / 2, m.sums, wideload::plus{}, 3u, stream));
         require(wideload::copy(m.sums, m.state, 2, stream));
     },
     [](State& state) {
         const State before = state;
         for (std::size_t r = 0; r < 2; ++r)
             state[r] = 3 + sum_of(before, r * (kCount / 2), 1, kCount / 2);
     }},
    {[](const Memory& m, cudaStream_t stream) {
         require(wideload::reduce_columns(m.state, kCount / 4, 4, m.sums, wideload::plus{}, 3u,
                                          stream));
         require(wideload::copy(m.sums, m.state + 5, 4, stream));
         for (const int at : {9, 12}) {  // one behind the other in the same scratch memory
             require(wideload::reduce_columns(m.state, kCount / 2, 2, m.sums, wideload::plus{}, 5u,
                                              m.lent, Memory::kLentBytes, stream));
             require(wideload::copy(m.sums, m.state + at, 2, stream));
         }
     },
     [](State& state) {
         State before = state;
         for (std::size_t c = 0; c < 4; ++c) state[5 + c] = 3 + sum_of(before, c, 4, kCount / 4);
         for (const int at : {9, 12}) {
             before = state;
             for (std::size_t c = 0; c < 2; ++c)
                 state[at + c] = 5 + sum_of(before, c, 2, kCount / 2);
         }
     }},
    {[](const Memory& m, cudaStream_t stream) {
         require(wideload::fill(m.other, kCount, 3u, stream));
         require(wideload::transform(m.state, m.other, m.state, kCount, wideload::plus{}, stream));
     },
     [](State& state) {
         for (std::uint32_t& value : state) value += 3;
     }},
};

}  // namespace

int main(int argc, char** argv) {
    test::start(argc, argv);
    test::chains::expect_chains(kKinds);
    return test::finish("stream_order_test");
}

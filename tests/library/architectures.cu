// SPDX-License-Identifier: Apache-2.0
// What the library chooses by architecture must not show in its results: plain copies in place of
// cp.async before sm_80, tuning before sm_90, launches without overlap, accesses of 32 bytes from
// sm_100 on. The virtual GPU runs this program as a GPU of each.
#include <wideload/wideload.cuh>

#include "support/matrices.cuh"
#include "support/random.cuh"

#include <algorithm>

namespace {

using test::Blob;
using test::GuardedBuffer;
using test::transpose_on_host;
using Bytes = unsigned char*;

/// An element that moves as one access of 32 bytes where there is one.
struct alignas(32) Wide {
    unsigned char bytes[32];
};

struct Increment {
    template <class T>
    __host__ __device__ T operator()(T value) const {
        for (std::size_t i = 0; i < sizeof(T); ++i) ++reinterpret_cast<unsigned char*>(&value)[i];
        return value;
    }
};

/// Elements in a source and a destination, which begin `offset` bytes past a line.
template <class T>
class Moves {
public:
    Moves(std::size_t count, std::size_t offset)
        : count_(count),
          what_(" of " + std::to_string(count) + " elements of " + std::to_string(sizeof(T)) +
                " bytes at offset " + std::to_string(offset)),
          source_(count * sizeof(T), offset, 1),
          destination_(count * sizeof(T), 2 * offset, 2),
          index_(count * sizeof(int), 0, 3),
          from_(source_.as<const T>()),
          to_(destination_.as<T>()) {
        for (std::size_t i = 0; i < count; ++i)
            reinterpret_cast<int*>(index_.expected())[i] = permuted(i);
        index_.upload();
    }

    void run() {
        check("copy", wideload::copy(from_, to_, count_), [this](std::size_t i) { put(i, i); });
        check("transform", wideload::transform(from_, to_, count_, Increment{}),
              [this](std::size_t i) {
                  put(i, i);
                  for (std::size_t k = 0; k < sizeof(T); ++k) ++place(i)[k];
              });
        check("gather", wideload::gather(from_, index_.as<const int>(), to_, count_),
              [this](std::size_t i) { put(i, permuted(i)); });
        check("scatter", wideload::scatter(from_, index_.as<const int>(), to_, count_),
              [this](std::size_t i) { put(permuted(i), i); });
        const std::size_t third = (count_ + 2) / 3;
        check("strided copy", wideload::strided_copy(from_, 3, to_, 2, third), [=](std::size_t i) {
            if (i < third) put(2 * i, 3 * i);
        });
        T value;
        std::memcpy(&value, source_.expected(), sizeof(T));
        check("fill", wideload::fill(to_, count_, value), [this](std::size_t i) { put(i, 0); });
    }

private:
    int permuted(std::size_t i) const { return static_cast<int>(count_ - 1 - i); }
    Bytes place(std::size_t i) { return destination_.expected() + i * sizeof(T); }
    void put(std::size_t to, std::size_t from) {
        std::memcpy(place(to), source_.expected() + from * sizeof(T), sizeof(T));
    }
    template <class Element>
    void check(const char* name, cudaError_t status, Element element) {
        test::expect_status(status, cudaSuccess, name + what_);
        for (std::size_t i = 0; i < count_; ++i) element(i);
        destination_.expect_equal(name + what_);
    }

    std::size_t count_;
    std::string what_;
    GuardedBuffer source_, destination_, index_;
    const T* from_;
    T* to_;
};

template <class T>
void moves() {
    for (std::size_t count : {1, 33, 4099}) {
        for (std::size_t offset : {0, 16}) Moves<T>(count, offset).run();
    }
}

template <int Size>
void transposes(std::size_t rows, std::size_t columns, std::size_t batch = 1,
                std::size_t offset = 0) {
    using T = Blob<Size>;
    const std::size_t bytes = rows * columns * batch * Size;
    GuardedBuffer input(bytes, offset, 10), output(bytes, offset, 11);
    const std::string what =
        test::shape(rows, columns, batch, Size) + " at offset " + std::to_string(offset);
    test::expect_status(
        wideload::transpose_batched(input.as<const T>(), output.as<T>(), rows, columns, batch),
        cudaSuccess, what);
    transpose_on_host(input.expected(), output.expected(), rows, columns, batch, Size);
    output.expect_equal("transpose of " + what);
    test::expect_status(wideload::transpose_in_place_batched(input.as<T>(), rows, columns, batch),
                        cudaSuccess, what);
    transpose_on_host(input.expected(), rows, columns, batch, Size);
    input.expect_equal("in-place transpose of " + what);
}

template <int Size>
void shapes() {
    transposes<Size>(64, 96);
    transposes<Size>(71, 91, 2, Size);
    transposes<Size>(101, 101);
}

/// Whatever the shape, a batch is launched: into a graph that nothing runs, at addresses that
/// nothing has. Shared memory is least before sm_80.
template <int Size>
void batches(std::size_t offset) {
    using T = Blob<Size>;
    constexpr std::size_t kApart = std::size_t{1} << 34;
    auto* const base = reinterpret_cast<char*>(std::uintptr_t{1} << 40);
    auto *const input = reinterpret_cast<T*>(base + offset), *const output = reinterpret_cast<T*>(
                                                                 base + kApart + offset);
    cudaStream_t stream = nullptr;
    test::require(cudaStreamCreate(&stream), "cudaStreamCreate");
    const auto captured = [&](const std::string& what, const auto& call) {
        cudaGraph_t graph = nullptr;
        test::require(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal),
                      "cudaStreamBeginCapture");
        test::expect_status(call(), cudaSuccess, what);
        test::require(cudaStreamEndCapture(stream, &graph), "cudaStreamEndCapture");
        test::require(cudaGraphDestroy(graph), "cudaGraphDestroy");
    };
    test::random_cases(400, [&](test::Random& random) {
        // Of which so many fill 32 KiB, the most that a block stages.
        const std::size_t elements = (std::size_t{32} << 10) / random.size(100) / Size;
        const std::size_t rows = 2 + random.below(elements / 4 + 1), columns = elements / rows;
        const std::size_t batch = 100 + random.size(100000);
        const std::string what =
            test::shape(rows, columns, batch, Size) + " at offset " + std::to_string(offset);
        captured("transpose of " + what, [&] {
            return wideload::transpose_batched(input, output, rows, columns, batch, stream);
        });
        captured("transpose in place of " + what, [&] {
            return wideload::transpose_in_place_batched(input, rows, columns, batch,
                                                        base + 2 * kApart, kApart, stream);
        });
    });
    test::require(cudaStreamDestroy(stream), "cudaStreamDestroy");
}

template <int Size, int Fields>
void interleaves(std::size_t count) {
    using T = Blob<Size>;
    GuardedBuffer structs(count * Fields * Size, 0, 20), arrays(count * Fields * Size, 0, 21);
    GuardedBuffer again(count * Fields * Size, 0, 22);
    const std::string what = std::to_string(count) + " structs of " + std::to_string(Fields) +
                             " fields of " + std::to_string(Size) + " bytes";
    T* fields[Fields];
    for (int f = 0; f < Fields; ++f) fields[f] = arrays.as<T>() + f * count;
    test::expect_status(wideload::deinterleave(structs.as<const T>(), fields, count), cudaSuccess,
                        what);
    transpose_on_host(structs.expected(), arrays.expected(), count, Fields, 1, Size);
    arrays.expect_equal("deinterleave of " + what);
    test::expect_status(wideload::interleave(fields, again.as<T>(), count), cudaSuccess, what);
    std::memcpy(again.expected(), structs.expected(), structs.size());
    again.expect_equal("interleave of " + what);
}

template <class T>
void reductions(std::size_t rows, std::size_t columns, std::size_t offset) {
    const std::size_t count = rows * columns;
    GuardedBuffer input(count * sizeof(T), offset, 30), sums(16, 0, 31);
    GuardedBuffer by_row(rows * 8, 0, 32), least(8, 0, 33);
    const std::string what = test::shape(rows, columns, 1, sizeof(T));
    const auto value_of = [&](std::size_t i) {
        T value;
        std::memcpy(&value, input.expected() + i * sizeof(T), sizeof(T));
        return static_cast<long long>(value);
    };
    auto* want = reinterpret_cast<long long*>(sums.expected());
    auto* row = reinterpret_cast<long long*>(by_row.expected());
    want[0] = 5;
    std::fill_n(row, rows, 5);
    auto* lowest = reinterpret_cast<long long*>(least.expected());
    *lowest = 5;
    for (std::size_t i = 0; i < count; ++i) {
        const long long value = value_of(i);
        want[0] += value;
        want[1] += value;
        row[i / columns] += value;
        *lowest = std::min(*lowest, value);
    }
    const T* data = input.as<const T>();
    const wideload::plus plus;
    test::expect_status(wideload::reduce(data, count, sums.as<long long>(), plus, 5ll), cudaSuccess,
                        what);
    test::expect_status(wideload::reduce_atomic(data, count, sums.as<long long>() + 1, plus),
                        cudaSuccess, what);
    sums.expect_equal("sums of " + what);
    test::expect_status(
        wideload::reduce(data, count, least.as<long long>(), wideload::minimum{}, 5ll), cudaSuccess,
        what);
    least.expect_equal("least of " + what);
    test::expect_status(
        wideload::reduce_rows(data, rows, columns, by_row.as<long long>(), plus, 5ll), cudaSuccess,
        what);
    by_row.expect_equal("sums of rows of " + what);
}

}  // namespace

int main(int argc, char** argv) {
    test::start(argc, argv);
    moves<Blob<12>>();
    moves<Wide>();
    shapes<8>();
    shapes<12>();
    // Of 8 bytes, tiles inside as well as at the edges.
    transposes<8>(321, 401);
    transposes<8>(251, 251);
    // As many to a block as its shared memory holds, which one matrix of 32 KiB may be too many
    // for.
    transposes<3>(13, 20, 3000);
    transposes<4>(91, 90, 40, 4);
    batches<1>(0);
    batches<1>(1);
    batches<2>(2);
    batches<3>(0);
    batches<4>(0);
    batches<4>(4);
    batches<8>(8);
    batches<12>(4);
    for (std::size_t count : {1, 33, 2049}) interleaves<1, 16>(count);
    for (std::size_t offset : {0, 4}) {
        reductions<int>(33, 10, offset);
        reductions<int>(131, 65, offset);
    }
    // Sizes beyond each row of the tuning tables.
    reductions<int>(1025, 1280, 0);
    reductions<int>(2100, 2050, 0);
    return test::finish("architectures");
}

// SPDX-License-Identifier: Apache-2.0
// `gather_rows` and `scatter_rows` must move exactly the rows named, whatever they are long and
// wherever they lie, and leave the others alone.
#include <wideload/device/gather.cuh>

#include "support/large.cuh"
#include "support/random.cuh"

namespace {

using test::Blob;
using test::GuardedBuffer;

/// Where a case's arrays begin, in bytes past a line.
struct Offsets {
    std::size_t from, to, index;
};

template <class T, class Index>
void rows_of(std::size_t rows, std::size_t columns, Offsets offsets = {0, 0, 0}) {
    const std::size_t table = 2 * rows + 1, bytes = columns * sizeof(T);
    GuardedBuffer source(table * bytes, offsets.from, 90), gathered(rows * bytes, offsets.to, 91);
    GuardedBuffer index(rows * sizeof(Index), offsets.index, 92),
        scattered(table * bytes, offsets.from, 93);
    const std::vector<Index> places = test::shuffled_places<Index>(rows);
    std::memcpy(index.expected(), places.data(), rows * sizeof(Index));
    index.upload();
    const std::string what = std::to_string(rows) + " rows of " + std::to_string(columns) +
                             " elements of " + std::to_string(sizeof(T)) + " bytes, " +
                             std::to_string(offsets.from) + ", " + std::to_string(offsets.to) +
                             " and " + std::to_string(offsets.index) + " past a line";
    test::expect_status(wideload::gather_rows(source.as<const T>(), table, index.as<const Index>(),
                                              gathered.as<T>(), rows, columns),
                        cudaSuccess, "gather of " + what);
    for (std::size_t i = 0; i < rows; ++i)
        std::memcpy(gathered.expected() + i * bytes, source.expected() + places[i] * bytes, bytes);
    gathered.expect_equal("gather of " + what);
    test::expect_status(wideload::scatter_rows(gathered.as<const T>(), index.as<const Index>(),
                                               scattered.as<T>(), table, rows, columns),
                        cudaSuccess, "scatter of " + what);
    for (std::size_t i = 0; i < rows; ++i) {
        std::memcpy(scattered.expected() + places[i] * bytes, gathered.expected() + i * bytes,
                    bytes);
    }
    scattered.expect_equal("scatter of " + what);
}

template <int Size>
void element_size() {
    using T = Blob<Size>;
    for (std::size_t rows : {0, 1, 2, 31, 33, 257}) {
        for (std::size_t columns : {0, 1, 2, 3, 5, 8, 31, 64, 65, 127}) {
            if (rows * columns * Size > 200000) continue;
            rows_of<T, int>(rows, columns);
            rows_of<T, std::uint64_t>(rows, columns, {1, 2, 0});
        }
    }
    rows_of<T, short>(300, 33, {0, Size, 0});
    rows_of<T, int>(77, 61, {4, 8, 1});
    for (std::size_t offset = 1; offset <= 16; ++offset) {
        rows_of<T, unsigned>(40, 67, {offset, 0, 0});
        rows_of<T, unsigned>(40, 67, {0, offset, 0});
        rows_of<T, unsigned>(40, 300 / Size + 1, {offset, 17 - offset, 0});
    }
    test::random_cases(4, [](test::Random& random) {
        const test::Shape shape = test::random_shape(random, Size);
        const Offsets offsets{random.offset(Size), random.offset(Size),
                              random.one_in(3) ? random.offset(sizeof(int)) : 0};
        rows_of<T, int>(shape.batch * shape.rows, shape.columns, offsets);
        rows_of<T, long long>(shape.batch, shape.rows * shape.columns, {offsets.to, 0, 0});
    });
}

/// As many words as a thread has several of.
void many_words() {
    for (const std::size_t bytes : {std::size_t{5} << 20, std::size_t{17} << 20}) {
        rows_of<Blob<1>, int>(bytes / 64, 64);
        rows_of<Blob<1>, int>(bytes / 301, 301, {0, 3, 0});
        rows_of<Blob<2>, int>(bytes / 302, 151);
        rows_of<Blob<4>, int>(bytes / 300, 75, {0, 4, 0});
        rows_of<Blob<8>, int>(bytes / 72, 9);
    }
    rows_of<Blob<1>, int>(3 << 16, 25, {0, 1, 0});
    rows_of<Blob<1>, int>(3 << 16, 25, {0, 0, 1});
    rows_of<Blob<2>, int>(3 << 16, 25);
    rows_of<Blob<4>, int>(3 << 16, 7);
}

void contract() {
    GuardedBuffer buffer(8192, 0, 94);
    float* data = buffer.as<float>();
    float* null = nullptr;
    const int* index = buffer.as<const int>() + 512;
    const int* no_index = nullptr;
    test::expect_status(wideload::gather_rows(null, 9, no_index, null, 0, 4), cudaSuccess,
                        "no rows");
    test::expect_status(wideload::gather_rows(null, 9, no_index, null, 4, 0), cudaSuccess,
                        "no columns");
    test::expect_rejected(wideload::gather_rows(null, 9, index, data + 1024, 4, 4), "null source");
    test::expect_rejected(wideload::gather_rows(data, 9, no_index, data + 1024, 4, 4),
                          "null index");
    test::expect_rejected(wideload::gather_rows(data, 9, index, null, 4, 4), "null destination");
    test::expect_rejected(wideload::gather_rows(data, 9, index, data + 1024, SIZE_MAX / 16, 16),
                          "too large");
    test::expect_rejected(wideload::gather_rows(data, 9, index, data + 1024, SIZE_MAX / 4, 16),
                          "elements past the address space");
    test::expect_rejected(wideload::gather_rows(data, 9, index, data + 512 + 3, 4, 4),
                          "destination in the indices");
    test::expect_status(wideload::scatter_rows(null, no_index, null, 9, 0, 4), cudaSuccess,
                        "scatter: no rows");
    test::expect_rejected(wideload::scatter_rows(null, index, data + 1024, 9, 4, 4),
                          "scatter: null source");
    test::expect_rejected(wideload::scatter_rows(data, no_index, data + 1024, 9, 4, 4),
                          "scatter: null index");
    test::expect_rejected(wideload::scatter_rows(data, index, null, 9, 4, 4),
                          "scatter: null destination");
    test::expect_rejected(wideload::gather_rows(data, 9, index, data + 35, 4, 4),
                          "destination in the source");
    test::expect_rejected(wideload::gather_rows(data, 0, index, data + 1024, 4, 4), "rows of none");
    test::expect_rejected(wideload::gather_rows(data, SIZE_MAX / 8, index, data + 1024, 4, 4),
                          "a table past the address space");
    test::expect_rejected(wideload::scatter_rows(data, index, data + 15, 9, 4, 4),
                          "scatter: destination in the source");
    test::expect_rejected(wideload::scatter_rows(data, index, data + 512 - 35, 9, 4, 4),
                          "scatter: destination in the indices");
    buffer.expect_equal("a rejected call writes nothing");
}

struct Mixed {
    __host__ __device__ std::uint8_t operator()(std::size_t i) const {
        return static_cast<std::uint8_t>(test::mix(i));
    }
};

/// Of byte i, what the rows in reverse order have there.
struct Reversed {
    std::size_t rows, bytes;
    __host__ __device__ std::uint8_t operator()(std::size_t i) const {
        return Mixed{}((rows - 1 - i / bytes) * bytes + i % bytes);
    }
};

/// More words than 32 bits count: of many rows, of few, and of rows that are longer than a launch
/// has them.
void beyond_two_to_the_32() {
    struct {
        std::size_t rows, bytes, offset;
    } const cases[] = {{(std::size_t{1} << 27) + 3, 33, 1},
                       {(std::size_t{1} << 25) + 3, 528, 0},
                       {3, (std::size_t{3} << 30) + 7, 2},
                       {2, (std::size_t{9} << 29) + 16, 0}};
    for (const auto& [rows, bytes, offset] : cases) {
        const std::string what = std::to_string(rows) + " rows of " + std::to_string(bytes);
        test::LargeBuffer<std::uint8_t> source(rows * bytes), destination(rows * bytes + offset);
        test::LargeBuffer<std::uint64_t> index(rows);
        test::generate(source.get(), rows * bytes, Mixed{});
        test::generate(index.get(), rows,
                       [rows = rows] __device__(std::size_t i) { return rows - 1 - i; });
        std::uint8_t* const to = destination.get() + offset;
        test::expect_status(wideload::gather_rows(source.get(), rows, index.get(), to, rows, bytes),
                            cudaSuccess, "gather of " + what);
        test::expect_values(to, rows * bytes, Reversed{rows, bytes}, "gather of " + what);
        test::require(cudaMemset(to, 0, rows * bytes), "cudaMemset");
        test::expect_status(
            wideload::scatter_rows(source.get(), index.get(), to, rows, rows, bytes), cudaSuccess,
            "scatter of " + what);
        test::expect_values(to, rows * bytes, Reversed{rows, bytes}, "scatter of " + what);
    }
}

}  // namespace

int main(int argc, char** argv) {
    test::start(argc, argv);
    element_size<1>();
    element_size<2>();
    element_size<3>();
    element_size<4>();
    element_size<8>();
    element_size<12>();
    element_size<16>();
    element_size<36>();
    element_size<64>();
    many_words();
    contract();
    if (test::state().full) beyond_two_to_the_32();
    return test::finish("rows_test");
}

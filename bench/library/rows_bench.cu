// SPDX-License-Identifier: Apache-2.0
// `gather_rows` and `scatter_rows` of rows at random, which a table of as many or more has, against
// cub::DeviceMemcpy::Batched and a copy of as many bytes as they read, rows and indices, and write.
// rows_torch.py times PyTorch's by the same shapes.
#include <wideload/device/gather.cuh>

#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <cub/device/device_memcpy.cuh>

#include <memory>

#include "harness.cuh"

namespace {

bench::Pool* table_pool;
bench::Pool* packed_pool;

/// The row that index `i` names.
struct NamedRow {
    char* table;
    const int* index;
    std::size_t row_bytes;
    __host__ __device__ void* operator()(std::size_t i) const {
        return table + static_cast<std::size_t>(index[i]) * row_bytes;
    }
};
struct RowInOrder {
    char* packed;
    std::size_t row_bytes;
    __host__ __device__ void* operator()(std::size_t i) const { return packed + i * row_bytes; }
};

template <class Row>
auto rows_by(const Row& row) {
    return thrust::make_transform_iterator(thrust::make_counting_iterator(std::size_t{0}), row);
}

/// A device lambda may stand neither in a constructor nor in a private function.
void permute(int* index, std::size_t rows, std::size_t table_rows) {
    bench::check(rows, [=] __device__(std::size_t i) {
        index[i] = static_cast<int>(
            bench::permuted(static_cast<unsigned>(i), static_cast<unsigned>(table_rows)));
        return true;
    });
}
bool is_right(const NamedRow& named, const RowInOrder& in_order, std::size_t rows) {
    const std::size_t row_bytes = in_order.row_bytes;
    return bench::check(rows * row_bytes, [=] __device__(std::size_t i) {
        const std::size_t row = i / row_bytes, byte = i % row_bytes;
        return static_cast<const char*>(in_order(row))[byte] ==
               static_cast<const char*>(named(row))[byte];
    });
}

class Rows {
public:
    /// @param past  bytes from a line to the table's first row
    Rows(std::size_t rows, std::size_t row_bytes, std::size_t past)
        : rows_(rows), row_bytes_(row_bytes), past_(past), index_(rows * sizeof(int)) {
        while (table_rows_ < rows) table_rows_ *= 2;
        permute(index_.get<int>(), rows, table_rows_);
        std::size_t bytes = 0;
        BENCH_REQUIRE(batched(false, nullptr, &bytes, 0, nullptr));
        scratch_bytes_ = bytes;
        BENCH_REQUIRE(batched(true, nullptr, &bytes, 0, nullptr));
        scratch_bytes_ = std::max(bytes, scratch_bytes_);
        scratch_ = std::make_unique<bench::Memory>(scratch_bytes_);
    }

    void compare(bench::Bench& bench, bool scattered) {
        bench::Pool& written = scattered ? *table_pool : *packed_pool;
        bench.poison(written.data(), scattered ? table_bytes() : rows_ * row_bytes_);
        move(scattered, 0, bench.stream());
        const bool ok = is_right(named(0), in_order(0), rows_);
        bench.poison(written.data(), scattered ? table_bytes() : rows_ * row_bytes_);
        batch(scattered, 0, bench.stream());
        const bool cub_ok = is_right(named(0), in_order(0), rows_);
        const std::size_t bytes = rows_ * (2 * row_bytes_ + sizeof(int));
        bench.compare(
            "rows",
            std::string(scattered ? "scatter" : "gather") + ";rows=" + std::to_string(rows_) +
                ";bytes=" + std::to_string(row_bytes_) + ";past=" + std::to_string(past_),
            bytes,
            {{"wideload", [=](int i, cudaStream_t stream) { move(scattered, i, stream); }, ok},
             {"cub", [=](int i, cudaStream_t stream) { batch(scattered, i, stream); }, cub_ok},
             bench::copy_of(table_pool, packed_pool, bytes / 2 / 16 * 16)});
    }

private:
    std::size_t table_bytes() const { return table_rows_ * row_bytes_ + past_; }
    char* table(int rotation) const {
        return table_pool->buffer<char>(rotation, table_bytes()) + past_;
    }
    char* packed(int rotation) const {
        return packed_pool->buffer<char>(rotation, rows_ * row_bytes_);
    }
    NamedRow named(int rotation) const { return {table(rotation), index_.get<int>(), row_bytes_}; }
    RowInOrder in_order(int rotation) const { return {packed(rotation), row_bytes_}; }
    void move(bool scattered, int rotation, cudaStream_t stream) const {
        const int* index = index_.get<int>();
        if (scattered) {
            BENCH_REQUIRE(wideload::scatter_rows(packed(rotation), index, table(rotation),
                                                 table_rows_, rows_, row_bytes_, stream));
        } else {
            BENCH_REQUIRE(wideload::gather_rows(table(rotation), table_rows_, index,
                                                packed(rotation), rows_, row_bytes_, stream));
        }
    }
    cudaError_t batched(bool scattered, void* scratch, std::size_t* bytes, int rotation,
                        cudaStream_t stream) const {
        const auto table_rows = rows_by(named(rotation));
        const auto packed_rows = rows_by(in_order(rotation));
        const auto sizes = thrust::make_constant_iterator(static_cast<unsigned>(row_bytes_));
        const auto count = static_cast<unsigned>(rows_);
        return scattered ? cub::DeviceMemcpy::Batched(scratch, *bytes, packed_rows, table_rows,
                                                      sizes, count, stream)
                         : cub::DeviceMemcpy::Batched(scratch, *bytes, table_rows, packed_rows,
                                                      sizes, count, stream);
    }
    void batch(bool scattered, int rotation, cudaStream_t stream) const {
        std::size_t bytes = scratch_bytes_;
        BENCH_REQUIRE(batched(scattered, scratch_->get(), &bytes, rotation, stream));
    }
    std::size_t rows_, row_bytes_, past_, table_rows_ = 1, scratch_bytes_ = 0;
    bench::Memory index_;
    std::unique_ptr<bench::Memory> scratch_;
};

}  // namespace

int main(int argc, char** argv) {
    bench::Bench bench(argc, argv);
    table_pool = new bench::Pool(std::size_t{9} << 30, 1);
    packed_pool = new bench::Pool(std::size_t{9} << 30, 2);
    for (const int log2 : {20, 24, 28}) {
        const std::size_t bytes = std::size_t{1} << log2;
        for (const std::size_t row : {64, 128, 256, 512, 1024, 4096, 16384, 200, 404, 1200, 202,
                                      602, 2002, 8194, 301, 1003}) {
            Rows rows(bytes / row, row, 0);
            for (const bool scattered : {false, true}) rows.compare(bench, scattered);
        }
        Rows misaligned(bytes / 512, 512, 1);
        for (const bool scattered : {false, true}) misaligned.compare(bench, scattered);
    }
}

// SPDX-License-Identifier: Apache-2.0
// `reduce_rows` and `reduce_columns` with scratch memory of the caller: as much as they ask for is
// enough, and nothing else is taken.
#include <wideload/device/span.cuh>

#include <cuda/std/mdspan>

#include "support/matrices.cuh"
#include "support/random.cuh"

namespace {

using test::GuardedBuffer;
using wideload::reduce_columns;
using wideload::reduce_columns_scratch_bytes;
using wideload::reduce_rows;
using wideload::reduce_rows_scratch_bytes;

/// A matrix of rows that are `pitch` elements apart, and what its sums are to be.
struct Case {
    std::size_t rows, columns, pitch;
    GuardedBuffer input, row_sums, column_sums;
    std::string what;

    Case(std::size_t rows_, std::size_t columns_, std::size_t gap, std::size_t offset)
        : rows(rows_),
          columns(columns_),
          pitch(columns_ + gap),
          input((rows_ * pitch - gap) * 4, offset, 120),
          row_sums(rows_ * 8, 0, 121),
          column_sums(columns_ * 8, 0, 122),
          what(test::shape(rows_, columns_, 1, 4) + ", " + std::to_string(gap) + " more apart") {
        auto* by_row = reinterpret_cast<long long*>(row_sums.expected());
        auto* by_column = reinterpret_cast<long long*>(column_sums.expected());
        std::fill_n(by_row, rows, 3);
        std::fill_n(by_column, columns, 3);
        for (std::size_t r = 0; r < rows; ++r) {
            for (std::size_t c = 0; c < columns; ++c) {
                int value;
                std::memcpy(&value, input.expected() + (r * pitch + c) * 4, 4);
                by_row[r] += value;
                by_column[c] += value;
            }
        }
    }

    /// Sums of rows and of columns, each with scratch memory of so many bytes.
    cudaError_t sum_rows(void* scratch, std::size_t bytes, cudaStream_t stream = nullptr) {
        return pitch == columns
                   ? reduce_rows(input.as<const int>(), rows, columns, row_sums.as<long long>(),
                                 wideload::plus{}, 3, scratch, bytes, stream)
                   : reduce_rows(input.as<const int>(), pitch, rows, columns,
                                 row_sums.as<long long>(), wideload::plus{}, 3, scratch, bytes,
                                 stream);
    }
    cudaError_t sum_columns(void* scratch, std::size_t bytes, cudaStream_t stream = nullptr) {
        return pitch == columns ? reduce_columns(input.as<const int>(), rows, columns,
                                                 column_sums.as<long long>(), wideload::plus{}, 3,
                                                 scratch, bytes, stream)
                                : reduce_columns(input.as<const int>(), pitch, rows, columns,
                                                 column_sums.as<long long>(), wideload::plus{}, 3,
                                                 scratch, bytes, stream);
    }
    std::size_t rows_scratch() const {
        return reduce_rows_scratch_bytes<int, long long>(rows, columns);
    }
    std::size_t columns_scratch() const {
        return reduce_columns_scratch_bytes<int, long long>(rows, columns);
    }
};

/// Scratch memory that ends where its allocation does: the virtual GPU reports what reaches
/// further.
void lent_is_enough(std::size_t rows, std::size_t columns, std::size_t gap, std::size_t offset) {
    Case matrix(rows, columns, gap, offset);
    GuardedBuffer for_rows(matrix.rows_scratch(), 0, 123);
    GuardedBuffer for_columns(matrix.columns_scratch(), 0, 124);
    test::expect_status(matrix.sum_rows(for_rows.as<void>(), for_rows.size()), cudaSuccess,
                        "rows of " + matrix.what);
    matrix.row_sums.expect_equal("rows of " + matrix.what);
    test::expect_status(matrix.sum_columns(for_columns.as<void>(), for_columns.size()), cudaSuccess,
                        "columns of " + matrix.what);
    matrix.column_sums.expect_equal("columns of " + matrix.what);
    for_rows.expect_guards("scratch of rows of " + matrix.what);
    for_columns.expect_guards("scratch of columns of " + matrix.what);
}

/// The pieces that `dispatch` makes on any device, of any address, take no more than is asked for.
template <class T>
void any_device_is_served() {
    namespace detail = wideload::detail;
    alignas(64) static char memory[64];
    test::random_cases(300, [](test::Random& random) {
        const std::size_t rows = random.length(std::size_t{1} << 30);
        const std::size_t columns = random.length((std::size_t{1} << 34) / rows);
        const int multiprocessors = 1 + static_cast<int>(random.below(256));
        const auto* input = reinterpret_cast<const T*>(memory + random.below(16));
        const auto expect = [&](std::size_t results, std::size_t pieces, std::size_t asked) {
            test::expect(pieces == 1 || results * pieces * 8 <= asked,
                         std::to_string(pieces) + " pieces of " +
                             test::shape(rows, columns, 1, sizeof(T)) + " on " +
                             std::to_string(multiprocessors) + " multiprocessors");
        };
        const std::size_t for_rows = reduce_rows_scratch_bytes<T, long long>(rows, columns);
        const std::size_t for_columns = reduce_columns_scratch_bytes<T, long long>(rows, columns);
        const std::size_t row_piece =
            detail::row_piece<T>(rows, columns, random.one_in(2), multiprocessors);
        expect(rows, wideload::divide_up(columns, row_piece), for_rows);
        if (columns == 1) {
            const std::size_t piece = detail::row_piece<T>(1, rows, false, multiprocessors);
            expect(1, wideload::divide_up(rows, piece), for_columns);
        }
        using detail::ColumnAccess;
        for (const ColumnAccess access :
             {ColumnAccess::kElement, ColumnAccess::kWords, ColumnAccess::kShifted,
              ColumnAccess::kStaged, ColumnAccess::kSlipped}) {
            const std::size_t piece =
                detail::column_piece<T, long long>(access, rows, columns, multiprocessors);
            expect(columns, wideload::divide_up(rows, piece), for_columns);
        }
        detail::MatrixReducePlan<T, long long> plan{};
        plan.input = input;
        plan.rows = rows;
        plan.columns = columns;
        if (detail::columns_are_thin<T, long long, false>(input, rows, columns)) {
            const auto thin = detail::thin_columns_plan<false>(plan);
            expect(columns, detail::thin_columns_blocks<false>(thin, multiprocessors), for_columns);
        }
        if constexpr (detail::kColumnsFitStaged<T, long long>) {
            if (detail::columns_are_thin<T, long long, true>(input, rows, columns)) {
                const auto thin = detail::thin_columns_plan<true>(plan);
                expect(columns, detail::thin_columns_blocks<true>(thin, multiprocessors),
                       for_columns);
            }
        }
    });
}

/// Kernels are all that is enqueued: no memory in the stream's order.
void nothing_else_is_taken() {
    cudaStream_t stream = nullptr;
    cudaGraph_t graph = nullptr;
    Case wide(3, 70001, 0, 0), apart(3, 70001, 5, 0), long_columns(9001, 12, 0, 0);
    std::size_t bytes = 0;
    for (const Case* matrix : {&wide, &apart, &long_columns})
        bytes = std::max({bytes, matrix->rows_scratch(), matrix->columns_scratch()});
    GuardedBuffer scratch(bytes, 0, 125);
    test::require(cudaStreamCreate(&stream), "cudaStreamCreate");
    test::require(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "capture");
    for (Case* matrix : {&wide, &apart})
        test::require(matrix->sum_rows(scratch.as<void>(), bytes, stream), "rows");
    test::require(long_columns.sum_columns(scratch.as<void>(), bytes, stream), "columns");
    test::require(cudaStreamEndCapture(stream, &graph), "end of capture");
    std::size_t count = 0;
    test::require(cudaGraphGetNodes(graph, nullptr, &count), "cudaGraphGetNodes");
    std::vector<cudaGraphNode_t> nodes(count);
    test::require(cudaGraphGetNodes(graph, nodes.data(), &count), "cudaGraphGetNodes");
    test::expect(count == 6, "two launches each");
    for (const cudaGraphNode_t node : nodes) {
        cudaGraphNodeType type{};
        test::require(cudaGraphNodeGetType(node, &type), "cudaGraphNodeGetType");
        test::expect(type == cudaGraphNodeTypeKernel, "a node that is no kernel");
    }
    cudaGraphExec_t executable = nullptr;
    test::require(cudaGraphInstantiate(&executable, graph, 0), "cudaGraphInstantiate");
    test::require(cudaGraphLaunch(executable, stream), "cudaGraphLaunch");
    test::require(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
    wide.row_sums.expect_equal("rows by a graph");
    apart.row_sums.expect_equal("rows that lie apart by a graph");
    long_columns.column_sums.expect_equal("columns by a graph");
    test::require(cudaGraphExecDestroy(executable), "cudaGraphExecDestroy");
    test::require(cudaGraphDestroy(graph), "cudaGraphDestroy");
    test::require(cudaStreamDestroy(stream), "cudaStreamDestroy");
}

/// A span of scratch memory, for mdspans.
void spans() {
    using extents = cuda::std::dextents<std::size_t, 2>;
    Case wide(3, 70001, 0, 0), tall(9001, 12, 0, 0);
    GuardedBuffer scratch(std::max(wide.rows_scratch(), tall.columns_scratch()), 0, 127);
    const auto lent = [&](std::size_t bytes) {
        return cuda::std::span<char>(scratch.as<char>(), bytes);
    };
    const auto view = [](Case& matrix) {
        return cuda::std::mdspan<const int, extents>(matrix.input.as<const int>(), matrix.rows,
                                                     matrix.columns);
    };
    const cuda::std::span<long long> row_sums(wide.row_sums.as<long long>(), wide.rows);
    const cuda::std::span<long long> column_sums(tall.column_sums.as<long long>(), tall.columns);
    test::expect_rejected(
        reduce_rows(view(wide), row_sums, wideload::plus{}, 3, lent(wide.rows_scratch() - 1)),
        "rows of an mdspan: too little scratch");
    test::expect_rejected(reduce_columns(view(tall), column_sums, wideload::plus{}, 3,
                                         lent(tall.columns_scratch() - 1)),
                          "columns of an mdspan: too little scratch");
    test::expect_status(
        reduce_rows(view(wide), row_sums, wideload::plus{}, 3, lent(wide.rows_scratch())),
        cudaSuccess, "rows of an mdspan");
    wide.row_sums.expect_equal("rows of an mdspan with lent scratch");
    test::expect_status(
        reduce_columns(view(tall), column_sums, wideload::plus{}, 3, lent(tall.columns_scratch())),
        cudaSuccess, "columns of an mdspan");
    tall.column_sums.expect_equal("columns of an mdspan with lent scratch");
}

void contract() {
    for (const std::size_t gap : {0, 3}) {
        Case matrix(9001, 12, gap, 0), wide(3, 70001, gap, 0);
        const std::size_t bytes = matrix.columns_scratch(), wide_bytes = wide.rows_scratch();
        GuardedBuffer scratch(std::max(bytes, wide_bytes) + 16, 0, 126);
        char* lent = scratch.as<char>();
        test::expect_rejected(matrix.sum_columns(nullptr, bytes), "columns: null scratch");
        test::expect_rejected(matrix.sum_columns(lent, bytes - 1), "columns: too little scratch");
        test::expect_rejected(matrix.sum_columns(lent + 8, bytes), "columns: misaligned scratch");
        test::expect_rejected(matrix.sum_columns(matrix.input.as<void>(), bytes),
                              "columns: scratch in the input");
        test::expect_rejected(matrix.sum_columns(matrix.column_sums.as<void>(), bytes),
                              "columns: scratch in the output");
        test::expect_rejected(wide.sum_rows(nullptr, wide_bytes), "rows: null scratch");
        test::expect_rejected(wide.sum_rows(lent, wide_bytes - 1), "rows: too little scratch");
        test::expect_rejected(wide.sum_rows(lent + 4, wide_bytes), "rows: misaligned scratch");
        test::expect_rejected(wide.sum_rows(wide.input.as<void>(), wide_bytes),
                              "rows: scratch in the input");
        test::expect_rejected(wide.sum_rows(wide.row_sums.as<void>(), wide_bytes),
                              "rows: scratch in the output");
        scratch.expect_equal("rejected reductions leave scratch alone");
        matrix.input.expect_equal("and the input");
    }
    test::expect(reduce_rows_scratch_bytes<int, int>(100, 40960) == 0, "rows of 160 KiB");
    test::expect(reduce_columns_scratch_bytes<int, int>(127, 100) == 0, "columns of 127 rows");
    test::expect(reduce_rows_scratch_bytes<int, int>(0, 5) == 0, "no rows");
    test::expect(reduce_columns_scratch_bytes<int, int>(5, 0) == 0, "no columns");
    Case small(100, 100, 0, 0);
    test::expect_status(small.sum_rows(nullptr, 0), cudaSuccess, "rows that need no scratch");
    test::expect_status(small.sum_columns(nullptr, 0), cudaSuccess, "columns that need none");
    small.row_sums.expect_equal("rows without scratch");
    small.column_sums.expect_equal("columns without scratch");
}

}  // namespace

int main(int argc, char** argv) {
    test::start(argc, argv);
    // Pieces of rows and of columns, few columns as a range, a single one, and rows that lie apart.
    const std::size_t shapes[][2] = {{3, 70001},  {20011, 5}, {4097, 2},  {9001, 12},
                                     {4099, 517}, {1, 90001}, {90001, 1}, {31, 64}};
    for (const auto& [rows, columns] : shapes) {
        lent_is_enough(rows, columns, 0, 0);
        lent_is_enough(rows, columns, 0, 4);
        lent_is_enough(rows, columns, 0, 1);
        lent_is_enough(rows, columns, 3, 0);
    }
    any_device_is_served<std::uint8_t>();
    any_device_is_served<std::int16_t>();
    any_device_is_served<int>();
    any_device_is_served<long long>();
    nothing_else_is_taken();
    spans();
    contract();
    return test::finish("matrix_reduce_scratch_test");
}

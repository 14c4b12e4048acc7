// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/device/detail/device_properties.cuh>
#include <wideload/device/dispatch/transpose_in_place_dispatch.cuh>
#include <wideload/device/kernel/transpose_rectangle_kernel.cuh>

namespace wideload::detail {

/// A matrix that is transposed in place, as all of its steps need it.
template <class Element>
struct RectangleWork {
    Element* data;
    std::size_t rows, columns;  ///< as the steps see the matrix: rows < columns
    bool backwards;  ///< the caller's matrix has more rows than columns: each step inverted
    std::size_t on_chip_elements;  ///< that a block's shared memory holds
    Element* scratch;
    std::size_t scratch_elements;
    cudaStream_t stream;

    std::size_t common() const { return greatest_common_divisor(rows, columns); }
    /// Whether indices fit 31 bits: what the kernels through shared memory ask for.
    bool is_small() const { return columns < ((std::size_t{1} << 31) - rows) / rows; }
    bool rows_on_chip() const { return is_small() && columns <= on_chip_elements; }
    bool columns_on_chip() const { return is_small() && panel_columns() != 0; }
    bool needs_scratch() const { return !rows_on_chip() || !columns_on_chip(); }

    /// The columns of a panel, a power of two; 0 where less than a sector's would fit. Half of the
    /// shared memory is enough where that makes 64 bytes, so that two blocks share an SM.
    std::size_t panel_columns() const {
        constexpr std::size_t kSize = sizeof(Element);
        std::size_t most = power_of_two_within(on_chip_elements / 2 / rows);
        if (most * kSize < 64) most = power_of_two_within(on_chip_elements / rows);
        if (most * kSize < (kSize < kSectorBytes ? kSectorBytes : kSize)) return 0;
        // More than two lines of columns only where that makes up for few rows.
        const std::size_t lines = divide_up<std::size_t>(2 * kLineBytes, kSize);
        const std::size_t filling = tuning::kInPlaceBlockElements / rows;
        const std::size_t wanted = power_of_two_within(lines > filling ? lines : filling);
        return most < wanted ? most : wanted;
    }
    static std::size_t power_of_two_within(std::size_t value) {
        std::size_t power = value == 0 ? 0 : 1;
        while (power != 0 && power <= value / 2) power *= 2;
        return power;
    }
};

/// How many lines of `length` elements, of which one fits a block, keep it busy.
inline std::size_t lines_of_a_block(std::size_t length, std::size_t on_chip_elements) {
    const std::size_t fit = on_chip_elements / length;
    const std::size_t busy = divide_up<std::size_t>(tuning::kInPlaceBlockElements, length);
    return busy < fit ? busy : fit;
}

template <class Element, class Lines>
cudaError_t launch_on_chip(Element* data, const Lines& lines, std::size_t groups,
                           std::size_t group_elements, Permute permute, cudaStream_t stream) {
    constexpr int kThreads = tuning::kInPlaceThreads<Element::kRegisters>;
    const auto kernel = permute_lines_kernel<Element, kThreads, Lines>;
    const std::size_t shared =
        divide_up<std::size_t>(group_elements, kSpreadElements) * kSpreadElements * sizeof(Element);
    if (cudaError_t error = cudaFuncSetAttribute(
            kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shared)))
        return error;
    return launch(kernel, groups, kThreads, shared, stream, data, lines, permute);
}

/// `lines` lines of `length` elements each, from data to scratch and back.
template <class Element, class Lines>
cudaError_t launch_staged(const RectangleWork<Element>& work, const Lines& lines,
                          std::size_t elements, Permute permute) {
    constexpr int kThreads = 256;
    for (const bool in : {true, false}) {
        const bool permuted = in == (permute == Permute::kOnTheWayIn);
        if (cudaError_t error = launch(stage_lines_kernel<Element, kThreads, Lines>,
                                       divide_up<std::size_t>(elements, kThreads), kThreads, 0,
                                       work.stream, work.data, work.scratch, lines, permuted, in))
            return error;
    }
    return cudaSuccess;
}

template <class Element>
cudaError_t permute_rows(const RectangleWork<Element>& work) {
    const Permute permute = work.backwards ? Permute::kOnTheWayOut : Permute::kOnTheWayIn;
    if (work.rows_on_chip()) {
        const std::size_t lines = lines_of_a_block(work.columns, work.on_chip_elements);
        const StagedRows<fast_divide> rows{RectanglePlan<fast_divide>(work.rows, work.columns), 0,
                                           static_cast<unsigned>(work.rows),
                                           static_cast<unsigned>(lines)};
        return launch_on_chip(work.data, rows, divide_up(work.rows, lines), lines * work.columns,
                              permute, work.stream);
    }
    StagedRows<wide_divide> rows{RectanglePlan<wide_divide>(work.rows, work.columns), 0, work.rows,
                                 work.scratch_elements / work.columns};
    for (; rows.first < work.rows; rows.first += rows.lines) {
        if (cudaError_t error = launch_staged(work, rows, rows.lines * work.columns, permute))
            return error;
    }
    return cudaSuccess;
}

/// The rotation or the permutation of all columns.
template <bool Rotate, class Element>
cudaError_t permute_columns(const RectangleWork<Element>& work) {
    const Permute permute = work.backwards ? Permute::kOnTheWayIn : Permute::kOnTheWayOut;
    const auto log2 = [](std::size_t power) {
        int exponent = 0;
        while (power >> exponent > 1) ++exponent;
        return exponent;
    };
    // The first columns stay as they are in the rotation.
    const std::size_t first = Rotate ? work.columns / work.common() : 0;
    if (work.columns_on_chip()) {
        const std::size_t lines = work.panel_columns(), skipped = first / lines * lines;
        const StagedColumns<fast_divide, Rotate> columns{
            RectanglePlan<fast_divide>(work.rows, work.columns), static_cast<unsigned>(skipped),
            static_cast<unsigned>(work.columns), static_cast<unsigned>(lines), log2(lines)};
        return launch_on_chip(work.data, columns, divide_up(work.columns - skipped, lines),
                              lines * work.rows, permute, work.stream);
    }
    const std::size_t lines =
        RectangleWork<Element>::power_of_two_within(work.scratch_elements / work.rows);
    StagedColumns<wide_divide, Rotate> columns{RectanglePlan<wide_divide>(work.rows, work.columns),
                                               first / lines * lines, work.columns, lines,
                                               log2(lines)};
    for (; columns.first < work.columns; columns.first += lines) {
        if (cudaError_t error = launch_staged(work, columns, lines * work.rows, permute))
            return error;
    }
    return cudaSuccess;
}

template <class Element>
cudaError_t transpose_rectangle(const RectangleWork<Element>& work) {
    const bool rotate = work.common() != 1;
    if (work.backwards) {
        if (cudaError_t error = permute_columns<false>(work)) return error;
        if (cudaError_t error = permute_rows(work)) return error;
        return rotate ? permute_columns<true>(work) : cudaSuccess;
    }
    if (rotate) {
        if (cudaError_t error = permute_columns<true>(work)) return error;
    }
    if (cudaError_t error = permute_rows(work)) return error;
    return permute_columns<false>(work);
}

/// Matrices of which a block's shared memory holds at least one.
template <class Element>
cudaError_t transpose_matrices_on_chip(Element* data, std::size_t rows, std::size_t columns,
                                       std::size_t batch, std::size_t on_chip_elements,
                                       cudaStream_t stream) {
    const std::size_t elements = rows * columns;
    const std::size_t lines = lines_of_a_block(elements, on_chip_elements);
    const StagedMatrices matrices{
        fast_divide(static_cast<unsigned>(rows)), fast_divide(static_cast<unsigned>(elements)),
        static_cast<unsigned>(columns), batch, static_cast<unsigned>(lines)};
    return launch_on_chip(data, matrices, divide_up(batch, lines), lines * elements,
                          Permute::kOnTheWayOut, stream);
}

/// What the caller lends, or memory in the stream's order where that is nothing.
struct InPlaceScratch {
    void* memory;
    std::size_t bytes;
    bool own;  ///< to be allocated if it turns out to be needed
};

template <class Element>
cudaError_t transpose_rectangles(Element* data, std::size_t rows, std::size_t columns,
                                 std::size_t batch, std::size_t on_chip_bytes,
                                 InPlaceScratch scratch, cudaStream_t stream) {
    const std::size_t elements = rows * columns;
    const std::size_t on_chip_elements =
        on_chip_bytes / (kSpreadElements * sizeof(Element)) * kSpreadElements;
    if (elements <= on_chip_elements)
        return transpose_matrices_on_chip(data, rows, columns, batch, on_chip_elements, stream);

    const bool backwards = rows > columns;
    const std::size_t lent = scratch.bytes / sizeof(Element);
    RectangleWork<Element> work{data,
                                backwards ? columns : rows,
                                backwards ? rows : columns,
                                backwards,
                                on_chip_elements,
                                static_cast<Element*>(scratch.memory),
                                lent < elements ? lent : elements,
                                stream};
    const bool allocate = scratch.own && work.needs_scratch();
    if (allocate) {
        void* memory = nullptr;
        if (cudaError_t error = cudaMallocAsync(&memory, scratch.bytes, stream)) return error;
        work.scratch = static_cast<Element*>(memory);
    }
    cudaError_t error = cudaSuccess;
    for (std::size_t matrix = 0; matrix < batch && error == cudaSuccess; ++matrix) {
        error = transpose_rectangle(work);
        work.data += elements;
    }
    if (!allocate) return error;
    const cudaError_t freed = cudaFreeAsync(work.scratch, stream);
    return error != cudaSuccess ? error : freed;
}

/// Scratch memory with which the steps run well: many lines at a time, but never more than an
/// eighth of the matrix, unless one line of each kind is more.
constexpr std::size_t in_place_scratch_size(std::size_t rows, std::size_t columns,
                                            std::size_t size) {
    const std::size_t line = rows + columns, eighth = rows * columns / 8;
    const std::size_t wanted = tuning::kInPlaceScratchLines * line;
    const std::size_t elements = wanted < eighth ? wanted : eighth < line ? line : eighth;
    return divide_up<std::size_t>(elements * size, kWideBytes) * kWideBytes;
}

/// Matrices of rows × columns elements, `batch` of them, whose bounds are checked. `on_chip_bytes`
/// of shared memory a block.
template <int Size>
cudaError_t dispatch_transpose_rectangle(void* data, std::size_t rows, std::size_t columns,
                                         std::size_t batch, std::size_t on_chip_bytes,
                                         const InPlaceScratch& scratch, cudaStream_t stream) {
    if (rows == 1 || columns == 1) return cudaSuccess;
    if (rows == columns) return dispatch_transpose_square<Size>(data, rows, batch, stream);
    constexpr int kUnit = access_width(Size, kWideBytes);
    if (is_aligned(data, kUnit)) {
        using Element = PackedElement<access_word_t<kUnit>, Size / kUnit>;
        return transpose_rectangles(static_cast<Element*>(data), rows, columns, batch,
                                    on_chip_bytes, scratch, stream);
    }
    using Element = PackedElement<std::uint8_t, Size>;
    return transpose_rectangles(static_cast<Element*>(data), rows, columns, batch, on_chip_bytes,
                                scratch, stream);
}

}  // namespace wideload::detail

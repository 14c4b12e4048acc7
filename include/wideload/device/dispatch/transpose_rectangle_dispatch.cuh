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
    /// Whether indices fit 32 bits: what the kernels through shared memory ask for.
    bool is_small() const { return columns <= UINT32_MAX / (rows + 2); }
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
        // More than two lines of memory only where that makes up for few rows.
        constexpr std::size_t kThreads = tuning::kInPlaceThreads<Element::kRegisters>;
        const std::size_t lines = divide_up<std::size_t>(2 * kLineBytes, kSize);
        const std::size_t filling = tuning::kInPlaceBlockElements / rows;
        const std::size_t wanted = power_of_two_within(lines > filling ? lines : filling);
        if (most > kThreads) most = kThreads;
        return most < wanted ? most : wanted;
    }
    static std::size_t power_of_two_within(std::size_t value) {
        std::size_t power = value == 0 ? 0 : 1;
        while (power != 0 && power <= value / 2) power *= 2;
        return power;
    }
};

constexpr int floor_log2(std::size_t value) {
    int exponent = 0;
    while (value >> exponent > 1) ++exponent;
    return exponent;
}

/// Launches a kernel with `elements` elements of dynamic shared memory.
template <class Element, class... Parameters, class... Arguments>
cudaError_t launch_on_chip(void (*kernel)(Parameters...), std::size_t blocks, int threads,
                           std::size_t elements, cudaStream_t stream,
                           const Arguments&... arguments) {
    const std::size_t shared =
        divide_up<std::size_t>(elements, kSpreadElements) * kSpreadElements * sizeof(Element);
    if (cudaError_t error = cudaFuncSetAttribute(
            kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shared)))
        return error;
    return launch(kernel, blocks, threads, shared, stream, arguments...);
}

/// All lines through shared memory, `per_block` of them a block.
template <class Element, class Lines>
cudaError_t permute_on_chip(const RectangleWork<Element>& work, const Lines& lines,
                            std::size_t per_block, Permute permute) {
    constexpr int kThreads = tuning::kInPlaceThreads<Element::kRegisters>;
    return launch_on_chip<Element>(permute_lines_kernel<Element, kThreads, Lines>,
                                   divide_up<std::size_t>(lines.last - lines.first, per_block),
                                   kThreads, per_block * lines.length(), work.stream, work.data,
                                   lines, static_cast<unsigned>(per_block), permute);
}

inline constexpr int kStagingThreads = 256;
/// Elements of a line that a thread walks past.
inline constexpr int kStagingSteps = 16;

/// All lines through scratch memory, `together` of them at a time, `per_block` of them a block.
template <class Element, class Lines>
cudaError_t permute_through_scratch(const RectangleWork<Element>& work, Lines lines,
                                    std::size_t together, std::size_t per_block, Permute permute) {
    const std::size_t end = lines.last;
    const auto segment = static_cast<unsigned>(kStagingThreads / per_block * kStagingSteps);
    const std::size_t segments = divide_up<std::size_t>(lines.length(), segment);
    if (segments > kMaxGridBlocks) return cudaErrorInvalidConfiguration;
    const dim3 grid(static_cast<unsigned>(segments),
                    static_cast<unsigned>(divide_up(together, per_block)));
    using Index = typename Lines::Index;
    for (std::size_t first = lines.first; first < end; first += together) {
        lines.first = static_cast<Index>(first);
        lines.last = static_cast<Index>(first + together < end ? first + together : end);
        for (const bool in : {true, false}) {
            const bool permuted = in == (permute == Permute::kOnTheWayIn);
            if (cudaError_t error =
                    launch_grid(stage_lines_kernel<Element, kStagingThreads, Lines>, grid,
                                kStagingThreads, 0, work.stream, work.data, work.scratch, lines,
                                static_cast<unsigned>(per_block), segment, permuted, in))
                return error;
        }
    }
    return cudaSuccess;
}

template <class Element>
cudaError_t permute_rows(const RectangleWork<Element>& work) {
    const Permute permute = work.backwards ? Permute::kOnTheWayOut : Permute::kOnTheWayIn;
    if (work.rows_on_chip()) {
        constexpr std::size_t kThreads = tuning::kInPlaceThreads<Element::kRegisters>;
        // As many threads to a row as it has elements, rounded up to a power of two.
        int log2 = floor_log2(work.columns - 1) + 1;
        if (std::size_t{1} << log2 > kThreads) log2 = floor_log2(kThreads);
        const StagedRows<unsigned> rows(work.rows, work.columns, log2);
        return permute_on_chip(work, rows, kThreads >> log2, permute);
    }
    std::size_t together = work.scratch_elements / work.columns;
    if (together > kMaxGridSide) together = kMaxGridSide;
    constexpr int kLog2 = floor_log2(kStagingThreads);
    if (work.is_small()) {
        const StagedRows<unsigned> rows(work.rows, work.columns, kLog2);
        return permute_through_scratch(work, rows, together, 1, permute);
    }
    const StagedRows<std::size_t> rows(work.rows, work.columns, kLog2);
    return permute_through_scratch(work, rows, together, 1, permute);
}

/// The rotation or the permutation of all columns from `first` on.
template <template <class> class Walk, class Element>
cudaError_t permute_columns(const RectangleWork<Element>& work, std::size_t first) {
    const Permute permute = work.backwards ? Permute::kOnTheWayIn : Permute::kOnTheWayOut;
    if (work.columns_on_chip()) {
        const std::size_t panel = work.panel_columns();
        const StagedColumns<unsigned, Walk> columns(work.rows, work.columns, first / panel * panel,
                                                    floor_log2(panel), panel,
                                                    tuning::kInPlaceThreads<Element::kRegisters>);
        return permute_on_chip(work, columns, panel, permute);
    }
    std::size_t together = work.scratch_elements / work.rows;
    if (together > kMaxGridSide) together = kMaxGridSide;
    std::size_t panel = RectangleWork<Element>::power_of_two_within(together);
    const std::size_t line = divide_up<std::size_t>(kLineBytes, sizeof(Element));
    while (panel > line) panel /= 2;
    together -= together % panel;
    first -= first % panel;
    const int log2 = floor_log2(panel);
    if (work.is_small()) {
        const StagedColumns<unsigned, Walk> columns(work.rows, work.columns, first, log2, together,
                                                    kStagingThreads);
        return permute_through_scratch(work, columns, together, panel, permute);
    }
    const StagedColumns<std::size_t, Walk> columns(work.rows, work.columns, first, log2, together,
                                                   kStagingThreads);
    return permute_through_scratch(work, columns, together, panel, permute);
}

template <class Element>
cudaError_t transpose_rectangle(const RectangleWork<Element>& work) {
    const std::size_t common = work.common(), rotated = work.columns / common;
    // The columns before the period stay as they are in the rotation.
    if (work.backwards) {
        if (cudaError_t error = permute_columns<ColumnWalk>(work, 0)) return error;
        if (cudaError_t error = permute_rows(work)) return error;
        return common != 1 ? permute_columns<RotationWalk>(work, rotated) : cudaSuccess;
    }
    if (common != 1) {
        if (cudaError_t error = permute_columns<RotationWalk>(work, rotated)) return error;
    }
    if (cudaError_t error = permute_rows(work)) return error;
    return permute_columns<ColumnWalk>(work, 0);
}

/// Matrices of which a block's shared memory holds at least one: the copy of it that is wide on
/// both sides, where it holds two.
template <class Unit, int Units>
cudaError_t transpose_matrices_on_chip(void* data, std::size_t rows, std::size_t columns,
                                       std::size_t batch, std::size_t on_chip_bytes,
                                       cudaStream_t stream) {
    const std::size_t bytes = rows * columns * sizeof(Unit) * Units;
    const std::size_t half = on_chip_bytes / 2 / kLineBytes * kLineBytes;
    if (bytes > half)
        return launch_transpose_small<SmallElement<Unit, Units>, true>(data, data, rows, columns,
                                                                       batch, bytes, stream);
    const bool several =
        bytes <= tuning::kMostSmallTransposeBytes && tuning::kMostSmallTransposeBytes <= half;
    return launch_transpose_small<SmallElement<Unit, Units>, false>(
        data, data, rows, columns, batch, several ? 0 : bytes, stream);
}

/// What the caller lends, or memory in the stream's order where that is nothing.
struct InPlaceScratch {
    void* memory;
    std::size_t bytes;
    bool own;  ///< to be allocated if it turns out to be needed
};

template <class Unit, int Units>
cudaError_t transpose_rectangles(void* data, std::size_t rows, std::size_t columns,
                                 std::size_t batch, std::size_t on_chip_bytes,
                                 InPlaceScratch scratch, cudaStream_t stream) {
    using Element = PackedElement<Unit, Units>;
    const std::size_t elements = rows * columns;
    const std::size_t on_chip_elements =
        on_chip_bytes / (kSpreadElements * sizeof(Element)) * kSpreadElements;
    // One large matrix would leave all SMs but one idle.
    if (elements <= on_chip_elements &&
        (elements <= tuning::kInPlaceLoneElements || batch >= tuning::kInPlaceManyMatrices))
        return transpose_matrices_on_chip<Unit, Units>(data, rows, columns, batch, on_chip_bytes,
                                                       stream);

    const bool backwards = rows > columns;
    const std::size_t lent = scratch.bytes / sizeof(Element);
    RectangleWork<Element> work{static_cast<Element*>(data),
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
    const auto transpose_units = is_aligned(data, kUnit)
                                     ? transpose_rectangles<access_word_t<kUnit>, Size / kUnit>
                                     : transpose_rectangles<std::uint8_t, Size>;
    return transpose_units(data, rows, columns, batch, on_chip_bytes, scratch, stream);
}

}  // namespace wideload::detail

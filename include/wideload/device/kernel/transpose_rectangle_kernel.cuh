// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/support/fast_divide.cuh>
#include <wideload/support/wide_divide.cuh>
#include <wideload/thread/load.cuh>
#include <wideload/thread/store.cuh>

namespace wideload::detail {

/// The transpose of a rectangle in place as permutations within its columns and within its rows:
/// columns are rotated (only where rows and columns have a common divisor), then rows are permuted,
/// then columns. Each needs no memory but a line's. Here the matrix is `rows` × `columns`, not more
/// rows than columns, row by row. Source: B. Catanzaro, A. Keller, M. Garland, "A decomposition for
/// in-place matrix transposition", PPoPP 2014.
///
/// @tparam Divide  fast_divide where rows * columns + rows is below 2^31, wide_divide elsewhere
template <class Divide>
struct RectanglePlan {
    using Index = typename Divide::value_type;
    Divide rows, columns;
    Divide row_period, column_period;  ///< rows and columns over their greatest common divisor
    Index columns_modulo_rows;

    RectanglePlan(std::size_t row_count, std::size_t column_count)
        : rows(static_cast<Index>(row_count)), columns(static_cast<Index>(column_count)) {
        const std::size_t common = greatest_common_divisor(row_count, column_count);
        row_period = Divide(static_cast<Index>(row_count / common));
        column_period = Divide(static_cast<Index>(column_count / common));
        columns_modulo_rows = static_cast<Index>(column_count % row_count);
    }

    /// The row from which the rotation takes an element.
    WIDELOAD_DEVICE Index rotated_row(Index row, Index column) const {
        return wrap(row + column_period.quotient(column), rows.divisor());
    }
    /// The column to which the permutation of its row sends an element.
    WIDELOAD_DEVICE Index permuted_column(Index row, Index column) const {
        return modulo(columns, rotated_row(row, column) + column * rows.divisor());
    }
    /// The row from which the permutation of its column takes an element.
    WIDELOAD_DEVICE Index permuted_row(Index row, Index column) const {
        const Index turned =
            modulo(rows, row * columns_modulo_rows + rows.divisor() - row_period.quotient(row));
        return wrap(turned + modulo(rows, column), rows.divisor());
    }

private:
    static WIDELOAD_DEVICE Index wrap(Index value, Index divisor) {
        return value < divisor ? value : value - divisor;
    }
};

/// Where an element lies, and where it is staged: at `linear` on the side that keeps the order, at
/// `permuted` on the other.
template <class Index>
struct StagedElement {
    std::size_t address;  ///< in elements from the matrix's first
    Index linear, permuted;
};

/// Whole rows from `first` on.
template <class Divide>
struct StagedRows {
    using Index = typename Divide::value_type;
    RectanglePlan<Divide> plan;
    Index first, last, lines;  ///< rows [first, last) in groups of `lines`

    WIDELOAD_DEVICE Index count(Index group) const {
        const Index left = last - first - group * lines;
        return (left < lines ? left : lines) * plan.columns.divisor();
    }
    WIDELOAD_DEVICE StagedElement<Index> element(Index group, Index number) const {
        Index line;
        const Index column = plan.columns.remainder(number, &line);
        const Index row = first + group * lines + line;
        return {static_cast<std::size_t>(row) * plan.columns.divisor() + column, number,
                line * plan.columns.divisor() + plan.permuted_column(row, column)};
    }
};

/// A panel of neighbouring columns from `first` on.
template <class Divide, bool Rotate>
struct StagedColumns {
    using Index = typename Divide::value_type;
    RectanglePlan<Divide> plan;
    Index first, last, lines;  ///< columns [first, last) in groups of `lines`, a power of two
    int lines_log2;

    WIDELOAD_DEVICE Index count(Index) const { return plan.rows.divisor() << lines_log2; }
    WIDELOAD_DEVICE StagedElement<Index> element(Index group, Index number) const {
        const Index row = number >> lines_log2, line = number & (lines - 1);
        const Index column = first + (group << lines_log2) + line;
        if (column >= last) return {SIZE_MAX, 0, 0};
        const Index from = Rotate ? plan.rotated_row(row, column) : plan.permuted_row(row, column);
        return {static_cast<std::size_t>(row) * plan.columns.divisor() + column, number,
                (from << lines_log2) + line};
    }
};

/// Matrices small enough for a block's shared memory, several to a block, whole.
struct StagedMatrices {
    using Index = std::uint32_t;
    fast_divide rows, elements;  ///< of one matrix
    Index columns;
    std::size_t matrices;
    Index lines;  ///< matrices a group

    WIDELOAD_DEVICE Index count(Index group) const {
        const std::size_t left = matrices - static_cast<std::size_t>(group) * lines;
        return (left < lines ? static_cast<Index>(left) : lines) * elements.divisor();
    }
    WIDELOAD_DEVICE StagedElement<Index> element(Index group, Index number) const {
        Index matrix, column;
        const Index row = rows.remainder(elements.remainder(number, &matrix), &column);
        const std::size_t first = static_cast<std::size_t>(group) * lines * elements.divisor();
        return {first + number, number, matrix * elements.divisor() + row * columns + column};
    }
};

/// Which side of the staging memory has the permuted order.
enum class Permute { kOnTheWayIn, kOnTheWayOut };

/// An element of `Units` units at a multiple of a unit.
template <class Unit, int Units>
struct PackedElement {
    static constexpr int kBytes = static_cast<int>(sizeof(Unit)) * Units;
    /// Registers that hold one.
    static constexpr int kRegisters = Units * (sizeof(Unit) < 4 ? 1 : kBytes / Units / 4);
    Unit units[Units];

    static WIDELOAD_DEVICE PackedElement load(const PackedElement* from) {
        PackedElement element;
        load_bytes<kBytes, sizeof(Unit), cached>(from, &element);
        return element;
    }
    static WIDELOAD_DEVICE void store(PackedElement* to, const PackedElement& element) {
        store_bytes<kBytes, sizeof(Unit), cached>(to, &element);
    }
};

/// A place in shared memory: neighbours of 32 elements keep to their 32, in an order that puts
/// those at any power-of-two distance into different banks.
WIDELOAD_DEVICE std::uint32_t spread_over_banks(std::uint32_t place) {
    return place ^ ((place >> 5 ^ place >> 10 ^ place >> 15) & (kWarpLanes - 1));
}
inline constexpr int kSpreadElements = kWarpLanes;

/// One group of lines a block, through shared memory.
template <class Element, int Threads, class Lines>
__global__ void __launch_bounds__(Threads)
    permute_lines_kernel(Element* data, const __grid_constant__ Lines lines, Permute permute) {
    extern __shared__ uint4 shared_words[];
    Element* staged = reinterpret_cast<Element*>(shared_words);
    constexpr int kBatch = Element::kRegisters < 8 ? 8 / Element::kRegisters : 1;  // in flight
    const bool on_the_way_in = permute == Permute::kOnTheWayIn;
    const std::uint32_t count = lines.count(blockIdx.x);
    for (std::uint32_t first = threadIdx.x; first < count; first += Threads * kBatch) {
        Element held[kBatch];
        std::uint32_t place[kBatch];
#pragma unroll
        for (int k = 0; k < kBatch; ++k) {
            place[k] = UINT32_MAX;
            if (first + k * Threads >= count) continue;
            const auto at = lines.element(blockIdx.x, first + k * Threads);
            if (at.address == SIZE_MAX) continue;
            held[k] = Element::load(data + at.address);
            place[k] = spread_over_banks(on_the_way_in ? at.permuted : at.linear);
        }
#pragma unroll
        for (int k = 0; k < kBatch; ++k) {
            if (place[k] != UINT32_MAX) staged[place[k]] = held[k];
        }
    }
    __syncthreads();
    for (std::uint32_t first = threadIdx.x; first < count; first += Threads * kBatch) {
        Element held[kBatch];
        std::size_t address[kBatch];
#pragma unroll
        for (int k = 0; k < kBatch; ++k) {
            address[k] = SIZE_MAX;
            if (first + k * Threads >= count) continue;
            const auto at = lines.element(blockIdx.x, first + k * Threads);
            address[k] = at.address;
            if (at.address == SIZE_MAX) continue;
            held[k] = staged[spread_over_banks(on_the_way_in ? at.linear : at.permuted)];
        }
#pragma unroll
        for (int k = 0; k < kBatch; ++k) {
            if (address[k] != SIZE_MAX) Element::store(data + address[k], held[k]);
        }
    }
}

/// One group of lines a grid, into scratch memory (`in`) or back.
template <class Element, int Threads, class Lines>
__global__ void __launch_bounds__(Threads)
    stage_lines_kernel(Element* data, Element* scratch, const __grid_constant__ Lines lines,
                       bool permuted, bool in) {
    const std::uint64_t i = static_cast<std::uint64_t>(blockIdx.x) * Threads + threadIdx.x;
    if (i >= lines.count(0)) return;
    const auto at = lines.element(0, i);
    if (at.address == SIZE_MAX) return;
    Element* staged = scratch + (permuted ? at.permuted : at.linear);
    if (in) {
        Element::store(staged, Element::load(data + at.address));
    } else {
        Element::store(data + at.address, Element::load(staged));
    }
}

}  // namespace wideload::detail

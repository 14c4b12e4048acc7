// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/support/fast_divide.cuh>
#include <wideload/thread/load.cuh>
#include <wideload/thread/store.cuh>

namespace wideload::detail {

/// The transpose of a rectangle in place as permutations within its columns and within its rows:
/// columns are rotated (only where rows and columns have a common divisor), then rows are permuted,
/// then columns. Each needs no memory but a line's. Here the matrix is `rows` × `columns`, not more
/// rows than columns, row by row. Source: B. Catanzaro, A. Keller, M. Garland, "A decomposition for
/// in-place matrix transposition", PPoPP 2014. Every thread walks along one line in steps of one
/// length, so that all it needs are additions.
///
/// @tparam Index  32 bits where rows * columns + 2 * columns fits, 64 elsewhere
template <class Index>
struct RectangleShape {
    Index rows, columns;
    Index row_period, column_period;  ///< rows and columns over their greatest common divisor

    RectangleShape(std::size_t row_count, std::size_t column_count)
        : rows(static_cast<Index>(row_count)), columns(static_cast<Index>(column_count)) {
        const Index common = greatest_common_divisor(rows, columns);
        row_period = rows / common;
        column_period = columns / common;
    }
};

template <class Index>
WIDELOAD_DEVICE Index add_modulo(Index value, Index added, Index divisor) {
    value += added;
    return value < divisor ? value : value - divisor;
}

/// Where the permutation of its row sends an element: column
/// (row + column / column_period) % rows + column * rows, modulo all columns.
template <class Index>
class RowWalk {
public:
    WIDELOAD_DEVICE RowWalk(const RectangleShape<Index>& shape, Index row, Index column, Index step)
        : shape_(shape),
          turned_((row + column / shape.column_period) % shape.rows),
          within_(column % shape.column_period),
          product_(column * shape.rows % shape.columns),
          step_turns_(step / shape.column_period % shape.rows),
          step_within_(step % shape.column_period),
          step_product_(step % shape.columns * shape.rows % shape.columns) {}

    WIDELOAD_DEVICE Index place() const { return add_modulo(turned_, product_, shape_.columns); }
    WIDELOAD_DEVICE void advance() {
        within_ += step_within_;
        turned_ = add_modulo(turned_, step_turns_, shape_.rows);
        if (within_ >= shape_.column_period) {
            within_ -= shape_.column_period;
            turned_ = add_modulo(turned_, Index{1}, shape_.rows);
        }
        product_ = add_modulo(product_, step_product_, shape_.columns);
    }

private:
    const RectangleShape<Index>& shape_;
    Index turned_, within_, product_;
    Index step_turns_, step_within_, step_product_;
};

/// From which row the rotation of its column takes an element: (row + column / column_period) %
/// rows.
template <class Index>
class RotationWalk {
public:
    WIDELOAD_DEVICE RotationWalk(const RectangleShape<Index>& shape, Index row, Index column,
                                 Index step)
        : rows_(shape.rows),
          place_((row + column / shape.column_period) % rows_),
          step_(step % rows_) {}

    WIDELOAD_DEVICE Index place() const { return place_; }
    WIDELOAD_DEVICE void advance() { place_ = add_modulo(place_, step_, rows_); }

private:
    Index rows_, place_, step_;
};

/// From which row the permutation of its column takes an element:
/// (column + row * columns - row / row_period) % rows.
template <class Index>
class ColumnWalk {
public:
    WIDELOAD_DEVICE ColumnWalk(const RectangleShape<Index>& shape, Index row, Index column,
                               Index step)
        : rows_(shape.rows),
          period_(shape.row_period),
          place_((column % rows_ + row * (shape.columns % rows_) + rows_ - row / period_) % rows_),
          within_(row % period_),
          step_place_((step % rows_ * (shape.columns % rows_) + rows_ - step / period_ % rows_) %
                      rows_),
          step_within_(step % period_) {}

    WIDELOAD_DEVICE Index place() const { return place_; }
    WIDELOAD_DEVICE void advance() {
        place_ = add_modulo(place_, step_place_, rows_);
        within_ += step_within_;
        if (within_ >= period_) {
            within_ -= period_;
            place_ = add_modulo(place_, rows_ - 1, rows_);
        }
    }

private:
    Index rows_, period_, place_, within_, step_place_, step_within_;
};

/// What one thread does of a line: `count` elements, `address_step` apart in the matrix. On the
/// side that keeps the order they are staged `linear_step` apart from `linear` on, on the other at
/// `base + pitch * walk.place()`.
template <class Index, class Walk>
struct ThreadLine {
    Walk walk;
    Index count;
    std::size_t address, address_step;
    Index linear, linear_step;
    Index base, pitch;

    WIDELOAD_DEVICE Index permuted() const { return base + pitch * walk.place(); }
};

/// Rows [first, last); 2^log2 threads to a row.
template <class IndexType>
struct StagedRows {
    using Index = IndexType;
    using LoadPolicy = cached;
    RectangleShape<Index> shape;
    Index first, last;
    int log2;

    /// @param line    of the launch, of this thread's group of lines the first
    /// @param staged  where that line is staged
    /// @param begin   of the segment [begin, end) of the line
    template <int Threads>
    WIDELOAD_DEVICE auto thread(Index line, Index staged, Index begin, Index end) const {
        const Index own = threadIdx.x >> log2, step = Index{1} << log2;
        const Index row = first + line + own;
        const Index column = begin + (threadIdx.x & (step - 1));
        end = end < shape.columns ? end : shape.columns;
        const Index base = (staged + own) * shape.columns;
        const Index count =
            row < last && column < end ? (end - column + step - 1) >> log2 : Index{0};
        return ThreadLine<Index, RowWalk<Index>>{
            RowWalk<Index>(shape, row, column, step),
            count,
            static_cast<std::size_t>(row) * shape.columns + column,
            step,
            base + column,
            step,
            base,
            1};
    }
    WIDELOAD_HOST_DEVICE Index length() const { return shape.columns; }
};

/// Columns [first, last), 2^log2 neighbours to a block; staged as rows of `pitch` elements.
template <class IndexType, template <class> class Walk>
struct StagedColumns {
    using Index = IndexType;
    using LoadPolicy = read_line;  // the rest of the line is what the neighbouring blocks read
    RectangleShape<Index> shape;
    Index first, last;
    int log2;
    Index pitch;

    template <int Threads>
    WIDELOAD_DEVICE auto thread(Index line, Index staged, Index begin, Index end) const {
        const Index own = threadIdx.x & ((1u << log2) - 1), step = Threads >> log2;
        const Index column = first + line + own, row = begin + (threadIdx.x >> log2);
        end = end < shape.rows ? end : shape.rows;
        const Index count = column < last && row < end ? (end - row + step - 1) / step : Index{0};
        return ThreadLine<Index, Walk<Index>>{
            Walk<Index>(shape, row, column, step),
            count,
            static_cast<std::size_t>(row) * shape.columns + column,
            static_cast<std::size_t>(step) * shape.columns,
            row * pitch + staged + own,
            step * pitch,
            staged + own,
            pitch};
    }
    WIDELOAD_HOST_DEVICE Index length() const { return shape.rows; }
};

/// Which side of the staging memory has the permuted order.
enum class Permute { kOnTheWayIn, kOnTheWayOut };

/// An element of `Units` units at a multiple of a unit.
template <class Unit, int Units>
struct PackedElement {
    static constexpr int kBytes = static_cast<int>(sizeof(Unit)) * Units;
    /// Registers that hold one.
    static constexpr int kRegisters = Units * (sizeof(Unit) < 4 ? 1 : kBytes / Units / 4);
    /// Elements that a thread has in flight.
    static constexpr int kBatch = kRegisters < 8 ? 8 / kRegisters : 1;
    Unit units[Units];

    template <class Policy = cached>
    static WIDELOAD_DEVICE PackedElement load(const PackedElement* from) {
        PackedElement element;
        load_bytes<kBytes, sizeof(Unit), Policy>(from, &element);
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

/// Staging memory of a block, and of a grid.
template <class Element>
struct SharedStage {
    Element* elements;
    WIDELOAD_DEVICE Element& operator[](std::uint32_t place) const {
        return elements[spread_over_banks(place)];
    }
};
template <class Element>
struct ScratchStage {
    Element* elements;
    WIDELOAD_DEVICE Element& operator[](std::size_t place) const { return elements[place]; }
};

/// From the matrix to the staging memory.
template <class Policy, class Element, class Stage, class Line>
WIDELOAD_DEVICE void fill_stage(const Element* data, Stage stage, Line line, bool permuted) {
    using Index = decltype(line.count);
    const Element* source = data + line.address;
    for (Index done = 0; done < line.count; done += Element::kBatch) {
        Element held[Element::kBatch];
#pragma unroll
        for (int k = 0; k < Element::kBatch; ++k) {
            if (done + k < line.count)
                held[k] = Element::template load<Policy>(source + k * line.address_step);
        }
        source += Element::kBatch * line.address_step;
#pragma unroll
        for (int k = 0; k < Element::kBatch; ++k) {
            if (done + k < line.count) stage[permuted ? line.permuted() : line.linear] = held[k];
            line.linear += line.linear_step;
            line.walk.advance();
        }
    }
}

/// And back.
template <class Element, class Stage, class Line>
WIDELOAD_DEVICE void drain_stage(Element* data, Stage stage, Line line, bool permuted) {
    using Index = decltype(line.count);
    Element* target = data + line.address;
    for (Index done = 0; done < line.count; done += Element::kBatch) {
        Element held[Element::kBatch];
#pragma unroll
        for (int k = 0; k < Element::kBatch; ++k) {
            if (done + k < line.count) held[k] = stage[permuted ? line.permuted() : line.linear];
            line.linear += line.linear_step;
            line.walk.advance();
        }
#pragma unroll
        for (int k = 0; k < Element::kBatch; ++k) {
            if (done + k < line.count) Element::store(target + k * line.address_step, held[k]);
        }
        target += Element::kBatch * line.address_step;
    }
}

/// `lines_per_block` whole lines a block, through shared memory.
template <class Element, int Threads, class Lines>
__global__ void __launch_bounds__(Threads)
    permute_lines_kernel(Element* data, const __grid_constant__ Lines lines,
                         unsigned lines_per_block, Permute permute) {
    extern __shared__ uint4 shared_words[];
    const SharedStage<Element> stage{reinterpret_cast<Element*>(shared_words)};
    const auto line =
        lines.template thread<Threads>(blockIdx.x * lines_per_block, 0, 0, lines.length());
    fill_stage<typename Lines::LoadPolicy>(data, stage, line, permute == Permute::kOnTheWayIn);
    __syncthreads();
    drain_stage(data, stage, line, permute == Permute::kOnTheWayOut);
}

/// A segment of `segment` elements of `lines_per_block` lines a block, into scratch memory (`in`)
/// or back.
template <class Element, int Threads, class Lines>
__global__ void __launch_bounds__(Threads)
    stage_lines_kernel(Element* data, Element* scratch, const __grid_constant__ Lines lines,
                       unsigned lines_per_block, unsigned segment, bool permuted, bool in) {
    using Index = typename Lines::Index;
    const ScratchStage<Element> stage{scratch};
    const Index first = static_cast<Index>(blockIdx.y) * lines_per_block;
    const Index begin = static_cast<Index>(blockIdx.x) * segment;
    const auto line = lines.template thread<Threads>(first, first, begin, begin + segment);
    if (in) {
        fill_stage<typename Lines::LoadPolicy>(data, stage, line, permuted);
    } else {
        drain_stage(data, stage, line, permuted);
    }
}

/// Matrices small enough for a block's shared memory, several to a block.
struct StagedMatrices {
    fast_divide rows, elements;  ///< of one matrix
    unsigned columns;
    std::size_t matrices;
    unsigned matrices_per_block;
};

/// Each read as one range and written as one.
template <class Element, int Threads>
__global__ void __launch_bounds__(Threads)
    transpose_matrices_kernel(Element* data, const __grid_constant__ StagedMatrices plan) {
    extern __shared__ uint4 shared_words[];
    const SharedStage<Element> stage{reinterpret_cast<Element*>(shared_words)};
    const std::size_t first = static_cast<std::size_t>(blockIdx.x) * plan.matrices_per_block;
    const std::size_t left = plan.matrices - first;
    const unsigned matrices =
        left < plan.matrices_per_block ? static_cast<unsigned>(left) : plan.matrices_per_block;
    const unsigned elements = matrices * plan.elements.divisor();
    data += first * plan.elements.divisor();
#pragma unroll 4
    for (unsigned i = threadIdx.x; i < elements; i += Threads) stage[i] = Element::load(data + i);
    __syncthreads();
#pragma unroll 4
    for (unsigned i = threadIdx.x; i < elements; i += Threads) {
        unsigned matrix, column;
        const unsigned row = plan.rows.remainder(plan.elements.remainder(i, &matrix), &column);
        Element::store(data + i,
                       stage[matrix * plan.elements.divisor() + row * plan.columns + column]);
    }
}

}  // namespace wideload::detail

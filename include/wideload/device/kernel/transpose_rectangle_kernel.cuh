// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/device/detail/stream_order.cuh>
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
    /// What an advance by `step` columns adds.
    struct Step {
        Index turns, within, product;
        Step(const RectangleShape<Index>& shape, Index step)
            : turns(step / shape.column_period % shape.rows),
              within(step % shape.column_period),
              product(step % shape.columns * shape.rows % shape.columns) {}
    };

    WIDELOAD_DEVICE RowWalk(const RectangleShape<Index>& shape, const Step& step, Index row,
                            Index column)
        : shape_(shape),
          step_(step),
          turned_((row + column / shape.column_period) % shape.rows),
          within_(column % shape.column_period),
          product_(column * shape.rows % shape.columns) {}

    WIDELOAD_DEVICE Index place() const { return add_modulo(turned_, product_, shape_.columns); }
    WIDELOAD_DEVICE void advance() {
        within_ += step_.within;
        turned_ = add_modulo(turned_, step_.turns, shape_.rows);
        if (within_ >= shape_.column_period) {
            within_ -= shape_.column_period;
            turned_ = add_modulo(turned_, Index{1}, shape_.rows);
        }
        product_ = add_modulo(product_, step_.product, shape_.columns);
    }

private:
    const RectangleShape<Index>& shape_;
    const Step& step_;
    Index turned_, within_, product_;
};

/// From which row the rotation of its column takes an element: (row + column / column_period) %
/// rows.
template <class Index>
class RotationWalk {
public:
    struct Step {
        Index rows;
        Step(const RectangleShape<Index>& shape, Index step) : rows(step % shape.rows) {}
    };

    WIDELOAD_DEVICE RotationWalk(const RectangleShape<Index>& shape, const Step& step, Index row,
                                 Index column)
        : shape_(shape), step_(step), place_((row + column / shape.column_period) % shape.rows) {}

    WIDELOAD_DEVICE Index place() const { return place_; }
    WIDELOAD_DEVICE void advance() { place_ = add_modulo(place_, step_.rows, shape_.rows); }

private:
    const RectangleShape<Index>& shape_;
    const Step& step_;
    Index place_;
};

/// From which row the permutation of its column takes an element:
/// (column + row * columns - row / row_period) % rows.
template <class Index>
class ColumnWalk {
public:
    struct Step {
        Index place, within;
        Step(const RectangleShape<Index>& shape, Index step)
            : place((step % shape.rows * (shape.columns % shape.rows) + shape.rows -
                     step / shape.row_period % shape.rows) %
                    shape.rows),
              within(step % shape.row_period) {}
    };

    WIDELOAD_DEVICE ColumnWalk(const RectangleShape<Index>& shape, const Step& step, Index row,
                               Index column)
        : shape_(shape),
          step_(step),
          place_((column % shape.rows + row * (shape.columns % shape.rows) + shape.rows -
                  row / shape.row_period) %
                 shape.rows),
          within_(row % shape.row_period) {}

    WIDELOAD_DEVICE Index place() const { return place_; }
    WIDELOAD_DEVICE void advance() {
        place_ = add_modulo(place_, step_.place, shape_.rows);
        within_ += step_.within;
        if (within_ >= shape_.row_period) {
            within_ -= shape_.row_period;
            place_ = place_ == 0 ? shape_.rows - 1 : place_ - 1;
        }
    }

private:
    const RectangleShape<Index>& shape_;
    const Step& step_;
    Index place_, within_;
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

    template <bool Permuted>
    WIDELOAD_DEVICE Index place() const {
        return Permuted ? base + pitch * walk.place() : linear;
    }
    template <bool Permuted>
    WIDELOAD_DEVICE void advance() {
        if constexpr (Permuted) {
            walk.advance();
        } else {
            linear += linear_step;
        }
    }
};

/// Rows [first, last); 2^log2 threads to a row.
template <class IndexType>
struct StagedRows {
    using Index = IndexType;
    using LoadPolicy = cached;
    RectangleShape<Index> shape;
    typename RowWalk<Index>::Step step_of_walk;
    Index first, last;
    int log2;

    StagedRows(std::size_t rows, std::size_t columns, int threads_log2)
        : shape(rows, columns),
          step_of_walk(shape, Index{1} << threads_log2),
          first(0),
          last(shape.rows),
          log2(threads_log2) {}

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
            RowWalk<Index>(shape, step_of_walk, row, column),
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
    typename Walk<Index>::Step step_of_walk;
    Index first, last;
    int log2;
    Index pitch;

    StagedColumns(std::size_t rows, std::size_t columns, std::size_t first_column, int panel_log2,
                  std::size_t staged_columns, int threads)
        : shape(rows, columns),
          step_of_walk(shape, static_cast<Index>(threads >> panel_log2)),
          first(static_cast<Index>(first_column)),
          last(shape.columns),
          log2(panel_log2),
          pitch(static_cast<Index>(staged_columns)) {}

    template <int Threads>
    WIDELOAD_DEVICE auto thread(Index line, Index staged, Index begin, Index end) const {
        const Index own = threadIdx.x & ((1u << log2) - 1), step = Threads >> log2;
        const Index column = first + line + own, row = begin + (threadIdx.x >> log2);
        end = end < shape.rows ? end : shape.rows;
        const Index count = column < last && row < end ? (end - row + step - 1) / step : Index{0};
        return ThreadLine<Index, Walk<Index>>{
            Walk<Index>(shape, step_of_walk, row, column),
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

    /// Whether an element and what it takes to find its place would not fit the registers.
    static constexpr bool kInParts = kRegisters > 32;
    /// `move(part of to, part of from)` for all of such an element, some units at a time.
    template <class Move>
    static WIDELOAD_DEVICE void in_parts(PackedElement* to, const PackedElement* from, Move move) {
        constexpr int kTogether = greatest_common_divisor(Units, 8);
        using Part = PackedElement<Unit, kTogether>;
#pragma unroll 1
        for (int first = 0; first < Units; first += kTogether) {
            move(reinterpret_cast<Part*>(to->units + first),
                 reinterpret_cast<const Part*>(from->units + first));
        }
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
template <bool Permuted, class Policy, class Element, class Stage, class Line>
WIDELOAD_DEVICE void fill_stage(const Element* data, Stage stage, Line line) {
    using Index = decltype(line.count);
    const Element* source = data + line.address;
    if constexpr (Element::kInParts) {
        for (Index done = 0; done < line.count; ++done, source += line.address_step) {
            Element::in_parts(
                &stage[line.template place<Permuted>()], source, [](auto* to, auto* from) {
                    *to = std::remove_reference_t<decltype(*to)>::template load<Policy>(from);
                });
            line.template advance<Permuted>();
        }
    } else {
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
                if (done + k < line.count) stage[line.template place<Permuted>()] = held[k];
                line.template advance<Permuted>();
            }
        }
    }
}

/// And back.
template <bool Permuted, class Element, class Stage, class Line>
WIDELOAD_DEVICE void drain_stage(Element* data, Stage stage, Line line) {
    using Index = decltype(line.count);
    Element* target = data + line.address;
    if constexpr (Element::kInParts) {
        for (Index done = 0; done < line.count; ++done, target += line.address_step) {
            Element::in_parts(target, &stage[line.template place<Permuted>()],
                              [](auto* to, auto* from) {
                                  std::remove_reference_t<decltype(*to)>::store(to, *from);
                              });
            line.template advance<Permuted>();
        }
    } else {
        for (Index done = 0; done < line.count; done += Element::kBatch) {
            Element held[Element::kBatch];
#pragma unroll
            for (int k = 0; k < Element::kBatch; ++k) {
                if (done + k < line.count) held[k] = stage[line.template place<Permuted>()];
                line.template advance<Permuted>();
            }
#pragma unroll
            for (int k = 0; k < Element::kBatch; ++k) {
                if (done + k < line.count) Element::store(target + k * line.address_step, held[k]);
            }
            target += Element::kBatch * line.address_step;
        }
    }
}

/// `lines_per_block` whole lines a block, through shared memory.
template <class Element, int Threads, class Lines>
__global__ void __launch_bounds__(Threads)
    permute_lines_kernel(Element* data, const __grid_constant__ Lines lines,
                         unsigned lines_per_block, Permute permute) {
    enter_stream_order();
    extern __shared__ uint4 shared_words[];
    const SharedStage<Element> stage{reinterpret_cast<Element*>(shared_words)};
    const auto line =
        lines.template thread<Threads>(blockIdx.x * lines_per_block, 0, 0, lines.length());
    using Policy = typename Lines::LoadPolicy;
    if (permute == Permute::kOnTheWayIn) {
        fill_stage<true, Policy>(data, stage, line);
        __syncthreads();
        drain_stage<false>(data, stage, line);
    } else {
        fill_stage<false, Policy>(data, stage, line);
        __syncthreads();
        drain_stage<true>(data, stage, line);
    }
}

/// A segment of `segment` elements of `lines_per_block` lines a block, into scratch memory (`in`)
/// or back.
template <class Element, int Threads, class Lines>
__global__ void __launch_bounds__(Threads)
    stage_lines_kernel(Element* data, Element* scratch, const __grid_constant__ Lines lines,
                       unsigned lines_per_block, unsigned segment, bool permuted, bool in) {
    enter_stream_order();
    using Index = typename Lines::Index;
    const ScratchStage<Element> stage{scratch};
    const Index first = static_cast<Index>(blockIdx.y) * lines_per_block;
    const Index begin = static_cast<Index>(blockIdx.x) * segment;
    const auto line = lines.template thread<Threads>(first, first, begin, begin + segment);
    using Policy = typename Lines::LoadPolicy;
    if (in && permuted) fill_stage<true, Policy>(data, stage, line);
    if (in && !permuted) fill_stage<false, Policy>(data, stage, line);
    if (!in && permuted) drain_stage<true>(data, stage, line);
    if (!in && !permuted) drain_stage<false>(data, stage, line);
}

}  // namespace wideload::detail

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/device/dispatch/transpose_words_dispatch.cuh>

namespace wideload::WIDELOAD_DETAIL {

template <class T>
using ShiftedTranspose = block::shifted_transpose<
    T, tuning::ShiftedTile<sizeof(T)>::kRows, tuning::ShiftedTile<sizeof(T)>::kColumns,
    tuning::ShiftedTile<sizeof(T)>::kBoundary, tuning::ShiftedTile<sizeof(T)>::kThreads>;

/// Whether the matrices' rows are very many for shifted tiles.
template <class T>
bool are_very_tall(std::size_t rows) {
    return strip_outlives_l2(rows, tuning::ShiftedTile<sizeof(T)>::kColumns * sizeof(T));
}

template <class T, class Plan>
cudaError_t launch_transpose_shifted(const Plan& plan, cudaStream_t stream) {
    using Tile = tuning::ShiftedTile<sizeof(T)>;
    return launch_tiles(
        transpose_shifted_kernel<T, Tile::kRows, Tile::kColumns, Tile::kBoundary, Tile::kThreads,
                                 Tile::kBlocks, typename Tile::LoadPolicy,
                                 tuning::TransposeStorePolicy, Plan>,
        plan,
        {ShiftedTranspose<T>::tiles_along_output(plan.rows),
         divide_up<std::size_t>(plan.columns, Tile::kColumns),
         sizeof(T) <= 2 && are_very_tall<T>(plan.rows)},
        Tile::kThreads, stream);
}
template <class T>
cudaError_t launch_transpose_shifted(const void* input, void* output, std::size_t rows,
                                     std::size_t columns, std::size_t batch, cudaStream_t stream) {
    return launch_transpose_shifted<T>(plan_transpose<char>(input, output, rows, columns, batch),
                                       stream);
}

/// Whether matrices fill so many percent of such tiles, or what is enough of very tall ones.
template <class T>
bool fills_shifted_tiles(std::size_t rows, std::size_t columns, int least) {
    using Tile = tuning::ShiftedTile<sizeof(T)>;
    const std::size_t height = ShiftedTranspose<T>::tiles_along_output(rows) *
                               (ShiftedTranspose<T>::kWidthBytes / sizeof(T));
    const std::size_t width = divide_up<std::size_t>(columns, Tile::kColumns) * Tile::kColumns;
    return fills(rows, columns, height, width,
                 are_very_tall<T>(rows) ? tuning::kLeastFilledAcross : least);
}

/// Whether matrices of elements at multiples of their size go by them, not by packed ones.
template <class T>
bool prefers_shifted_tiles(std::size_t rows, std::size_t columns, std::size_t batch) {
    const std::size_t bytes = rows * columns * sizeof(T);
    return bytes * batch > tuning::packed_bytes(sizeof(T), are_very_tall<T>(rows)) &&
           fills_shifted_tiles<T>(rows, columns,
                                  tuning::least_filled_or_packed(sizeof(T), bytes, batch));
}

template <class Unit, int Units, class Tile, class Plan>
cudaError_t launch_transpose_padded_with(const Plan& plan, cudaStream_t stream) {
    return launch_tiles(
        transpose_padded_kernel<Unit, Units, Tile::kWidth, Tile::kHeight, 1, Tile::kThreads,
                                Tile::kAsync, typename Tile::LoadPolicy,
                                tuning::TransposeStorePolicy, Plan>,
        plan,
        {divide_up<std::size_t>(plan.rows, Tile::kWidth),
         divide_up<std::size_t>(plan.columns, Tile::kHeight),
         sizeof(Unit) <= 4 && strip_outlives_l2(plan.rows, Tile::kHeight * Units * sizeof(Unit))},
        Tile::kThreads, stream);
}

/// Elements of 4 or 8 bytes, few enough for 32 bits.
template <class Tile, class T>
cudaError_t launch_transpose_small_padded(const T* input, T* output, std::size_t rows,
                                          std::size_t columns, std::size_t batch,
                                          cudaStream_t stream) {
    const TileGrid tiles{divide_up<std::size_t>(rows, Tile::kWidth),
                         divide_up<std::size_t>(columns, Tile::kHeight)};
    return launch_tiles_early<sizeof(T), true>(
        plan_transpose<T>(input, output, rows, columns, batch), [&](const auto& plan) {
            using Plan = std::decay_t<decltype(plan)>;
            return launch_tiles(
                transpose_small_padded_kernel<T, Tile::kThreads, typename Tile::LoadPolicy,
                                              tuning::TransposeStorePolicy, Plan>,
                plan, tiles, Tile::kThreads, stream);
        });
}

/// How many small tiles a batch of structs takes.
inline std::size_t small_struct_tiles(std::size_t rows, std::size_t columns, std::size_t batch) {
    using Tile = tuning::SmallStructTile;
    return divide_up<std::size_t>(rows, Tile::kWidth) *
           divide_up<std::size_t>(columns, Tile::kHeight) * batch;
}

/// Whether tiles of so many elements of `size` bytes a side end within sectors that rows do not.
constexpr bool tiles_split_sectors(std::size_t side, std::size_t size, std::size_t rows,
                                   std::size_t columns) {
    return side * size % kSectorBytes != 0 && rows * size % kSectorBytes == 0 &&
           columns * size % kSectorBytes == 0;
}

/// Whether small tiles of structs are few enough, and leave sectors whole.
inline bool fits_small_struct_tiles(std::size_t rows, std::size_t columns, std::size_t batch,
                                    std::size_t size) {
    return small_struct_tiles(rows, columns, batch) <= tuning::kFewStructTiles &&
           !tiles_split_sectors(tuning::SmallStructTile::kWidth, size, rows, columns);
}

/// Structs, and elements that are one unit.
template <class Unit, int Units, class Plan>
cudaError_t launch_transpose_padded(const Plan& plan, cudaStream_t stream) {
    using Tile = tuning::PaddedTile<static_cast<int>(sizeof(Unit)), Units>;
    using Small = tuning::SmallStructTile;
    if constexpr (Units > 1 && Tile::kWidth > Small::kWidth) {
        if (fits_small_struct_tiles(plan.rows, plan.columns, plan.batch, sizeof(Unit) * Units))
            return launch_transpose_padded_with<Unit, Units, Small>(plan, stream);
    }
    return launch_transpose_padded_with<Unit, Units, Tile>(plan, stream);
}
template <class Unit, int Units>
cudaError_t launch_transpose_padded(const void* input, void* output, std::size_t rows,
                                    std::size_t columns, std::size_t batch, cudaStream_t stream) {
    return launch_transpose_padded<Unit, Units>(
        plan_transpose<Unit>(input, output, rows, columns, batch), stream);
}

template <class T, class Tuned>
using PackedTranspose = block::packed_transpose<T, Tuned::kLanes, Tuned::kThreads>;

template <class T, class Tuned>
cudaError_t launch_transpose_packed_with(const T* input, T* output, std::size_t rows,
                                         std::size_t columns, std::size_t batch,
                                         cudaStream_t stream) {
    using Tile = PackedTranspose<T, Tuned>;
    const TileGrid tiles{Tile::tiles_along_output(rows),
                         divide_up<std::size_t>(columns, Tile::kHeight)};
    return launch_tiles_early<sizeof(T), true>(
        plan_transpose<T>(input, output, rows, columns, batch), [&](const auto& plan) {
            using Plan = std::decay_t<decltype(plan)>;
            return launch_tiles(transpose_packed_kernel<T, Tuned::kLanes, Tuned::kThreads,
                                                        Tuned::kBlocks, typename Tuned::LoadPolicy,
                                                        tuning::TransposeStorePolicy, Plan>,
                                plan, tiles, Tuned::kThreads, stream);
        });
}

/// How many tiles a batch takes, and what of them its matrices fill, in percent.
struct TileUse {
    std::size_t tiles, percent;

    TileUse(std::size_t down, std::size_t across, std::size_t of_tile, std::size_t of_matrix,
            std::size_t batch)
        : tiles(down * across * batch), percent(of_matrix * 100 / (down * across * of_tile)) {}
};

/// What a batch takes of padded tiles, and of those that are sheared.
template <class Tile>
TileUse padded_use(std::size_t rows, std::size_t columns, std::size_t batch) {
    return {divide_up<std::size_t>(rows, Tile::kWidth),
            divide_up<std::size_t>(columns, Tile::kHeight), Tile::kWidth * Tile::kHeight,
            rows * columns, batch};
}
template <class Tile>
TileUse sheared_use(std::size_t rows, std::size_t columns, std::size_t batch) {
    return {Tile::tiles_along_output(rows), divide_up<std::size_t>(columns, Tile::kHeight),
            Tile::kWidth * Tile::kHeight, rows * columns, batch};
}

/// Whether a batch prefers large packed tiles, what it takes of those or of small ones, and which
/// it goes by.
template <class T>
struct PackedUse {
    using Tiles = tuning::PackedTiles<sizeof(T)>;
    bool large;
    TileUse use;
    tuning::PackedKind kind;

    PackedUse(std::size_t rows, std::size_t columns, std::size_t batch)
        : large(false), use(of<typename Tiles::Small>(rows, columns, batch)) {
        const TileUse other = of<typename Tiles::Large>(rows, columns, batch);
        kind = tuning::packed_kind(sizeof(T), use.tiles, other.tiles, rows * columns * sizeof(T),
                                   batch);
        large = tuning::prefers_large_packed_tiles(sizeof(T), use.tiles, other.tiles);
        if (large) use = other;
    }

private:
    template <class Tuned>
    static TileUse of(std::size_t rows, std::size_t columns, std::size_t batch) {
        return sheared_use<PackedTranspose<T, Tuned>>(rows, columns, batch);
    }
};

/// Calls `use(tile)` with those tiles.
template <class T, class Use>
auto with_packed_tile(tuning::PackedKind kind, const Use& use) {
    using Tiles = tuning::PackedTiles<sizeof(T)>;
    switch (kind) {
        case tuning::PackedKind::few:
            return use(typename Tiles::Few{});
        case tuning::PackedKind::small:
            return use(typename Tiles::Small{});
        case tuning::PackedKind::other_large:
            return use(typename Tiles::OtherLarge{});
        default:
            return use(typename Tiles::Large{});
    }
}

/// Elements of 1 or 2 bytes at multiples of their size, in at least 2 rows and columns, few enough
/// for 32 bits.
template <class T>
cudaError_t launch_transpose_packed(const T* input, T* output, std::size_t rows,
                                    std::size_t columns, std::size_t batch, cudaStream_t stream) {
    const PackedUse<T> packed(rows, columns, batch);
    if constexpr (sizeof(T) == 2) {
        // Sides of 64, which leave packed tiles half empty, fill padded ones.
        using Padded = tuning::PaddedTile<2, 1>;
        const TileUse padded = padded_use<Padded>(rows, columns, batch);
        if (packed.large && padded.percent * 2 >= packed.use.percent * 3)
            return launch_transpose_padded<T, 1>(input, output, rows, columns, batch, stream);
    }
    return with_packed_tile<T>(packed.kind, [&](auto tile) {
        return launch_transpose_packed_with<T, decltype(tile)>(input, output, rows, columns, batch,
                                                               stream);
    });
}

template <class T, class Tuned = tuning::RotatedTile<static_cast<int>(sizeof(T))>>
using RotatedTranspose = block::rotated_transpose<T, Tuned::kWidth, Tuned::kWords, Tuned::kLanes,
                                                  Tuned::kBoundary, Tuned::kThreads>;

/// Whether a matrix of elements of 4 or 8 bytes has enough rotated tiles that are no edges.
template <class T>
bool fills_rotated_tiles(std::size_t rows, std::size_t columns) {
    using Tuned = tuning::RotatedTile<static_cast<int>(sizeof(T))>;
    using Tile = RotatedTranspose<T>;
    if (rows < tuning::kRotatedLeastTiles * Tuned::kWidth) return false;
    if (strip_outlives_l2(rows, Tile::kHeight * sizeof(T))) return columns > Tile::kHeight;
    const std::size_t least =
        rows < tuning::kRotatedManyRows ? tuning::kRotatedLeastTiles : tuning::kRotatedLeastAcross;
    return columns >= least * Tile::kHeight;
}

template <class T, class Plan>
cudaError_t launch_rotated_tiles(const Plan& plan, cudaStream_t stream) {
    using Tuned = tuning::RotatedTile<static_cast<int>(sizeof(T))>;
    using Tile = RotatedTranspose<T>;
    using Edge = block::padded_transpose<T, 1, Tuned::kWidth, Tile::kHeight, Tuned::kBoundary,
                                         Tuned::kThreads>;
    const std::size_t across = divide_up<std::size_t>(plan.columns, Tile::kHeight);
    const bool few = plan.rows >= tuning::kRotatedManyRows && across <= tuning::kRotatedLeastTiles;
    return launch_tiles(
        transpose_rotated_kernel<T, Tuned::kWidth, Tuned::kWords, Tuned::kLanes, Tuned::kBoundary,
                                 Tuned::kThreads, Tuned::kBlocks, typename Tuned::LoadPolicy,
                                 tuning::TransposeStorePolicy, Plan>,
        plan,
        {Edge::tiles_along_output(plan.rows), across,
         few || strip_outlives_l2(plan.rows, Tile::kHeight * sizeof(T))},
        Tuned::kThreads, stream);
}

/// Of 4 or 8 bytes, at multiples of their size.
template <class T>
cudaError_t launch_transpose_rotated(const T* input, T* output, std::size_t rows,
                                     std::size_t columns, std::size_t batch, cudaStream_t stream) {
    if (!fills_rotated_tiles<T>(rows, columns))
        return launch_transpose_padded<T, 1>(input, output, rows, columns, batch, stream);
    return launch_rotated_tiles<T>(plan_transpose<T>(input, output, rows, columns, batch), stream);
}

/// Of 1 to 8 bytes, at multiples of their size, in rows that start at any element.
template <class T>
cudaError_t launch_transpose_ragged(const T* input, T* output, std::size_t rows,
                                    std::size_t columns, std::size_t batch, cudaStream_t stream) {
    if constexpr (sizeof(T) <= 2) {
        const bool shifted = prefers_shifted_tiles<T>(rows, columns, batch);
        return shifted || !counts_in_32_bits(rows, columns, batch)
                   ? launch_transpose_shifted<T>(input, output, rows, columns, batch, stream)
                   : launch_transpose_packed(input, output, rows, columns, batch, stream);
    } else {
        using SmallTile = tuning::SmallPaddedTile<sizeof(T)>;
        if (rows * columns * batch * sizeof(T) > SmallTile::kMostBytes)
            return launch_transpose_rotated(input, output, rows, columns, batch, stream);
        return launch_transpose_small_padded<SmallTile>(input, output, rows, columns, batch,
                                                        stream);
    }
}

/// Whether matrices whose output rows do not begin at sectors are large enough for sheared tiles,
/// where their rows are whole 16-byte words: others would write those sectors in parts.
template <class T>
bool sheared_tiles_suit(std::size_t rows, std::size_t columns, std::size_t batch) {
    const std::size_t bytes = rows * columns * sizeof(T);
    if (bytes * batch <= tuning::sheared_bytes(sizeof(T))) return false;
    if constexpr (sizeof(T) <= 2) {
        return fills_shifted_tiles<T>(rows, columns, tuning::least_filled(sizeof(T), bytes, batch));
    } else {
        return fills_rotated_tiles<T>(rows, columns);
    }
}

template <class T>
cudaError_t launch_transpose_typed(const void* input, void* output, std::size_t rows,
                                   std::size_t columns, std::size_t batch, cudaStream_t stream) {
    const T* typed_input = static_cast<const T*>(input);
    T* typed_output = static_cast<T*>(output);
    const auto are_whole = [&](int bytes) {
        const std::size_t elements = bytes / sizeof(T);
        return rows % elements == 0 && columns % elements == 0 && is_aligned(input, bytes) &&
               is_aligned(output, bytes);
    };
    const bool whole = are_whole(kWideBytes);
    const bool at_sectors =
        rows * sizeof(T) % kSectorBytes == 0 && is_aligned(output, kSectorBytes);
    if constexpr (kHasShearedTiles<T>) {
        if (are_whole(tuning::kShearedWordBytes) &&
            sheared_words_suit<T>(rows, columns, batch, rows * columns, whole, at_sectors))
            return launch_transpose_sheared<T>(
                plan_transpose<T>(input, output, rows, columns, batch), stream);
    }
    if (whole) {
        if constexpr (sizeof(T) <= 8) {
            if (!at_sectors && sheared_tiles_suit<T>(rows, columns, batch))
                return launch_transpose_ragged(typed_input, typed_output, rows, columns, batch,
                                               stream);
        }
        return launch_transpose_swizzled(typed_input, typed_output, rows, columns, batch, stream);
    }
    if constexpr (sizeof(T) <= 8) {
        if (is_aligned(input, sizeof(T)) && is_aligned(output, sizeof(T)))
            return launch_transpose_ragged(typed_input, typed_output, rows, columns, batch, stream);
    }
    return launch_transpose_shifted<T>(input, output, rows, columns, batch, stream);
}

}  // namespace wideload::WIDELOAD_DETAIL

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/device/detail/launch.cuh>
#include <wideload/device/detail/range.cuh>
#include <wideload/device/dispatch/strided_dispatch.cuh>
#include <wideload/device/kernel/deinterleave_wide_kernel.cuh>
#include <wideload/device/kernel/interleave_kernel.cuh>
#include <wideload/device/kernel/interleave_staged_kernel.cuh>
#include <wideload/tuning/interleave_tuning.cuh>

namespace wideload::WIDELOAD_DETAIL {

/// Checks both sides of an interleaving: nothing null, nothing that is written overlaps anything
/// else.
template <class T, int Fields>
cudaError_t check_interleave(const T* structs, T* const (&fields)[Fields], std::size_t count,
                             bool fields_written) {
    std::size_t struct_bytes = 0, field_bytes = 0;
    if (count > SIZE_MAX / Fields) return cudaErrorInvalidValue;
    if (cudaError_t error = checked_bytes(structs, count * Fields, sizeof(T), &struct_bytes))
        return error;
    for (int f = 0; f < Fields; ++f) {
        if (cudaError_t error = checked_bytes(fields[f], count, sizeof(T), &field_bytes))
            return error;
        const ByteRange field = byte_range(fields[f], field_bytes);
        if (field.overlaps(byte_range(structs, struct_bytes))) return cudaErrorInvalidValue;
        for (int other = 0; fields_written && other < f; ++other) {
            if (field.overlaps(byte_range(fields[other], field_bytes)))
                return cudaErrorInvalidValue;
        }
    }
    return cudaSuccess;
}

template <class T, int Fields, bool ToFields, bool ThroughWarp, bool Small>
auto interleave_kernel_for() {
    using Store = tuning::InterleaveStorePolicy;
    if constexpr (ToFields) {
        return deinterleave_kernel<T, Fields, ThroughWarp, Small, tuning::DeinterleaveLoadPolicy,
                                   Store>;
    } else {
        using Load = tuning::InterleaveLoadPolicy<static_cast<int>(sizeof(T)), Fields>;
        return interleave_kernel<T, Fields, ThroughWarp, Small, Load, Store>;
    }
}

/// Any element type and alignment, by neighbouring words of the structs, fewer than `Index` counts.
template <class T, int Fields, bool ToFields, class Index, class Plan>
cudaError_t launch_interleave_words(const Plan& plan, cudaStream_t stream) {
    constexpr int kSize = static_cast<int>(sizeof(T));
    using Structs = std::conditional_t<ToFields, const char, char>;
    using Field = std::conditional_t<ToFields, char, const char>;
    const Strided<kSize, Structs, Index> structs{reinterpret_cast<Structs*>(plan.structs), 1};
    SplitFields<kSize, Fields, Field, Index> fields{};
    for (int f = 0; f < Fields; ++f) fields.arrays[f] = reinterpret_cast<Field*>(plan.fields[f]);
    const auto move = [&](auto word, auto aligned, std::size_t words) {
        constexpr int kWord = word, kWords = tuning::kStridedWords<kWord>;
        if constexpr (ToFields) {
            return launch_move_words<kWord, kWords, aligned>(structs, fields, words, stream);
        } else {
            return launch_move_words<kWord, kWords, aligned>(fields, structs, words, stream);
        }
    };
    return by_words<T>(structs, fields, plan.count * Fields, move);
}

/// The same: divisions of 64 bits, several a word, would take longer than the memory.
template <class T, int Fields, bool ToFields, class Plan>
cudaError_t launch_interleave_any(const Plan& plan, cudaStream_t stream) {
    if (plan.count <= UINT32_MAX / (sizeof(T) * Fields))
        return launch_interleave_words<T, Fields, ToFields, std::uint32_t>(plan, stream);
    return launch_interleave_words<T, Fields, ToFields, std::size_t>(plan, stream);
}

/// Blocks of tiles of so many structs, and one behind them if any structs fill no row (a lane's
/// part) of `row_structs`: see `moves_rest`.
inline std::size_t blocks_and_rest(std::size_t count, int row_structs, int tile_structs) {
    const std::size_t rest = count % row_structs;
    return divide_up<std::size_t>(count - rest, tile_structs) + (rest != 0 ? 1 : 0);
}

/// 16 fields of 1, 2 or 4 bytes, every pointer at a multiple of 16.
template <class T, class Plan>
cudaError_t launch_deinterleave_wide(const Plan& plan, cudaStream_t stream) {
    using Load = tuning::DeinterleaveLoadPolicy;
    using Store = tuning::InterleaveStorePolicy;
    using Shape =
        std::conditional_t<sizeof(T) == 1, ByteSplitShape,
                           std::conditional_t<sizeof(T) == 2, HalfSplitShape, WordSplitShape>>;
    return launch(deinterleave_wide_kernel<T, Shape, Load, Store>,
                  blocks_and_rest(plan.count, Shape::kLaneStructs, Shape::kTileStructs),
                  Shape::kThreads, evenly(0), stream, plan);
}

/// Fields of any bytes, by ranges of bytes through shared memory.
template <class Shape, class Plan>
cudaError_t launch_interleave_staged_as(const Plan& plan, cudaStream_t stream) {
    return launch(staged_interleave_kernel<Shape, tuning::StagedStructLoadPolicy,
                                           tuning::InterleaveStorePolicy, Plan>,
                  divide_up<std::size_t>(plan.count, Shape::kTileStructs), Shape::kThreads,
                  evenly({0, tuning::kStagedSharedPercent}), stream, plan);
}

template <class T, int Fields, bool ToFields, bool AtSectors, class Plan>
cudaError_t launch_interleave_staged(const Plan& plan, cudaStream_t stream) {
    using Large = StagedInterleave<sizeof(T), Fields, ToFields, AtSectors, false>;
    if constexpr (Large::kHasSmall) {
        using Small = StagedInterleave<sizeof(T), Fields, ToFields, AtSectors, true>;
        if (plan.count <= tuning::small_staged_bytes(Fields) / Small::kStructBytes)
            return launch_interleave_staged_as<Small>(plan, stream);
    }
    return launch_interleave_staged_as<Large>(plan, stream);
}

/// Fields of units of InterleaveShape, by rows of them.
template <class T, int Fields, bool ToFields, bool Small, class Plan>
cudaError_t launch_interleave_rows(const Plan& plan, cudaStream_t stream) {
    using Shape = InterleaveShape<sizeof(T), Fields, ToFields, Small>;
    constexpr int kRowStructs = Shape::kStructsPerRow;
    const std::size_t blocks =
        blocks_and_rest(plan.count, kRowStructs, Shape::kTileRows * kRowStructs);
    auto kernel = interleave_kernel_for<T, Fields, ToFields, false, Small>();
    if constexpr (ToFields ? Shape::kSplitsThroughWarp : Shape::kThroughWarp) {
        if (is_aligned(plan.structs, Shape::kWordBytes))
            kernel = interleave_kernel_for<T, Fields, ToFields, true, Small>();
    }
    return launch(kernel, blocks, Shape::kThreads, evenly(0), stream, plan);
}

/// Launches the kernel for `plan`, whose ranges are checked: by rows of units where every pointer
/// is aligned for them, and large ones at sectors.
template <class T, int Fields, bool ToFields, class Plan>
cudaError_t launch_interleave(const Plan& plan, cudaStream_t stream) {
    const auto all_aligned = [&plan](std::size_t bytes) {
        bool aligned = is_aligned(plan.structs, bytes);
        for (const auto* field : plan.fields) aligned = aligned && is_aligned(field, bytes);
        return aligned;
    };
    if constexpr (ToFields && Fields == 16 &&
                  (sizeof(T) == 1 || sizeof(T) == 2 || sizeof(T) == 4)) {
        if (all_aligned(kWideBytes)) return launch_deinterleave_wide<T>(plan, stream);
    }
    constexpr bool kOfUnits = is_power_of_two(sizeof(T)) && sizeof(T) <= kWideBytes;
    if constexpr (kOfUnits) {
        using Shape = InterleaveShape<sizeof(T), Fields, ToFields>;
        const bool few = plan.count <= tuning::kUnitsAnywhereBytes / (sizeof(T) * Fields);
        if (all_aligned(few ? Shape::kUnitBytes : kSectorBytes)) {
            if constexpr (Shape::kHasSmall) {
                if (plan.count <= Shape::kSmallBytes / (sizeof(T) * Fields))
                    return launch_interleave_rows<T, Fields, ToFields, true>(plan, stream);
            }
            return launch_interleave_rows<T, Fields, ToFields, false>(plan, stream);
        }
    }
    if constexpr (StagedInterleave<sizeof(T), Fields, ToFields, false, false>::kFits) {
        if constexpr (!kOfUnits) {  // units at sectors are aligned and have gone their way
            if (all_aligned(kSectorBytes))
                return launch_interleave_staged<T, Fields, ToFields, true>(plan, stream);
        }
        return launch_interleave_staged<T, Fields, ToFields, false>(plan, stream);
    } else {
        return launch_interleave_any<T, Fields, ToFields>(plan, stream);
    }
}

template <class T, int Fields>
cudaError_t dispatch_deinterleave(const T* structs, T* const (&fields)[Fields], std::size_t count,
                                  cudaStream_t stream) {
    if (cudaError_t error = check_interleave(structs, fields, count, true)) return error;
    InterleavePlan<Fields, const T, T> plan{structs, {}, count};
    for (int f = 0; f < Fields; ++f) plan.fields[f] = fields[f];
    return launch_interleave<T, Fields, true>(plan, stream);
}

template <class T, int Fields, class Field>
cudaError_t dispatch_interleave(Field* const (&fields)[Fields], T* structs, std::size_t count,
                                cudaStream_t stream) {
    T* writable[Fields];  // for the check alone, which compares addresses
    for (int f = 0; f < Fields; ++f) writable[f] = const_cast<T*>(fields[f]);
    if (cudaError_t error = check_interleave<T, Fields>(structs, writable, count, false))
        return error;
    InterleavePlan<Fields, T, const T> plan{structs, {}, count};
    for (int f = 0; f < Fields; ++f) plan.fields[f] = fields[f];
    return launch_interleave<T, Fields, false>(plan, stream);
}

}  // namespace wideload::WIDELOAD_DETAIL

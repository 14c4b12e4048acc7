// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/device/detail/slots.cuh>
#include <wideload/device/detail/stream_order.cuh>
#include <wideload/device/kernel/lane_shape.cuh>
#include <wideload/device/kernel/lane_stream.cuh>

namespace wideload::WIDELOAD_DETAIL {

/// How a transform is cut: elements before the first aligned one of the output, whole tiles of 32
/// lanes, elements after them.
template <class Output, class... Inputs>
struct TransformPlan {
    Output* output;
    Slots<const Inputs*...> inputs;
    warp::Misalignment misaligned[sizeof...(Inputs)];  ///< of each input's body
    std::size_t head_elements;
    std::size_t body_tiles;  ///< of 32 lanes' elements
    std::size_t tail_elements;
    unsigned body_blocks;  ///< the blocks before those that handle head and tail
    unsigned few;          ///< all elements, if it is small work, else 0
};

/// The widest access to elements of a type whose size is whole ones of it.
template <class T>
inline constexpr int kWidestAccess = greatest_common_divisor<int>(sizeof(T), kWideBytes);

/// An element by the widest accesses that its size and address allow.
template <class T>
WIDELOAD_DEVICE T load_edge(const T* pointer) {
    if constexpr (kWidestAccess<T> > static_cast<int>(alignof(T))) {
        if (is_aligned(pointer, kWidestAccess<T>)) {
            T value;
            load_bytes<sizeof(T), kWidestAccess<T>, cached>(pointer, &value);
            return value;
        }
    }
    return load_element(pointer);
}
template <class T>
WIDELOAD_DEVICE void store_edge(T* pointer, const T& value) {
    if constexpr (kWidestAccess<T> > static_cast<int>(alignof(T))) {
        if (is_aligned(pointer, kWidestAccess<T>))
            return store_bytes<sizeof(T), kWidestAccess<T>, cached>(pointer, &value);
    }
    store_element(pointer, value);
}

/// Head and tail, one element per thread.
template <class Plan, class Operation, std::size_t... Index>
WIDELOAD_DEVICE void transform_edges(const Plan& plan, Operation& operation,
                                     std::size_t body_elements, std::index_sequence<Index...>) {
    await_last_kernel();
    using Output = std::remove_pointer_t<decltype(plan.output)>;
    const std::size_t edge =
        static_cast<std::size_t>(blockIdx.x - plan.body_blocks) * blockDim.x + threadIdx.x;
    if (edge >= plan.head_elements + plan.tail_elements) return;
    const std::size_t element = edge < plan.head_elements ? edge : edge + body_elements;
    const Output result = operation(load_edge(slot<Index>(plan.inputs) + element)...);
    store_edge(plan.output + element, result);
}

/// The tiles of one warp. All that a tile reads is loaded before its first result is stored, so
/// in-place use is safe.
template <class Shape, class Shift, class LoadPolicy, class StorePolicy, class Operation,
          class Output, class... Inputs, std::size_t... Index>
WIDELOAD_DEVICE void transform_warp(const TransformPlan<Output, Inputs...>& plan,
                                    Operation& operation, std::size_t first_tile, int lane,
                                    std::index_sequence<Index...>) {
    constexpr int kElements = Shape::kElements;
    const std::size_t first_element = plan.head_elements + first_tile * (kElements * kWarpLanes);
    (before_wait(slot<Index>(plan.inputs) + first_element), ...);
    (prefetch_line(slot<Index>(plan.inputs), plan.few * unsigned{sizeof(Inputs)}, thread_of_row()),
     ...);
    await_last_kernel();
    Slots<LaneStream<Inputs, kElements, Shape::template kAccess<Inputs>, LoadPolicy, Shift>...>
        streams[Shape::kTiles];
#pragma unroll
    for (int tile = 0; tile < Shape::kTiles; ++tile) {
        if (tile != 0 && first_tile + tile >= plan.body_tiles) break;
        const std::size_t element = first_element + tile * kElements * kWarpLanes;
        (slot<Index>(streams[tile])
             .fetch(slot<Index>(plan.inputs) + element, plan.misaligned[Index], lane),
         ...);
    }
#pragma unroll
    for (int tile = 0; tile < Shape::kTiles; ++tile) {
        if (tile != 0 && first_tile + tile >= plan.body_tiles) break;
        Slots<vec<Inputs, kElements>...> loaded;
        ((slot<Index>(loaded) = slot<Index>(streams[tile]).values(lane)), ...);
        vec<Output, kElements> results;
#pragma unroll
        for (int i = 0; i < kElements; ++i) results[i] = operation(slot<Index>(loaded)[i]...);
        Output* const output = plan.output + first_element + tile * kElements * kWarpLanes;
        if constexpr (Shape::kShiftsOutput) {
            store_shifted_elements<Output, kElements, StorePolicy>(output, results, lane);
        } else {
            store_lane_elements<Output, kElements, Shape::template kAccess<Output>, StorePolicy>(
                output, results, lane);
        }
    }
}

/// Told that so many blocks are to fit, ptxas loads all rows of wide lanes before it exchanges the
/// first; left alone (0), it keeps to 64 registers by waiting in between. Elements of eight words
/// and more leave no room for a third block.
template <class Shape, class Shift>
inline constexpr int kTransformLeastBlocks =
    !std::is_same_v<Shift, Aligned> && Shape::kLaneBytes >= tuning::kTransformWideLaneBytes &&
            Shape::kLaneBytes < 8 * kWideBytes * Shape::kElements
        ? 3
        : 0;

template <class Shape, int MaxThreads, class Shift, class LoadPolicy, class StorePolicy,
          class Operation, class Output, class... Inputs>
__global__ void __launch_bounds__(MaxThreads, kTransformLeastBlocks<Shape, Shift>)
    transform_kernel(const __grid_constant__ TransformPlan<Output, Inputs...> plan,
                     Operation operation) {
    release_next_kernel();
    constexpr auto kIndices = std::index_sequence_for<Inputs...>{};
    if (blockIdx.x >= plan.body_blocks) {
        return transform_edges(plan, operation, plan.body_tiles * (Shape::kElements * kWarpLanes),
                               kIndices);
    }
    if constexpr (Shape::kVectorised) {
        const std::size_t warp = static_cast<std::size_t>(blockIdx.x) * (blockDim.x / kWarpLanes) +
                                 threadIdx.x / kWarpLanes;
        const std::size_t tile = warp * Shape::kTiles;
        if (tile >= plan.body_tiles) return;
        transform_warp<Shape, Shift, LoadPolicy, StorePolicy>(plan, operation, tile,
                                                              threadIdx.x % kWarpLanes, kIndices);
    }
}

}  // namespace wideload::WIDELOAD_DETAIL

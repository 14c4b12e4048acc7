// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/device/detail/callable.cuh>
#include <wideload/device/detail/device_properties.cuh>
#include <wideload/device/detail/launch.cuh>
#include <wideload/device/detail/range.cuh>
#include <wideload/device/kernel/transform_kernel.cuh>
#include <wideload/device/kernel/transform_staged_kernel.cuh>
#include <wideload/tuning/copy_tuning.cuh>
#include <wideload/tuning/transform_tuning.cuh>

namespace wideload::WIDELOAD_DETAIL {

/// Cuts a transform. The output's body starts at a line where its address allows, at a word of its
/// accesses otherwise; where even that is impossible and the shape shifts no output, or an input is
/// misaligned there that cannot be shifted, the whole range is left to the element-wise edges.
/// Returns whether an input is misaligned.
template <class Shape, class Output, class... Inputs, std::size_t... Index>
bool cut_transform(TransformPlan<Output, Inputs...>& plan, std::size_t count,
                   std::index_sequence<Index...>) {
    constexpr std::size_t kTileElements = static_cast<std::size_t>(Shape::kElements) * kWarpLanes;
    constexpr std::size_t kSmallest = [] {
        std::size_t smallest = SIZE_MAX;
        for (std::size_t size : {sizeof(Inputs)...}) smallest = size < smallest ? size : smallest;
        return smallest;
    }();
    plan.head_elements = count;
    plan.body_tiles = 0;
    plan.tail_elements = 0;
    if (!Shape::kVectorised) return false;

    std::size_t alignment = kLineBytes;
    std::ptrdiff_t head = elements_to_alignment(plan.output, alignment);
    if (head < 0)
        head = elements_to_alignment(plan.output, alignment = Shape::template kAccess<Output>);
    if (head < 0 && Shape::kShiftsOutput)
        head = elements_to_alignment(plan.output, alignment = alignof(Output));
    if (head < 0) return false;

    const auto measure = [&](std::size_t first) {
        ((plan.misaligned[Index] = warp::Misalignment::of(slot<Index>(plan.inputs) + first,
                                                          Shape::template kAccess<Inputs>)),
         ...);
        return ((plan.misaligned[Index].shift_bytes != 0) || ...);
    };
    const bool shifted = measure(head);
    if (shifted && Shape::kWord != kWideBytes) return false;

    // Aligned words around misaligned elements reach up to 15 bytes past them on either side: keep
    // those inside.
    std::size_t first = static_cast<std::size_t>(head);
    const std::size_t margin = shifted ? divide_up<std::size_t>(kWideBytes, kSmallest) : 0;
    const std::size_t step =
        alignment / greatest_common_divisor<std::size_t>(sizeof(Output), alignment);
    while (first < margin) first += step * divide_up<std::size_t>(kWideBytes, step);
    if (count < first + margin + kTileElements) return false;
    measure(first);
    plan.head_elements = first;
    plan.body_tiles = (count - first - margin) / kTileElements;
    plan.tail_elements = count - first - plan.body_tiles * kTileElements;
    return shifted;
}

/// Whether none of the elements from some address on begins at a word.
template <class T>
inline constexpr bool kMayMissWords = alignof(T) % kWidestAccess<T> != 0;

template <class Operation, class Output, class... Inputs>
using TransformKernel = void (*)(const TransformPlan<Output, Inputs...>, Operation);

template <class Shape, class Shift, class Operation, class Output, class... Inputs>
constexpr TransformKernel<Operation, Output, Inputs...> transform_kernel_for() {
    return transform_kernel<Shape, tuning::kTransformThreads, Shift, tuning::TransformLoadPolicy,
                            tuning::TransformStorePolicy, Operation, Output, Inputs...>;
}

/// The kernel for a cut in which an input is shifted. Of a single one as much of its shift is known
/// as spares most: in small transforms the selects show, and in large ones that warps stay longer.
template <class Shape, class Operation, class Output, class... Inputs>
TransformKernel<Operation, Output, Inputs...> shifted_transform_kernel(
    const TransformPlan<Output, Inputs...>& plan) {
    constexpr std::size_t kLaneBytes = ((sizeof(Inputs) * Shape::kElements) + ...);
    const warp::Misalignment& misaligned = plan.misaligned[0];
    const auto kernel = [](auto shift) {
        return transform_kernel_for<Shape, decltype(shift), Operation, Output, Inputs...>();
    };
    using warp::KnownShift;
    if constexpr (sizeof...(Inputs) > 1 || kLaneBytes < kWideBytes) {
        return kernel(KnownShift<>{});
    } else if constexpr (kLaneBytes > kWideBytes) {
        return misaligned.mid_sector ? kernel(KnownShift<1>{}) : kernel(KnownShift<0>{});
    } else {
        const TransformKernel<Operation, Output, Inputs...> kernels[2][4] = {
            {kernel(KnownShift<0, 0>{}), kernel(KnownShift<0, 1>{}), kernel(KnownShift<0, 2>{}),
             kernel(KnownShift<0, 3>{})},
            {kernel(KnownShift<1, 0>{}), kernel(KnownShift<1, 1>{}), kernel(KnownShift<1, 2>{}),
             kernel(KnownShift<1, 3>{})}};
        return kernels[misaligned.mid_sector][misaligned.shift_bytes / 4];
    }
}

/// Launches a transform that was cut for `Shape`.
template <class Shape, class Operation, class Output, class... Inputs>
cudaError_t launch_transform(TransformKernel<Operation, Output, Inputs...> kernel,
                             TransformPlan<Output, Inputs...>& plan, std::size_t count,
                             const DeviceProperties& device, const Operation& operation,
                             cudaStream_t stream) {
    const std::size_t bytes = count * sizeof(Output);
    const bool smaller = bytes >= tuning::kTransformLargeBytes ||
                         Shape::kLaneBytes >= tuning::kTransformWideLaneBytes ||
                         tuning::transform_words_are_many(Shape::kLaneBytes / Shape::kWord, bytes);
    int threads = smaller ? tuning::kTransformSmallerThreads : tuning::kTransformThreads;
    const auto blocks_of = [&](int block_threads) {
        return divide_up<std::size_t>(
            plan.body_tiles, static_cast<std::size_t>(block_threads / kWarpLanes) * Shape::kTiles);
    };
    // Warps of wide tiles are few: smaller blocks spread them over all multiprocessors.
    while (threads > kWarpLanes &&
           blocks_of(threads) < static_cast<std::size_t>(device.multiprocessors))
        threads /= 2;
    const std::size_t blocks = blocks_of(threads);
    const std::size_t edges =
        divide_up<std::size_t>(plan.head_elements + plan.tail_elements, threads);
    plan.body_blocks = static_cast<unsigned>(blocks);
    constexpr std::size_t kInputBytes = (sizeof(Inputs) + ...);
    plan.few = count <= kSmallWorkBytes / kInputBytes ? static_cast<unsigned>(count) : 0;
    return launch(kernel, blocks + edges, threads, 0, stream, plan, operation);
}

/// Launches a transform by way of shared memory, in blocks of `Shape`.
template <class Shape, class Operation, class Output, class... Inputs>
cudaError_t launch_transform_staged_as(const StagedTransformPlan<Output, Inputs...>& plan,
                                       const Operation& operation, cudaStream_t stream) {
    return launch(
        transform_staged_kernel<Shape, tuning::TransformLoadPolicy, tuning::TransformStorePolicy,
                                Operation, Output, Inputs...>,
        divide_up<std::size_t>(plan.count, Shape::kElements), Shape::kThreads, 0, stream, plan,
        operation);
}

template <class Operation, class Output, class... Inputs>
cudaError_t launch_transform_staged(const TransformPlan<Output, Inputs...>& plan, std::size_t count,
                                    const Operation& operation, cudaStream_t stream) {
    using Shape = StagedTransform<false, Output, Inputs...>;
    using Large = StagedTransform<true, Output, Inputs...>;
    const StagedTransformPlan<Output, Inputs...> staged{plan.output, plan.inputs, count};
    if constexpr (!std::is_same_v<Shape, Large>) {
        constexpr std::size_t kFrom =
            tuning::transform_large_staged_from(sizeof(Output) + (sizeof(Inputs) + ...));
        if (count > kFrom / sizeof(Output))
            return launch_transform_staged_as<Large>(staged, operation, stream);
    }
    return launch_transform_staged_as<Shape>(staged, operation, stream);
}

/// Launches a transform that was cut for `Shape`, and nothing of which is shifted.
template <class Shape, class Operation, class Output, class... Inputs>
cudaError_t launch_transform_aligned(TransformPlan<Output, Inputs...>& plan, std::size_t count,
                                     const DeviceProperties& device, const Operation& operation,
                                     cudaStream_t stream) {
    if constexpr (Shape::kLoadsAndStoresWords && sizeof...(Inputs) == 1) {
        using Paired = PairedTiles<Shape>;
        if (tuning::copy_pairs_words(device.compute_capability, device.multiprocessors,
                                     plan.body_tiles * kWarpLanes))
            return launch_transform<Paired>(
                transform_kernel_for<Paired, Aligned, Operation, Output, Inputs...>(), plan, count,
                device, operation, stream);
    }
    return launch_transform<Shape>(
        transform_kernel_for<Shape, Aligned, Operation, Output, Inputs...>(), plan, count, device,
        operation, stream);
}

/// Launches a transform that lanes could do, cut so for `Shape`, by way of shared memory where that
/// is faster, else by `launch_lanes(Shape{})`.
template <tuning::TransformCut Cut, class Shape, class Operation, class Output, class... Inputs,
          class Launch, std::size_t... Index>
cudaError_t launch_unless_staged(const TransformPlan<Output, Inputs...>& plan, std::size_t count,
                                 const Operation& operation, cudaStream_t stream,
                                 std::index_sequence<Index...>, const Launch& launch_lanes) {
    constexpr tuning::TransformWork kWork{Cut,
                                          sizeof...(Inputs) == 1,
                                          Shape::kLaneBytes / Shape::kWord,
                                          Shape::kWord,
                                          static_cast<int>(Shape::widest()),
                                          false,
                                          0};
    if constexpr (!StagedTransform<false, Output, Inputs...>::kFits) {
        return launch_lanes(Shape{});
    } else if constexpr (tuning::transform_is_always_staged(kWork)) {
        return launch_transform_staged(plan, count, operation, stream);
    } else {
        tuning::TransformWork work = kWork;
        work.at_units =
            is_aligned(plan.output, 4) && (is_aligned(slot<Index>(plan.inputs), 4) && ...);
        work.bytes = count * sizeof(Output);
        if (tuning::transform_is_staged(work))
            return launch_transform_staged(plan, count, operation, stream);
        return launch_lanes(Shape{});
    }
}

/// Cuts a transform and launches it.
///
/// @tparam Wide    how it is cut where an input is misaligned
/// @tparam Narrow  where what is misaligned to 16 bytes is not to narrower words
template <class Wide, class Narrow, class Operation, class Output, class... Inputs,
          std::size_t... Index>
cudaError_t cut_and_launch_transform(TransformPlan<Output, Inputs...>& plan, std::size_t count,
                                     const Operation& operation, cudaStream_t stream,
                                     std::index_sequence<Index...> indices) {
    DeviceProperties device{};
    if (cudaError_t error = current_device_properties(&device)) return error;
    using tuning::TransformCut;
    const auto launch_aligned = [&](auto shape) {
        return launch_transform_aligned<decltype(shape)>(plan, count, device, operation, stream);
    };
    if constexpr (Wide::kWord == kWideBytes) {
        constexpr bool kManyWords =
            Narrow::kLaneBytes / Narrow::kWord >= tuning::kTransformManyWords;
        const bool large = kManyWords && count * sizeof(Output) > tuning::kTransformNarrowBytes;
        const auto narrow_suffices = [&] {  // what is misaligned to 16 bytes need not be to 4
            return !cut_transform<Narrow>(plan, count, indices) && plan.body_tiles != 0;
        };
        if (!large && narrow_suffices())
            return launch_unless_staged<TransformCut::aligned, Narrow>(
                plan, count, operation, stream, indices, launch_aligned);
        if (cut_transform<Wide>(plan, count, indices)) {
            const auto launch_shifted = [&](auto shape) {
                using Shape = decltype(shape);
                return launch_transform<Shape>(shifted_transform_kernel<Shape, Operation>(plan),
                                               plan, count, device, operation, stream);
            };
            return launch_unless_staged<TransformCut::shifted_input, Wide>(
                plan, count, operation, stream, indices, launch_shifted);
        }
        if constexpr (kManyWords) {
            if (large && plan.body_tiles != 0)
                return launch_unless_staged<TransformCut::aligned, Wide>(
                    plan, count, operation, stream, indices, launch_aligned);
        }
    }
    const auto launch_elements = [&] {
        cut_transform<Narrow>(plan, count, indices);
        if constexpr (StagedTransform<false, Output, Inputs...>::kFits) {
            if (plan.body_tiles == 0 && count * sizeof(Output) > tuning::kTransformUnstagedBytes)
                return launch_transform_staged(plan, count, operation, stream);
        }
        return launch_unless_staged<TransformCut::aligned, Narrow>(plan, count, operation, stream,
                                                                   indices, launch_aligned);
    };
    if constexpr (kMayMissWords<Output> && Wide::kVectorised &&
                  Wide::template kAccess<Output> == kWideBytes) {
        const auto launch_shifted = [&](auto shape) {
            using Shape = ShiftedOutput<decltype(shape)>;
            cut_transform<Shape>(plan, count, indices);
            if (plan.body_tiles == 0) return launch_elements();
            return launch_transform<Shape>(
                transform_kernel_for<Shape, warp::KnownShift<>, Operation, Output, Inputs...>(),
                plan, count, device, operation, stream);
        };
        return launch_unless_staged<TransformCut::shifted_output, Wide>(
            plan, count, operation, stream, indices, launch_shifted);
    } else {
        return launch_elements();
    }
}

template <class Operation, class Output, class... Inputs, std::size_t... Index>
cudaError_t launch_transform_of_types(std::size_t count, Output* output, const Operation& operation,
                                      cudaStream_t stream, std::index_sequence<Index...> indices,
                                      const Inputs*... inputs) {
    std::size_t bytes = 0;
    if (cudaError_t error = checked_bytes(output, count, sizeof(Output), &bytes)) return error;
    const ByteRange written = byte_range(output, bytes);
    cudaError_t error = cudaSuccess;
    const auto check = [&](const auto* input) {
        if (error == cudaSuccess) error = checked_bytes(input, count, sizeof(*input), &bytes);
        const ByteRange read = byte_range(input, bytes);
        if (error == cudaSuccess && read.overlaps(written) && !read.equals(written))
            error = cudaErrorInvalidValue;
    };
    (check(inputs), ...);
    if (error != cudaSuccess || count == 0) return error;

    TransformPlan<Output, Inputs...> plan{};
    plan.output = output;
    ((slot<Index>(plan.inputs) = inputs), ...);
    using Wide = LaneShape<Output, Inputs...>;
    using Narrow = AlignedLaneShape<Output, Inputs...>;
    if constexpr (Wide::kLoadsLittle) {
        if (written.bytes > tuning::kTransformPairedFrom &&
            written.bytes <= tuning::kTransformPairedBytes)
            return cut_and_launch_transform<PairedTiles<Wide>, PairedTiles<Narrow>>(
                plan, count, operation, stream, indices);
    }
    return cut_and_launch_transform<Wide, Narrow>(plan, count, operation, stream, indices);
}

/// The same if types are such that it can be: one sentence is said of others.
template <class Operation, class Output, class... Inputs, std::size_t... Index>
cudaError_t dispatch_transform(std::size_t count, Output* output, const Operation& operation,
                               cudaStream_t stream, std::index_sequence<Index...> indices,
                               const Inputs*... inputs) {
    constexpr bool kAll =
        kComputable<Output> && !std::is_const_v<Output> && (kComputable<Inputs> && ...);
    static_assert(kAll,
                  "wideload::transform: elements must be trivially copyable, with a default "
                  "constructor, and the output's not const");
    constexpr bool kHost = kHostLambda<Operation>;
    static_assert(!kHost,
                  "wideload::transform: the lambda must be __device__ or __host__ __device__, and "
                  "nvcc be given --extended-lambda");
    constexpr bool kCopied = std::is_copy_constructible_v<Operation>;
    static_assert(kCopied, "wideload::transform: the operation must be copyable");
    constexpr bool kGives = kHost || !kAll || gives<Output, Operation, Inputs...>();
    static_assert(kGives,
                  "wideload::transform: the operation must take an element of each input and give "
                  "one of the output");
    if constexpr (kAll && !kHost && kCopied && kGives)
        return launch_transform_of_types(count, output, operation, stream, indices, inputs...);
    return cudaErrorInvalidValue;
}

}  // namespace wideload::WIDELOAD_DETAIL

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/device/detail/device_properties.cuh>
#include <wideload/device/detail/stream_order.cuh>
#include <wideload/support/integer.cuh>

namespace wideload::WIDELOAD_DETAIL {

/// The most blocks along x of a grid.
inline constexpr std::size_t kMaxGridBlocks = 0x7fffffff;

/// The most blocks along y and along z.
inline constexpr std::size_t kMaxGridSide = 65535;

/// Bytes of shared memory that any kernel may have; more must be asked for, kernel by kernel.
inline constexpr std::size_t kUnaskedSharedBytes = std::size_t{48} << 10;

/// The shared memory of a launch: bytes of each block beyond those that the kernel declares, and
/// how much of a multiprocessor's memory to share, in percent of the most that can be; the rest is
/// L1's, which also holds what loads in flight will bring. -1 leaves that to the driver, which
/// takes what lets most blocks reside. Blocks that fill so many percent of the multiprocessors'
/// shares of them are spread evenly; 0: never.
struct SharedMemory {
    std::size_t bytes;
    int percent, even_from;

    SharedMemory(std::size_t bytes, int percent = -1, int even_from = 0)
        : bytes(bytes), percent(percent), even_from(even_from) {}
};

/// The percentage for kernels whose time is that of the fullest multiprocessor, and for reductions,
/// which wait for memory: where few multiprocessors have their share, blocks of the next launch had
/// better fill what is left free.
inline constexpr int kEvenFrom = 60, kReductionsEvenFrom = 90;

/// The same memory for blocks that are to be spread evenly.
inline SharedMemory evenly(const SharedMemory& shared, int from = kEvenFrom) {
    return {shared.bytes, shared.percent, from};
}

/// Bytes of shared memory that a kernel declares, asked of the runtime once for most kernels.
inline cudaError_t declared_shared_bytes(const void* kernel, std::size_t* bytes) {
    struct Answer {
        const void* kernel;
        std::size_t bytes;
    };
    static thread_local Answer answers[64];
    Answer& answer = answers[reinterpret_cast<std::uintptr_t>(kernel) / 16 % 64];
    if (answer.kernel != kernel) {
        cudaFuncAttributes attributes{};
        if (cudaError_t error = cudaFuncGetAttributes(&attributes, kernel)) return error;
        answer = {kernel, attributes.sharedSizeBytes};
    }
    *bytes = answer.bytes;
    return cudaSuccess;
}

/// Whether launches of few blocks are spread evenly: where they may be early. Older drivers may not
/// know a launch's own percentage; WIDELOAD_NO_EVEN_SHARES forbids it.
constexpr bool shares_are_even() {
#if defined(WIDELOAD_NO_EVEN_SHARES)
    return false;
#else
    return kernels_overlap() && CUDART_VERSION >= 13000;
#endif
}

/// Has blocks of a launch that has few ask for so much shared memory that no multiprocessor holds
/// more of them than its share. Launched before the stream's last kernel has ended, they go to
/// whichever multiprocessors have room then, unevenly. Source: this library; see
/// bench/library/NOTES.md.
inline cudaError_t spread_evenly(const void* kernel, std::size_t blocks, SharedMemory* shared) {
    constexpr std::size_t kMostBlocks = 8;   // of a multiprocessor
    constexpr std::size_t kReserved = 1024;  // bytes that each takes besides
    DeviceProperties device{};
    if (cudaError_t error = current_device_properties(&device)) return error;
    const auto multiprocessors = static_cast<std::size_t>(device.multiprocessors);
    const std::size_t share = divide_up(blocks, multiprocessors);
    if (share > kMostBlocks || blocks * 100 < share * multiprocessors * shared->even_from)
        return cudaSuccess;
    const int percent = share == 1 ? 28 : share == 2 ? 43 : 71;  // as little as holds the share
    const std::size_t all = (device.shared_bytes + kReserved) * percent / 100;
    const std::size_t most = all / share - kReserved;
    const std::size_t bytes =
        (most < kUnaskedSharedBytes ? most : kUnaskedSharedBytes) & ~std::size_t{127};
    std::size_t declared = 0;
    if (cudaError_t error = declared_shared_bytes(kernel, &declared)) return error;
    if (declared + shared->bytes < bytes) *shared = {bytes - declared, percent};
    return cudaSuccess;
}

/// Launches `kernel`, whose threads do what `enter_stream_order` does, without touching the error
/// state of the caller's thread beyond what the launch itself sets.
template <class... Parameters, class... Arguments>
cudaError_t launch_grid(void (*kernel)(Parameters...), dim3 grid, int threads, SharedMemory shared,
                        cudaStream_t stream, const Arguments&... arguments) {
    const auto* const function = reinterpret_cast<const void*>(kernel);
    if (shares_are_even() && shared.even_from != 0) {
        const std::size_t blocks = std::size_t{grid.x} * grid.y * grid.z;
        if (cudaError_t error = spread_evenly(function, blocks, &shared)) return error;
    }
    // The parameters are converted here, once, to the exact types whose addresses the runtime
    // wants.
    return [&](Parameters... parameters) {
        void* addresses[] = {const_cast<void*>(static_cast<const void*>(&parameters))...};
        const dim3 block(static_cast<unsigned>(threads));
        cudaLaunchAttribute attributes[2]{};
        unsigned count = 0;
        if constexpr (kernels_overlap()) {
            attributes[count].id = cudaLaunchAttributeProgrammaticStreamSerialization;
            attributes[count++].val.programmaticStreamSerializationAllowed = 1;
        }
#if CUDART_VERSION >= 13000
        if (shared.percent >= 0) {
            attributes[count].id = cudaLaunchAttributePreferredSharedMemoryCarveout;
            attributes[count++].val.sharedMemCarveout = static_cast<unsigned>(shared.percent);
        }
#endif
        if (count == 0) {
            return cudaLaunchKernel(function, grid, block, addresses, shared.bytes, stream);
        }
        const cudaLaunchConfig_t configuration{grid,   block,      shared.bytes,
                                               stream, attributes, count};
        return cudaLaunchKernelExC(&configuration, function, addresses);
    }(arguments...);
}

/// `launch_grid` of `blocks` blocks in a row. None is a success that launches nothing.
template <class... Parameters, class... Arguments>
cudaError_t launch(void (*kernel)(Parameters...), std::size_t blocks, int threads,
                   SharedMemory shared, cudaStream_t stream, const Arguments&... arguments) {
    if (blocks == 0) return cudaSuccess;
    if (blocks > kMaxGridBlocks) return cudaErrorInvalidConfiguration;
    return launch_grid(kernel, dim3(static_cast<unsigned>(blocks)), threads, shared, stream,
                       arguments...);
}

/// The same of blocks that wait for each other, and so must all be resident at once: an error where
/// they cannot be. They come when the stream's last kernel has ended.
template <class... Parameters, class... Arguments>
cudaError_t launch_together(void (*kernel)(Parameters...), std::size_t blocks, int threads,
                            std::size_t shared, cudaStream_t stream,
                            const Arguments&... arguments) {
    return [&](Parameters... parameters) {
        void* addresses[] = {const_cast<void*>(static_cast<const void*>(&parameters))...};
        return cudaLaunchCooperativeKernel(
            reinterpret_cast<const void*>(kernel), dim3(static_cast<unsigned>(blocks)),
            dim3(static_cast<unsigned>(threads)), addresses, shared, stream);
    }(arguments...);
}

/// Calls `launch(plan)`, with an `Early` plan if the work reads so few bytes.
///
/// @tparam May  whether it may: not where it is not worth to compile as many kernels again
template <bool May = true, class Plan, class Launch>
cudaError_t launch_early(const Plan& plan, std::size_t bytes, std::size_t most,
                         const Launch& launch) {
    if constexpr (May && kernels_overlap()) {
        if (bytes <= most) return launch(Early<Plan>{plan});
    }
    return launch(plan);
}

}  // namespace wideload::WIDELOAD_DETAIL

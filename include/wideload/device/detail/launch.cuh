// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/device/detail/stream_order.cuh>
#include <wideload/support/integer.cuh>

namespace wideload::detail {

/// The most blocks along x of a grid.
inline constexpr std::size_t kMaxGridBlocks = 0x7fffffff;

/// The most blocks along y and along z.
inline constexpr std::size_t kMaxGridSide = 65535;

/// The shared memory of a launch: bytes of each block beyond those that the kernel declares, and
/// how much of a multiprocessor's memory to share, in percent of the most that can be; the rest is
/// L1's, which also holds what loads in flight will bring. -1 leaves that to the driver, which
/// takes what lets most blocks reside.
struct SharedMemory {
    std::size_t bytes;
    int percent;

    SharedMemory(std::size_t bytes, int percent = -1) : bytes(bytes), percent(percent) {}
};

/// Launches `kernel`, whose threads do what `enter_stream_order` does, without touching the error
/// state of the caller's thread beyond what the launch itself sets.
template <class... Parameters, class... Arguments>
cudaError_t launch_grid(void (*kernel)(Parameters...), dim3 grid, int threads, SharedMemory shared,
                        cudaStream_t stream, const Arguments&... arguments) {
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
#if CUDART_VERSION >= 13000  // drivers of older toolkits may not know it
        if (shared.percent >= 0) {
            attributes[count].id = cudaLaunchAttributePreferredSharedMemoryCarveout;
            attributes[count++].val.sharedMemCarveout = static_cast<unsigned>(shared.percent);
        }
#endif
        if (count == 0) {
            return cudaLaunchKernel(reinterpret_cast<const void*>(kernel), grid, block, addresses,
                                    shared.bytes, stream);
        }
        const cudaLaunchConfig_t configuration{grid,   block,      shared.bytes,
                                               stream, attributes, count};
        return cudaLaunchKernelExC(&configuration, reinterpret_cast<const void*>(kernel),
                                   addresses);
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

}  // namespace wideload::detail

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/device/detail/stream_order.cuh>
#include <wideload/support/integer.cuh>

namespace wideload::detail {

/// The most blocks along x of a grid.
inline constexpr std::size_t kMaxGridBlocks = 0x7fffffff;

/// The most blocks along y and along z.
inline constexpr std::size_t kMaxGridSide = 65535;

/// Launches `kernel`, which must begin as `enter_stream_order` does, without touching the error
/// state of the caller's thread beyond what the launch itself sets.
template <class... Parameters, class... Arguments>
cudaError_t launch_grid(void (*kernel)(Parameters...), dim3 grid, int threads,
                        std::size_t shared_bytes, cudaStream_t stream,
                        const Arguments&... arguments) {
    // The parameters are converted here, once, to the exact types whose addresses the runtime
    // wants.
    return [&](Parameters... parameters) {
        void* addresses[] = {const_cast<void*>(static_cast<const void*>(&parameters))...};
        const dim3 block(static_cast<unsigned>(threads));
        if constexpr (!kernels_overlap()) {
            return cudaLaunchKernel(reinterpret_cast<const void*>(kernel), grid, block, addresses,
                                    shared_bytes, stream);
        }
        cudaLaunchAttribute overlap{};
        overlap.id = cudaLaunchAttributeProgrammaticStreamSerialization;
        overlap.val.programmaticStreamSerializationAllowed = 1;
        const cudaLaunchConfig_t configuration{grid, block, shared_bytes, stream, &overlap, 1};
        return cudaLaunchKernelExC(&configuration, reinterpret_cast<const void*>(kernel),
                                   addresses);
    }(arguments...);
}

/// `launch_grid` of `blocks` blocks in a row. None is a success that launches nothing.
template <class... Parameters, class... Arguments>
cudaError_t launch(void (*kernel)(Parameters...), std::size_t blocks, int threads,
                   std::size_t shared_bytes, cudaStream_t stream, const Arguments&... arguments) {
    if (blocks == 0) return cudaSuccess;
    if (blocks > kMaxGridBlocks) return cudaErrorInvalidConfiguration;
    return launch_grid(kernel, dim3(static_cast<unsigned>(blocks)), threads, shared_bytes, stream,
                       arguments...);
}

}  // namespace wideload::detail

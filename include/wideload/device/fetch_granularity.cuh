// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/support/config.cuh>

namespace wideload {

/// As long as it lives, the current device's L2 fetches `bytes` from memory at a time where it
/// lacks a sector of 32 (`cudaLimitMaxL2FetchGranularity`): 32, 64 (what CUDA starts with) or 128.
///
/// With 32, elements at fixed distances of more than 32 bytes move half of what they move
/// otherwise: on an H200 every 16th float is read in 0.60 of the time, every 32nd in 0.90. Whole
/// ranges take as long as before, rows that start within sectors up to 3 % longer, and reads at
/// random 4 to 7 % longer (bench/library/NOTES.md).
///
///     wideload::fetch_granularity sectors(wideload::kSectorBytes);
///     wideload::strided_copy(table, 16, column, 1, rows, stream);
///     cudaStreamSynchronize(stream);  // or the old setting is back before the copy runs
///
/// It holds for the whole device and process, from the call on, work that is under way included; it
/// belongs to no stream. Setting it takes the host about half a millisecond, and waits for nothing:
/// set it for a phase or for the program, not for a launch. It is a hint, which a GPU may ignore.
/// Objects that overlap must end in the opposite order to that in which they began. Source: CUDA
/// Runtime API, `cudaDeviceSetLimit`.
class fetch_granularity {
public:
    explicit fetch_granularity(std::size_t bytes) {
        status_ = cudaGetDevice(&device_);
        if (status_ == cudaSuccess)
            status_ = cudaDeviceGetLimit(&before_, cudaLimitMaxL2FetchGranularity);
        if (status_ == cudaSuccess)
            status_ = cudaDeviceSetLimit(cudaLimitMaxL2FetchGranularity, bytes);
    }
    /// Puts the setting back that was found, on the device whose it was.
    ~fetch_granularity() {
        if (status_ != cudaSuccess) return;
        int current = 0;
        if (cudaGetDevice(&current) != cudaSuccess || cudaSetDevice(device_) != cudaSuccess) return;
        cudaDeviceSetLimit(cudaLimitMaxL2FetchGranularity, before_);
        cudaSetDevice(current);
    }
    fetch_granularity(const fetch_granularity&) = delete;
    fetch_granularity& operator=(const fetch_granularity&) = delete;

    /// cudaSuccess where the setting was made; what the runtime returned otherwise
    /// (cudaErrorInvalidValue for more than 128 bytes): then nothing was changed.
    [[nodiscard]] cudaError_t status() const { return status_; }

private:
    cudaError_t status_ = cudaSuccess;
    int device_ = 0;
    std::size_t before_ = 0;
};

}  // namespace wideload

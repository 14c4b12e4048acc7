// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wideload/device/reduce.cuh>

#include "harness.cuh"

namespace bench {

/// What a reduction writes, and its scratch memory.
template <class T>
class Target {
public:
    static constexpr std::size_t kScratchBytes = wideload::reduce_scratch_bytes<T>();
    explicit Target(Bench& bench) : results_(2 * sizeof(T)), scratch_(kScratchBytes) {
        BENCH_REQUIRE(cudaMemsetAsync(scratch(), 0, kScratchBytes, bench.stream()));
    }
    T* result() const { return results_.get<T>(); }
    T* peer_result() const { return result() + 1; }
    void* scratch() const { return scratch_.get(); }

private:
    Memory results_, scratch_;
};

}  // namespace bench

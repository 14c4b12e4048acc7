// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace test {

/// Every byte of the result depends on every one of the inputs, and on its place. Any mix of sizes
/// has a result.
template <class Output>
struct Mix {
    template <class... Inputs>
    __host__ __device__ Output operator()(const Inputs&... inputs) const {
        unsigned sum = 0;
        (add(sum, inputs), ...);
        Output output;
        auto* to = reinterpret_cast<unsigned char*>(&output);
        for (unsigned i = 0; i < sizeof(Output); ++i) to[i] = static_cast<unsigned char>(sum + i);
        return output;
    }

private:
    template <class Input>
    static __host__ __device__ void add(unsigned& sum, const Input& input) {
        const auto* from = reinterpret_cast<const unsigned char*>(&input);
        for (unsigned i = 0; i < sizeof(Input); ++i) sum = sum * 3 + from[i];
    }
};

}  // namespace test

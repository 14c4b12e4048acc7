// SPDX-License-Identifier: Apache-2.0
// Kernels as CUB makes them.
#include <cub/cub.cuh>

int main() {
    std::size_t bytes = 0;
    int* keys = nullptr;
    float* values = nullptr;
    cub::DeviceRadixSort::SortPairs(nullptr, bytes, keys, keys, values, values, 1000);
    cub::DeviceScan::InclusiveSum(nullptr, bytes, values, values, 1000);
    cub::DeviceHistogram::HistogramEven(nullptr, bytes, values, keys, 10, 0.f, 1.f, 1000);
    cub::DeviceReduce::ArgMin(nullptr, bytes, values,
                              static_cast<cub::KeyValuePair<int, float>*>(nullptr), 1000);
    return static_cast<int>(bytes);
}

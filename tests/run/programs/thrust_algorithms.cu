// SPDX-License-Identifier: Apache-2.0
// Algorithms of Thrust on device vectors.
#include <thrust/copy.h>
#include <thrust/device_vector.h>
#include <thrust/extrema.h>
#include <thrust/functional.h>
#include <thrust/host_vector.h>
#include <thrust/inner_product.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sequence.h>
#include <thrust/sort.h>
#include <thrust/transform.h>
#include <thrust/transform_reduce.h>
#include <thrust/unique.h>

#include <algorithm>
#include <numeric>

#include "check.h"

struct Square {
    __host__ __device__ int operator()(int v) const { return v * v; }
};
struct IsOdd {
    __host__ __device__ bool operator()(int v) const { return v % 2 != 0; }
};

int main() {
    const int n = 5000;
    Random random(17);
    thrust::host_vector<int> values(n);
    for (int i = 0; i < n; ++i) values[i] = static_cast<int>(random.below(2000)) - 1000;
    thrust::device_vector<int> v = values, w(n);

    CHECK(thrust::reduce(v.begin(), v.end()) == std::accumulate(values.begin(), values.end(), 0));
    CHECK(thrust::transform_reduce(v.begin(), v.end(), Square(), 0, thrust::plus<int>()) ==
          std::inner_product(values.begin(), values.end(), values.begin(), 0));
    CHECK(*thrust::max_element(v.begin(), v.end()) ==
          *std::max_element(values.begin(), values.end()));

    thrust::transform(v.begin(), v.end(), w.begin(), Square());
    for (int i = 0; i < n; i += 501) CHECK_AT(i, w[i] == values[i] * values[i]);
    thrust::inclusive_scan(v.begin(), v.end(), w.begin());
    std::vector<int> sums(n);
    std::partial_sum(values.begin(), values.end(), sums.begin());
    thrust::host_vector<int> got = w;
    for (int i = 0; i < n; ++i) CHECK_AT(i, got[i] == sums[i]);

    thrust::device_vector<int> odd(n);
    const auto end = thrust::copy_if(v.begin(), v.end(), odd.begin(), IsOdd());
    CHECK(end - odd.begin() == std::count_if(values.begin(), values.end(), IsOdd()));

    thrust::device_vector<int> keys = v, order(n);
    thrust::sequence(order.begin(), order.end());
    thrust::sort_by_key(keys.begin(), keys.end(), order.begin());
    thrust::host_vector<int> sorted = keys, places = order;
    for (int i = 0; i < n; ++i) {
        CHECK_AT(i, sorted[i] == values[places[i]] && (i == 0 || sorted[i - 1] <= sorted[i]));
    }
    const auto last = thrust::unique(keys.begin(), keys.end());
    std::vector<int> unique(values.begin(), values.end());
    std::sort(unique.begin(), unique.end());
    unique.erase(std::unique(unique.begin(), unique.end()), unique.end());
    CHECK(last - keys.begin() == static_cast<long>(unique.size()));
    got = keys;
    for (std::size_t i = 0; i < unique.size(); ++i) CHECK_AT(i, got[i] == unique[i]);

    thrust::device_vector<float> reals(n);
    for (int i = 0; i < n; i += 7) reals[i] = static_cast<float>(values[i]);
    thrust::sort(reals.begin(), reals.end(), thrust::greater<float>());
    const thrust::host_vector<float> down = reals;
    for (int i = 1; i < n; ++i) CHECK_AT(i, down[i - 1] >= down[i]);
}

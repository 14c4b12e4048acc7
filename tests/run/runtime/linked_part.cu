// SPDX-License-Identifier: Apache-2.0
__device__ int shared_counter;

__device__ int twice(int value) { return 2 * value; }

int read_counter() {
    int value = -1;
    cudaMemcpyFromSymbol(&value, shared_counter, sizeof value);
    return value;
}

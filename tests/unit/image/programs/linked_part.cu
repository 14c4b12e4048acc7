// SPDX-License-Identifier: Apache-2.0
__device__ int triple(int value) { return 3 * value; }

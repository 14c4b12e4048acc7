// SPDX-License-Identifier: Apache-2.0
// Runs every kernel of the library that reduces ranges, rows and columns.
// What it computes is checked elsewhere; check_counts.py compares what it moved with what each case
// announces.
#include "matrix_reductions.cuh"
#include "pitched_reductions.cuh"
#include "reductions.cuh"

int main() {
    counts::range_reductions();
    counts::pitched_reductions();
    counts::matrix_reductions();
    return 0;
}

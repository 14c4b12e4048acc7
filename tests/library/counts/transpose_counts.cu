// SPDX-License-Identifier: Apache-2.0
// Runs every kernel of the library that transposes over whole ranges, edges, gathers and strides.
// What it computes is checked elsewhere; check_counts.py compares what it moved with what each case
// announces.
#include "in_place_transposes.cuh"
#include "small_transposes.cuh"
#include "transposes.cuh"

int main() {
    counts::transposes();
    counts::small_transposes();
    counts::in_place_transposes();
    return 0;
}

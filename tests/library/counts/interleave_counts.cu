// SPDX-License-Identifier: Apache-2.0
// Runs every kernel of the library that takes structs apart and joins them.
// What it computes is checked elsewhere; check_counts.py compares what it moved with what each case
// announces.
#include "interleaves.cuh"

int main() {
    counts::interleaves();
    return 0;
}

// SPDX-License-Identifier: Apache-2.0
// Runs every kernel of the library over whole ranges, edges, gathers and strides. What it computes
// is checked elsewhere; check_counts.py compares what it moved with what each case announces.
#include "blocks.cuh"
#include "copies.cuh"
#include "matrices.cuh"
#include "transforms.cuh"

int main() {
    counts::copies();
    counts::transforms();
    counts::reductions();
    counts::transposes();
    counts::interleaves();
    counts::blocks();
}

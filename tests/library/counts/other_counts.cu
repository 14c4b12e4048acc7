// SPDX-License-Identifier: Apache-2.0
// Runs every kernel of the library but those that transpose over whole ranges, edges, gathers and
// strides. What it computes is checked elsewhere; check_counts.py compares what it moved with what
// each case announces.
#include "blocks.cuh"
#include "copies.cuh"
#include "interleaves.cuh"
#include "matrix_reductions.cuh"
#include "reductions.cuh"
#include "transforms.cuh"

int main() {
    counts::copies();
    counts::transforms();
    counts::range_reductions();
    counts::matrix_reductions();
    counts::interleaves();
    counts::blocks();
}

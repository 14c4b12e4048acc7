// SPDX-License-Identifier: Apache-2.0
// Runs every kernel of the library over whole ranges, edges, gathers and strides. What it computes
// is checked elsewhere; check_counts.py compares what it moved with what each case announces.
#include "blocks.cuh"
#include "copies.cuh"
#include "in_place_transposes.cuh"
#include "interleaves.cuh"
#include "matrix_reductions.cuh"
#include "reductions.cuh"
#include "small_transposes.cuh"
#include "transforms.cuh"
#include "transposes.cuh"

int main() {
    counts::copies();
    counts::transforms();
    counts::range_reductions();
    counts::matrix_reductions();
    counts::transposes();
    counts::small_transposes();
    counts::in_place_transposes();
    counts::interleaves();
    counts::blocks();
}

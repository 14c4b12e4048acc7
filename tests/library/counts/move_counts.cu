// SPDX-License-Identifier: Apache-2.0
// Runs every kernel of the library that copies, fills and transforms, in order, by strides or by
// index. What it computes is checked elsewhere; check_counts.py compares what it moved with what
// each case announces.
#include "blocks.cuh"
#include "copies.cuh"
#include "transforms.cuh"

int main() {
    counts::copies();
    counts::transforms();
    counts::blocks();
    return 0;
}

# SPDX-License-Identifier: Apache-2.0
"""What a launch of reference_patterns.cu counts, from the data that its main() draws."""
import ctypes
import functools

ELEMENTS = 1 << 18
WARP = 32
SECTOR = 32
FLOAT = 4


@functools.cache
def shuffled_indices():
    """The array `h` of main(), drawn by the C library's generator as there."""
    libc = ctypes.CDLL(None)
    libc.srand(7)
    indices = list(range(ELEMENTS))
    for i in range(ELEMENTS - 1, 0, -1):
        other = (libc.rand() * 32768 + libc.rand()) % (i + 1)
        indices[i], indices[other] = indices[other], indices[i]
    return indices


def compaction_store_sectors():
    """Fewest and most sectors of the stores of compact: each warp's kept elements are contiguous, at a place that the order of
    the warps decides."""
    indices = shuffled_indices()
    kept = [sum(value % 3 == 0 for value in indices[first:first + WARP]) for first in range(0, ELEMENTS, WARP)]
    fewest = sum(-(-count * FLOAT // SECTOR) for count in kept)
    return fewest, fewest + sum(count > 0 for count in kept)

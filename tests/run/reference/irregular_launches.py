# SPDX-License-Identifier: Apache-2.0
"""What two launches of reference_patterns.cu count, from the data that its main() draws."""
import collections
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


def sectors_of(elements):
    """Sectors of one request for these 4-byte elements of an array."""
    return len({element * FLOAT // SECTOR for element in elements})


def csr_rows():
    """Where each row of csr_matvec's matrix begins, and the columns of all of them."""
    indices, begins, columns = shuffled_indices(), [], []
    rows = ELEMENTS // 8
    for r in range(rows):
        begins.append(len(columns))
        columns += [indices[(r * 11 + k) % ELEMENTS] % rows for k in range(1 + indices[r] % 13)]
    return begins + [len(columns)], columns


def csr_matvec_loads():
    """Requests and sectors of the loads of csr_matvec as its PTX runs them: `row[r]` and `row[r + 1]`; the iterations that a
    multiple of four leaves over, one by one; then groups of four. A step makes three requests, each of all lanes that still
    have one to do: v[k], col[k] and x[col[k]]."""
    begins, columns = csr_rows()
    requests = sectors = 0
    for first in range(0, ELEMENTS // 8, WARP):
        rows = range(first, first + WARP)
        requests += 2
        sectors += sectors_of(rows) + sectors_of(r + 1 for r in rows)
        steps = collections.defaultdict(list)  # the elements that the lanes of one step are at
        for r in rows:
            length = begins[r + 1] - begins[r]
            for k in range(length):
                left_over = length % 4
                step = ("single", k) if k < left_over else ("grouped", k - left_over)
                steps[step].append(begins[r] + k)
        for elements in steps.values():
            requests += 3
            sectors += 2 * sectors_of(elements) + sectors_of(columns[k] for k in elements)
    return requests, sectors


def compaction_store_sectors():
    """Fewest and most sectors of the stores of compact: each warp's kept elements are contiguous, at a place that the order of
    the warps decides."""
    indices = shuffled_indices()
    kept = [sum(value % 3 == 0 for value in indices[first:first + WARP]) for first in range(0, ELEMENTS, WARP)]
    fewest = sum(-(-count * FLOAT // SECTOR) for count in kept)
    return fewest, fewest + sum(count > 0 for count in kept)

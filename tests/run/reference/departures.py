# SPDX-License-Identifier: Apache-2.0
"""The counts that are not what the H200 counted, why, and what they are instead: a formula of the launch."""
import dataclasses
import typing

import irregular_launches

MATRIX = 512  # rows and columns of the matrices of matmul_shared
LOCAL_WARPS = 1024 * 256 // 32  # of local_dynamic


@dataclasses.dataclass
class Departure:
    program: str
    rows: typing.Container[int]
    kernel: str
    column: str
    reason: str
    bounds: typing.Callable[[int], tuple[int, int]]  # lowest and highest right count, from the hardware's


def exactly(count):
    return lambda counted: (count, count)


DEPARTURES = [
    *(Departure("reference_kernels", (37, 38), "matmul_shared", column,
                "ptxas makes one 16-byte load of four neighbouring ones of As, PTX has them one by one: two a step", bounds)
      for column, bounds in (("shared_ld_wavefronts", exactly(2 * MATRIX**3 // 32)), ("shared_ld_conflicts", exactly(0)))),
    Departure("reference_kernels", (56,), "local_dynamic", "local_st_requests",
              "PTX stores the 40 first values four at a time, ptxas one by one; the sectors are equal",
              exactly(LOCAL_WARPS * (40 // 4 + 8))),
    Departure("reference_patterns", (215,), "compact", "global_st_sectors",
              "a race decides where a warp's elements go: the fewest sectors that hold them, or one more a warp",
              lambda counted: irregular_launches.compaction_store_sectors()),
]


def find(program, row, kernel, column):
    """The departure that a figure falls under, or None."""
    for departure in DEPARTURES:
        if departure.program == program and row in departure.rows and departure.column == column:
            assert departure.kernel == kernel, "row %d is %s" % (row, kernel)
            return departure
    return None

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the kernels that the project's source articles print figures of, with their sizes, and demands those figures.

    figures.py PROGRAM NAME --wideload PATH

NAME is a key of EXPECTED. Each of its launches has a kernel, its counters as formulas of the launch, and the coalescing degree in
percent of the accesses through its parameters, by number.
"""
import argparse
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import wideload

WARP = 32
SECTOR = 32
FLOAT, DOUBLE, INT = 4, 8, 4


def up(dividend, divisor):
    return -(-dividend // divisor)


def traffic(operation, requests, sectors_a_request):
    return {"global_%s_requests" % operation: requests, "global_%s_sectors" % operation: requests * sectors_a_request}


COALESCED = WARP * FLOAT // SECTOR  # sectors of a request
SCATTERED = WARP
VECTOR_WARPS = 262144 * 256 // WARP
MATRIX_WARPS = 512 * 512 * 32 * 32 // WARP

MEMORY_ACCESS = [
    ("coalesced_access", traffic("ld", VECTOR_WARPS, COALESCED) | traffic("st", VECTOR_WARPS, COALESCED), {0: 100}),
    ("uncoalesced_access", traffic("ld", VECTOR_WARPS, SCATTERED) | traffic("st", VECTOR_WARPS, COALESCED),
     {0: 12.5, 1: 100}),
    ("coalesced_matrix_access", traffic("ld", MATRIX_WARPS, COALESCED) | traffic("st", MATRIX_WARPS, COALESCED),
     {0: 100}),
    ("uncoalesced_matrix_access", traffic("ld", MATRIX_WARPS, SCATTERED) | traffic("st", MATRIX_WARPS, SCATTERED),
     {0: 12.5}),
]

TRANSPOSE_WARPS = 1024 * 1024 // WARP
DOUBLES = WARP * DOUBLE // SECTOR

COALESCING_DEGREE = [
    ("add_offset", traffic("ld", 2 * 128, 5) | traffic("st", 128, 5), {0: 80, 1: 80, 2: 80}),
    ("add_broadcast", {"global_ld_requests": 2 * 128, "global_ld_sectors": 128 * (1 + 4)} | traffic("st", 128, 4),
     {0: 12.5, 1: 100, 2: 100}),
    ("transpose_write_coalesced", traffic("ld", TRANSPOSE_WARPS, SCATTERED) | traffic("st", TRANSPOSE_WARPS, DOUBLES),
     {0: 25, 1: 100}),
    ("transpose_read_coalesced", traffic("ld", TRANSPOSE_WARPS, DOUBLES) | traffic("st", TRANSPOSE_WARPS, SCATTERED),
     {0: 100, 1: 25}),
]


def copy(kernel, length, elements, more_sectors=0):
    """A copy by vectors of so many ints; what is left over goes one by one. A request of a warp that begins between two
    sectors takes one more."""
    vectors, left_over = divmod(length, elements)
    requests = up(vectors, WARP)
    figures = {"requests": requests + left_over,
               "sectors": up(vectors * elements * INT, SECTOR) + requests * more_sectors + left_over}
    return (kernel, {"global_%s_%s" % (operation, what): value for operation in ("ld", "st") for what, value in figures.items()},
            {})


STRUCT_WARPS = (1 << 18) // WARP

VECTORIZED_COPY = [
    *(copy("device_copy_%s_kernel" % name, length, elements)
      for length in (1 << 22, 100003) for name, elements in (("scalar", 1), ("vector2", 2), ("vector4", 4))),
    copy("device_copy_scalar_kernel", 1 << 22, 1, more_sectors=1),
    copy("device_copy_vector2_kernel", 1 << 22, 2, more_sectors=1),
    # Foo has 16 bytes but is aligned to 8: two requests, each to half of the bytes of all 16 sectors.
    ("device_copy_struct_kernel", traffic("ld", 2 * STRUCT_WARPS, 16) | traffic("st", 2 * STRUCT_WARPS, 16), {0: 50, 1: 50}),
]

EXPECTED = {"memory_access": MEMORY_ACCESS, "coalescing_degree": COALESCING_DEGREE, "vectorized_copy": VECTORIZED_COPY}


def degrees(launch, parameter):
    """Coalescing degrees in percent of the sites that access the array of a parameter."""
    return [100 * site["distinct_bytes"] / (site["sectors"] * SECTOR) for site in launch["sites"]
            if site.get("parameter", "").endswith("_param_%d" % parameter)]


def differences(launch, kernel, counters, degree_of):
    if launch["kernel"].split("(")[0] != kernel:
        yield "expected %s" % kernel
    for counter, expected in counters.items():
        if launch["counters"].get(counter) != expected:
            yield "%s is %s, expected %s" % (counter, launch["counters"].get(counter), expected)
    for parameter, expected in degree_of.items():
        found = degrees(launch, parameter)
        if not found or any(degree != expected for degree in found):
            yield "the degree of parameter %d is %s, expected %s" % (parameter, found, expected)


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("program")
    arguments.add_argument("name", choices=EXPECTED)
    arguments.add_argument("--wideload", required=True)
    options = arguments.parse_args()

    ended = wideload.run(options.wideload, options.program, options=["--quiet"])
    if (ended.exit_code, ended.output) != (0, "ok\n"):
        sys.exit("exit code %d, printed %r\n%s" % (ended.exit_code, ended.output, ended.errors))
    chosen = ended.profile["options"]
    if chosen["workers"] != len(os.sched_getaffinity(0)) or chosen["host_isa"] not in ("avx512", "avx2", "baseline"):
        sys.exit("the profile says that %(workers)d threads ran blocks, with the instructions of %(host_isa)r" % chosen)
    expected, launches = EXPECTED[options.name], ended.profile["launches"]
    if len(launches) != len(expected):
        sys.exit("%d launches, expected %d" % (len(launches), len(expected)))
    found = ["launch %d, %s: %s" % (index, launch["kernel"], text) for index, launch in enumerate(launches)
             for text in differences(launch, *expected[index])]
    print(*found, "%d launches, %d differences" % (len(launches), len(found)), sep="\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())

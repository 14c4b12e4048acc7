#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares what the runtime of the virtual GPU tells a program of its kernels (cudaFuncGetAttributes, cudaOccupancy...) with
what `wideload occupancy` reads off the same program, for every block size, and with what NVIDIA's profiler said on an H200.
"""
import argparse
import csv
import json
import subprocess
import sys

from occupancy_of_launches import RESERVED_SHARED_BYTES, plain_name, studies_of, threads_of

LEAST_LAUNCHED_REGISTERS = 16
LOCAL_BYTES = {"local_dynamic": 40 * 4}  # its array of 40 floats; no other kernel has one, and none spills


def told_by_runtime(options):
    printed = subprocess.run([options.wideload, "run", "--quiet", "--gpu", "h200", "--", options.program], check=True,
                             stdout=subprocess.PIPE, text=True).stdout
    return {kernel["kernel"]: kernel for kernel in map(json.loads, printed.splitlines())}


def differences(name, expected, found):
    return ["%s of %s is %s, expected %s" % (field, name, found[field], value)
            for field, value in expected.items() if found[field] != value]


def against_the_tool(kernels, options):
    found = []
    for threads in range(32, 1025, 32):
        studies = studies_of(options, threads)
        for name, kernel in kernels.items():
            study = studies[name]
            expected = {"registers": study["registers"], "static_shared_bytes": study["static_shared_bytes"],
                        "local_bytes": LOCAL_BYTES.get(name, 0), "constant_bytes": 0, "max_threads": 1024,
                        "ptx_version": 90, "binary_version": 90}
            found += differences(name, expected, kernel)
            if kernel["blocks"][str(threads)] != study["occupancy"]["blocks"]:
                found.append("%d blocks of %d threads of %s, the tool says %d" %
                             (kernel["blocks"][str(threads)], threads, name, study["occupancy"]["blocks"]))
    return found


def against_the_hardware(kernels, rows):
    found = []
    for row in rows:
        kernel = kernels[plain_name(row["kernel"])]
        threads = threads_of(row)
        limits = [int(row["occ_" + limit]) for limit in ("regs", "warps", "blocks")]
        told = {"regs": max(kernel["registers"], LEAST_LAUNCHED_REGISTERS),
                "smem_block": kernel["static_shared_bytes"] + RESERVED_SHARED_BYTES,
                "occ_pct": 100 * kernel["blocks"][str(threads)] * threads / 2048}
        found += differences(row["kernel"], {field: float(row[field]) for field in told}, told)
        if kernel["blocks"][str(threads)] > min(limits):
            found.append("more blocks of %s than the profiler's limits" % row["kernel"])
    return found


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("program")
    arguments.add_argument("rows", help="CSV of tests/data/")
    arguments.add_argument("--wideload", required=True)
    options = arguments.parse_args()

    with open(options.rows, newline="") as file:
        rows = list(csv.DictReader(file))
    kernels = told_by_runtime(options)
    found = against_the_tool(kernels, options) + against_the_hardware(kernels, rows)
    print(*found, "%d kernels, %d launches, %d differences" % (len(kernels), len(rows), len(found)), sep="\n")
    return 1 if found or not rows or not kernels else 0


if __name__ == "__main__":
    sys.exit(main())

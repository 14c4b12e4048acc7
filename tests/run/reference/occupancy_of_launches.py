#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the occupancy that `wideload occupancy` reads off a reference program's machine code with what NVIDIA's profiler
said of every launch on an H200: registers, shared memory, the limits by registers, warps and blocks, and the percentage.
"""
import argparse
import csv
import json
import re
import subprocess
import sys

RESERVED_SHARED_BYTES = 1024  # a block, since compute capability 8.0: the profiler's figure includes them


def plain_name(kernel):
    """"matmul_shared<16>" of "void matmul_shared<16>(const float *, int)"."""
    return kernel.split("(")[0].split()[-1]


def threads_of(row):
    x, y, z = (int(extent) for extent in re.findall(r"\d+", row["block"]))
    return x * y * z


def studies_of(options, threads):
    """Every kernel of the program in blocks of so many threads, by name."""
    printed = subprocess.run([options.wideload, "occupancy", options.program, "--gpu", "h200", "--block", str(threads), "--json",
                              "-"], check=True, stdout=subprocess.PIPE, text=True).stdout
    return {plain_name(study["kernel"]): study for study in json.loads(printed)["studies"]}


def differences(row, study):
    expected = {column: float(row[column]) for column in
                ("regs", "smem_block", "occ_regs", "occ_warps", "occ_blocks", "occ_pct")}
    found = {"regs": study["launched_registers"],
             "smem_block": study["static_shared_bytes"] + study["dynamic_shared_bytes"] + RESERVED_SHARED_BYTES,
             "occ_regs": study["limits"]["registers"], "occ_warps": study["limits"]["warps"],
             "occ_blocks": study["limits"]["blocks"], "occ_pct": study["occupancy"]["percent"]}
    return ["%s of %s is %g, the profiler said %g" % (name, row["kernel"], found[name], expected[name])
            for name in expected if found[name] != expected[name]]


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("program")
    arguments.add_argument("rows", help="CSV of tests/data/")
    arguments.add_argument("--wideload", required=True)
    options = arguments.parse_args()

    with open(options.rows, newline="") as file:
        rows = list(csv.DictReader(file))
    by_threads = {}
    found = []
    for row in rows:
        threads = threads_of(row)
        if threads not in by_threads:
            by_threads[threads] = studies_of(options, threads)
        found += differences(row, by_threads[threads][plain_name(row["kernel"])])
    print(*found, "%d launches, %d differences" % (len(rows), len(found)), sep="\n")
    return 1 if found or not rows else 0


if __name__ == "__main__":
    sys.exit(main())

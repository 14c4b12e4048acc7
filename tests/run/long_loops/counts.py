#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Demands that lanes which leave a loop after many turns meet behind it: a warp stores its results by one request.

    counts.py PROGRAM --wideload PATH
"""
import argparse
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import wideload

WARPS = 256 // 32
SECTORS_A_REQUEST = 32 * 4 // 32
LONGEST = 31 * 11  # turns of the last lane, before the one that ends the loop
TOGETHER = {"global_st_requests": WARPS, "global_st_sectors": WARPS * SECTORS_A_REQUEST}
EXPECTED = {
    "probe": TOGETHER | {"global_atom_requests": WARPS * (LONGEST + 1)},
    # A node is read to be tested and, where the chain goes on, once more to go there.
    "follow": TOGETHER | {"global_ld_requests": WARPS * (2 * LONGEST + 1)},
    "drain": TOGETHER | {"global_atom_requests": WARPS * (LONGEST + 1)},
}


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("program")
    arguments.add_argument("--wideload", required=True)
    options = arguments.parse_args()
    ended = wideload.run(options.wideload, options.program, options=["--quiet"])
    if (ended.exit_code, ended.output) != (0, "ok\n"):
        sys.exit("exit code %d, printed %r\n%s" % (ended.exit_code, ended.output, ended.errors))
    launches = {launch["kernel"].split("(")[0]: launch["counters"] for launch in ended.profile["launches"]}
    found = ["%s: %s is %s, expected %d" % (kernel, counter, launches[kernel].get(counter), expected)
             for kernel, counters in EXPECTED.items() for counter, expected in counters.items()
             if launches[kernel].get(counter) != expected]
    print(*found, "%d launches, %d differences" % (len(launches), len(found)), sep="\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A bound that a GPU beats is none: every launch of a reference program is bounded on the virtual H200, and must have taken
longer on the real one, whose caches the profiler emptied before each launch."""
import argparse
import csv
import json
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import wideload


def bound_ns(options, profile, launch):
    """What `wideload roofline` says of one launch."""
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(profile | {"launches": [launch]}, file)
        file.flush()
        printed = subprocess.run([options.wideload, "roofline", file.name, "--json", "-"], check=True, stdout=subprocess.PIPE,
                                 text=True).stdout
    kernel, = json.loads(printed)["kernels"]
    return kernel["bound_s"] * 1e9, kernel["binding"]


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("program")
    arguments.add_argument("rows", help="CSV of tests/data/")
    arguments.add_argument("--wideload", required=True)
    options = arguments.parse_args()

    with open(options.rows, newline="") as file:
        rows = list(csv.DictReader(file))
    ended = wideload.run(options.wideload, options.program, options=["--quiet", "--roofline"])
    if (ended.exit_code, ended.output) != (0, "ok\n") or len(ended.profile["launches"]) != len(rows):
        sys.exit("exit code %d, printed %r\n%s" % (ended.exit_code, ended.output, ended.errors))
    broken, nearest = 0, 0
    for row, launch in zip(rows, ended.profile["launches"]):
        bound, binding = bound_ns(options, ended.profile, launch)
        nearest = max(nearest, bound / float(row["ns"]))
        if not 0 < bound <= float(row["ns"]):
            broken += 1
            print("%s: bound %.0f ns by %s, but an H200 took %s ns" % (row["kernel"], bound, binding, row["ns"]))
    print("%d launches, %d beat their bound; the nearest came to %.0f %% of its time" % (len(rows), broken, nearest * 100))
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The script that measures the lab on a real GPU, with the virtual GPU in ncu's place: it must join and check every count, keep a record
and a table, fail where one count is off by one, and say once where counters are not permitted.

    run_on_gpu.py --wideload PATH NAME...
"""
import argparse
import csv
import json
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent


def measure(options, folder, **environment):
    return subprocess.run([HERE.parents[1] / "lab" / "run_h200", folder, *options.names, "--only", "counters"], capture_output=True,
                          text=True, env={**os.environ, "WIDELOAD": options.wideload, "WIDELOAD_NCU": str(HERE / "stand_in_ncu.py"),
                                          **environment})


def demand(condition, text):
    if not condition:
        sys.exit(text)


def points_of(file):
    return [point for one in json.loads(file.read_text())["experiments"] for point in one["results"]["points"]]


def check_table(file, points):
    lines = file.read_text().splitlines()
    demand(lines[0].startswith("# NVIDIA H200 (9.0), 132 multiprocessors"), "no machine in front: " + lines[0])
    rows = list(csv.DictReader(line for line in lines if not line.startswith("#")))
    demand(len(rows) == len(points), "%d rows of %d points" % (len(rows), len(points)))
    for row, point in zip(rows, points):
        if "counters" not in point:
            continue  # a launch that must fail has none
        demand(int(row["global_ld_sectors"]) == point["counters"]["global_ld_sectors"], "a row is not its point's: %s" % row)


def check_occupancy(points):
    """Blocks of 512 threads with 32 registers: four fill an H200's multiprocessor, whose 228 KiB hold each with 1 KiB more."""
    shared = [point for point in points if point["series"] == "shared"]
    demand(len({point["facts"]["resident_blocks"] for point in shared}) == 4, "not every number of blocks, 4 down to 1")
    for point in shared:
        fitting = min(4, 228 * 1024 // (int(point["parameters"]["shared_bytes"]) + 1024))
        demand(point["facts"]["resident_blocks"] == fitting, "%d blocks do not fit: %s" % (fitting, point["facts"]))


def check_parts(options, file, folder):
    """Records of parts, in any order, are put together to the record of all."""
    record = json.loads(file.read_text())
    parts, words = [], []
    for number, experiment in enumerate(reversed(record["experiments"])):
        parts.append(folder / ("part%d.json" % number))
        parts[-1].write_text(json.dumps({"schema": record["schema"], "experiments": [experiment]}))
        words += ["--results", parts[-1]]
    together = folder / "together.json"
    ended = subprocess.run([options.wideload, "lab", "--quiet", *words, "--json", together], capture_output=True, text=True)
    demand(ended.returncode == 0, ended.stderr)
    demand(together.read_text() == file.read_text(), "parts do not make the whole")


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("names", nargs="+")
    arguments.add_argument("--wideload", required=True)
    options = arguments.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        ended = measure(options, folder)
        demand(ended.returncode == 0 and "formulas" in ended.stdout, ended.stdout + ended.stderr)
        file = pathlib.Path(folder) / "h200.json"
        points = points_of(file)
        launched = [point for point in points if "error" not in point["notes"] or point["facts"]["error"] == 0]
        demand(launched and all(point.get("launches") == 1 and point["kernel"] for point in launched),
               "a point has no launch of its own")
        check_occupancy(points)
        check_table(pathlib.Path(folder) / "h200.csv", points)
        shown = subprocess.run([options.wideload, "lab", "--results", file], capture_output=True, text=True)
        demand(shown.returncode == 0 and "formulas" in shown.stdout, shown.stdout + shown.stderr)

        check_parts(options, file, pathlib.Path(folder))

        # What the driver told the program stands, whatever the tool knows of the launch.
        left_out = pathlib.Path(folder) / "left_out"
        measure(options, left_out, WIDELOAD_TEST_LEFT_OUT="launch__shared_mem_per_block_dynamic")
        stated = [point for point in points_of(left_out / "h200.json") if point["series"] == "shared"]
        demand(not any(point["dynamic_shared_bytes"] for point in stated), "a metric that ncu did not know was read")
        check_occupancy(stated)

        wrong = measure(options, folder, WIDELOAD_TEST_WRONG_COUNT="global_ld_sectors")
        demand(wrong.returncode == 1 and "global_ld_sectors is" in wrong.stdout, "a wrong count was not noticed\n" + wrong.stdout)
        barred = measure(options, folder, WIDELOAD_TEST_NOT_PERMITTED="1")
        demand(barred.stderr.count("ERR_NVGPUCTRPERM") == 1, "not said once:\n" + barred.stderr)
    print(ended.stdout)


if __name__ == "__main__":
    main()

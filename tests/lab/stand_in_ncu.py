#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Stands in for ncu where there is no GPU: runs the program on the virtual GPU and writes its counts as ncu writes its CSV. WIDELOAD names
the command. WIDELOAD_TEST_LEFT_OUT names a metric that it does not know. WIDELOAD_TEST_WRONG_COUNT names a counter to which it adds one in every launch; with WIDELOAD_TEST_NOT_PERMITTED it answers as
ncu does where a user may not read counters."""
import csv
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

METRICS = dict(re.findall(r"^METRIC\((\w+), ([\w.]+)\)$", (pathlib.Path(__file__).resolve().parents[2] / "src" / "lab" /
                                                          "hardware_metrics.def").read_text(), re.M))


# DRAM is taken to move every sector that is asked for.
DRAM = {"dram_read_sectors": "global_ld_sectors", "dram_write_sectors": "global_st_sectors"}
DYNAMIC_SHARED = "launch__shared_mem_per_block_dynamic"


def extent(sides):
    return "(%s)" % ", ".join(map(str, sides))


def main():
    words = sys.argv[1:]
    log = words[words.index("--log-file") + 1]
    asked = words[words.index("--metrics") + 1].split(",")
    program = words[words.index("--metrics") + 2:]
    if os.environ.get("WIDELOAD_TEST_NOT_PERMITTED"):
        pathlib.Path(log).write_text("==PROF== Connected to process 1\n==ERROR== ERR_NVGPUCTRPERM - The user does not have permission\n")
        return 1
    with tempfile.TemporaryDirectory() as folder:
        profile = pathlib.Path(folder) / "profile.json"
        ended = subprocess.run([os.environ["WIDELOAD"], "run", "--quiet", "--json", profile, "--", *program])
        launches = json.loads(profile.read_text())["launches"]
    wrong = os.environ.get("WIDELOAD_TEST_WRONG_COUNT")
    chosen = [(name, metric) for name, metric in METRICS.items() if metric in asked]
    of_launch = [DYNAMIC_SHARED] if DYNAMIC_SHARED in asked and os.environ.get("WIDELOAD_TEST_LEFT_OUT") != DYNAMIC_SHARED else []
    with open(log, "w", newline="") as file:
        file.write("==PROF== Connected to process 1\n")
        rows = csv.writer(file, quoting=csv.QUOTE_ALL)
        rows.writerow(["ID", "Kernel Name", "Block Size", "Grid Size", *of_launch, *(metric for _, metric in chosen)])
        rows.writerow(["", "", "", "", *("byte/block" for _ in of_launch), *("" for _ in chosen)])
        for number, launch in enumerate(launches):
            counted = launch["counters"]
            for kind, sectors in DRAM.items():
                counted[kind] = counted[sectors]
            if wrong:
                counted[wrong] += 1
            rows.writerow([number, launch["mangled"], extent(launch["block"]), extent(launch["grid"]),
                           *("{:,}".format(launch["dynamic_shared_bytes"]) for _ in of_launch),
                           *("{:,}".format(counted[name]) if name in counted else "" for name, _ in chosen)])
    return ended.returncode


if __name__ == "__main__":
    sys.exit(main())

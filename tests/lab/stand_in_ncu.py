#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Stands in for ncu where there is no GPU: runs the program on the virtual GPU and writes its counts as ncu writes its CSV. With
WIDELOAD_TEST_WRONG_COUNT set it adds one to that counter of every launch. WIDELOAD names the command."""
import csv
import json
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "lab" / "measure"))
import counters


def main():
    words = sys.argv[1:]
    log = words[words.index("--log-file") + 1]
    program = words[words.index("--metrics") + 2:]
    with tempfile.TemporaryDirectory() as folder:
        profile = pathlib.Path(folder) / "profile.json"
        ended = subprocess.run([os.environ["WIDELOAD"], "run", "--quiet", "--json", profile, "--", *program])
        launches = json.loads(profile.read_text())["launches"]
    wrong = os.environ.get("WIDELOAD_TEST_WRONG_COUNT")
    with open(log, "w", newline="") as file:
        file.write("==PROF== Connected to process 1\n")
        rows = csv.writer(file, quoting=csv.QUOTE_ALL)
        rows.writerow(["ID", "Kernel Name", "Grid Size", *counters.METRICS.values()])
        rows.writerow(["", "", "", *("" for _ in counters.METRICS)])
        for number, launch in enumerate(launches):
            counted = [launch["counters"].get(name, "") if name != wrong else launch["counters"][name] + 1 for name in counters.METRICS]
            rows.writerow([number, launch["kernel"], "(%s)" % ", ".join(map(str, launch["grid"])), *counted])
    return ended.returncode


if __name__ == "__main__":
    sys.exit(main())

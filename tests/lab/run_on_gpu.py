#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The script that measures the lab on a real GPU, with the virtual GPU in ncu's place: it must join and check every count, keep a record
that `wideload lab` reads, and fail where one count is off by one.

    run_on_gpu.py --wideload PATH --programs FOLDER NAME...
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent


def measure(options, folder, **environment):
    return subprocess.run([HERE.parents[1] / "lab" / "run_h200", folder, *options.names, "--programs", options.programs, "--ncu",
                           HERE / "stand_in_ncu.py", "--no-times", "--count-full"],
                          capture_output=True, text=True, env={**os.environ, "WIDELOAD": options.wideload, **environment})


def demand(condition, text):
    if not condition:
        sys.exit(text)


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("names", nargs="+")
    arguments.add_argument("--wideload", required=True)
    arguments.add_argument("--programs", required=True)
    options = arguments.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        ended = measure(options, folder)
        demand(ended.returncode == 0 and " 0 problems" in ended.stdout, ended.stdout + ended.stderr)
        file = pathlib.Path(folder) / "h200.json"
        points = [point for one in json.loads(file.read_text())["experiments"] for point in one["results"]["points"]]
        demand(points and all(point["launches"] == 1 for point in points), "a point has no launch of its own")
        shown = subprocess.run([options.wideload, "lab", "--results", file], capture_output=True, text=True)
        demand(shown.returncode == 0 and "formulas" in shown.stdout, shown.stdout + shown.stderr)

        wrong = measure(options, folder, WIDELOAD_TEST_WRONG_COUNT="global_ld_sectors")
        demand(wrong.returncode == 1 and "global_ld_sectors is" in wrong.stdout, "a wrong count was not noticed\n" + wrong.stdout)
    print(ended.stdout)


if __name__ == "__main__":
    main()

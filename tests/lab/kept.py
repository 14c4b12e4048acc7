#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds what a GPU counted for the kept record to the formulas that the experiments have now.

    kept.py --wideload PATH --kept RECORD RECORD...

The kept record has the formulas of its day. Each of its counted points gets those of the same point of the other records, which the
experiments' tests made, and must agree with them as it would on the GPU. That a wrong formula would be noticed is tried out.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile


def experiments_of(file):
    return json.loads(file.read_text())["experiments"]


def name_of(results, point):
    return results["experiment"], results["sizes"], point["series"], json.dumps(point["parameters"], sort_keys=True)


def with_formulas(kept, formulas):
    """The kept experiments' counted points that have formulas now, with them."""
    experiments = []
    for experiment in kept:
        results = experiment["results"]
        points = [dict(point, expected=formulas[name_of(results, point)]) for point in results["points"]
                  if point.get("counters") and name_of(results, point) in formulas]
        if points:
            experiments.append(dict(experiment, results=dict(results, points=points)))
    return experiments


def read(wideload, experiments):
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump({"schema": "wideload-lab-record/1", "experiments": experiments}, file)
        file.flush()
        return subprocess.run([wideload, "lab", "--quiet", "--results", file.name], capture_output=True, text=True)


def demand_notice(wideload, experiments):
    for experiment in experiments:
        for point in experiment["results"]["points"]:
            for expected in point["expected"]:
                if not expected["counter"].startswith("global_") or expected["counter"] not in point["counters"]:
                    continue
                expected["value"] += 1
                ended = read(wideload, [experiment])
                if ended.returncode != 1 or expected["counter"] not in ended.stderr:
                    sys.exit("a wrong formula was not noticed: exit code %d\n%s" % (ended.returncode, ended.stderr))
                return
    sys.exit("no count of global memory is compared")


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("records", nargs="+", type=pathlib.Path)
    arguments.add_argument("--wideload", required=True)
    arguments.add_argument("--kept", required=True, type=pathlib.Path)
    options = arguments.parse_args()
    formulas = {name_of(one["results"], point): point["expected"]
                for record in options.records for one in experiments_of(record) for point in one["results"]["points"]}
    experiments = with_formulas(experiments_of(options.kept), formulas)
    ended = read(options.wideload, experiments)
    if ended.returncode != 0:
        sys.exit("%s\nthe record is not as the formulas say" % ended.stderr)
    demand_notice(options.wideload, experiments)
    print("%d points of %d experiments are as their formulas say" %
          (sum(len(one["results"]["points"]) for one in experiments), len(experiments)))


if __name__ == "__main__":
    main()

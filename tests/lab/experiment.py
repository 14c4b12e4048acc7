#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs an experiment of the lab on the virtual GPU and demands that its counts are what its formulas say.

    experiment.py NAME --wideload PATH --record FILE

Whether a wrong count would be noticed is tried out too: each point in turn gets one count that is off by one.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile


def lab(wideload, *words):
    return subprocess.run([wideload, "lab", *map(str, words)], capture_output=True, text=True)


def run(wideload, name, record):
    ended = lab(wideload, name, "--json", record)
    if ended.returncode != 0:
        sys.exit("exit code %d\n%s%s" % (ended.returncode, ended.stdout, ended.stderr))
    if "✗" in ended.stdout:
        sys.exit("a claim does not hold on the virtual GPU:\n" + ended.stdout)
    print(ended.stdout)
    return json.loads(record.read_text())


def demand_formulas(points):
    """A point without launches tells nothing. One without expected counters must have facts to hold claims to."""
    if not points:
        sys.exit("there are no points")
    for number, point in enumerate(points):
        if not point.get("launches") and not point["facts"]:
            sys.exit("point %d, series %s, launched nothing and states no facts" % (number, point["series"]))
    if not any(point["expected"] for point in points):
        sys.exit("no point states what its counters should be")


def demand_notice(wideload, name, record):
    """A count that is off by one must fail the run and be named."""
    points = record["experiments"][0]["results"]["points"]
    tried = [point for point in points if point.get("launches") and point["expected"]][:8]
    for point in tried:
        counter = point["expected"][-1]["counter"]
        point["counters"][counter] += 1
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            json.dump(record, file)
            file.flush()
            ended = lab(wideload, name, "--results", file.name, "--quiet")
        point["counters"][counter] -= 1
        if ended.returncode != 1 or counter not in ended.stderr:
            sys.exit("a wrong %s was not noticed: exit code %d\n%s" % (counter, ended.returncode, ended.stderr))


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("name")
    arguments.add_argument("--wideload", required=True)
    arguments.add_argument("--record", required=True, type=pathlib.Path)
    options = arguments.parse_args()
    record = run(options.wideload, options.name, options.record)
    demand_formulas(record["experiments"][0]["results"]["points"])
    demand_notice(options.wideload, options.name, record)


if __name__ == "__main__":
    main()

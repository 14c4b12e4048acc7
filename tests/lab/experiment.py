#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs an experiment of the lab on the virtual GPU and demands that its counts are what its formulas say.

    experiment.py NAME --wideload PATH --record FILE

Whether a wrong count would be noticed is tried out too: each point in turn gets one count that is off by one.
"""
import argparse
import json
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

MOST_SECONDS = 20  # that whoever tries an experiment has to wait


def lab(wideload, *words):
    return subprocess.run([wideload, "lab", *map(str, words)], capture_output=True, text=True)


def processor_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def run(wideload, name, record):
    """Also keeps how long it took, beside the record: of a busy machine's time what it had of the processors."""
    started, used = time.monotonic(), processor_seconds()
    ended = lab(wideload, name, "--json", record)
    seconds = min(time.monotonic() - started, processor_seconds() - used)
    if ended.returncode != 0 or ended.stderr:
        sys.exit("exit code %d\n%s%s" % (ended.returncode, ended.stdout, ended.stderr))
    if seconds > MOST_SECONDS:
        sys.exit("it took %.1f s, more than %d" % (seconds, MOST_SECONDS))
    record.with_suffix(".seconds").write_text("%.3f\n" % seconds)
    if "✗" in ended.stdout:
        sys.exit("a claim does not hold on the virtual GPU:\n" + ended.stdout)
    print(ended.stdout)
    return json.loads(record.read_text())


def demand_formulas(points):
    """What was launched must be held to counts; where nothing was, there must be facts to hold claims to."""
    if not points:
        sys.exit("there are no points")
    for number, point in enumerate(points):
        place = "point %d, series %s, %s," % (number, point["series"], point["parameters"])
        if point.get("launches") and not point["expected"]:
            sys.exit("%s was launched and does not state what its counters should be" % place)
        if not point.get("launches") and not point["facts"]:
            sys.exit("%s launched nothing and states no facts" % place)
    if not any(point["expected"] for point in points):
        sys.exit("nothing was launched")


def demand_notice(wideload, name, record):
    """A count that is off by one must fail the run and be named."""
    points = record["experiments"][0]["results"]["points"]
    tried = [point for point in points if point.get("launches") and point["expected"]][:8]
    for point in tried:
        for expected in wrong_ones(point["expected"]):
            notice(wideload, name, record, point, expected)


def wrong_ones(expected):
    """The last formula, and of those that are lower bounds the last."""
    return [expected[-1]] + [one for one in expected if one.get("at_least")][-1:]


def notice(wideload, name, record, point, expected):
    counter = expected["counter"]
    counted = point["counters"][counter]
    point["counters"][counter] = expected["value"] - 1 if expected.get("at_least") else counted + 1
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(record, file)
        file.flush()
        ended = lab(wideload, name, "--results", file.name, "--quiet")
    point["counters"][counter] = counted
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

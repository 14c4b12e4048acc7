#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs a reference program under wideload and compares every launch with what an H200 counted for it.

Global and local requests and sectors must be equal, shared wavefronts and conflicts too in reference_patterns and in
bank_stride. Elsewhere the hardware adds arbitration noise to shared memory at high occupancy: there wavefronts may differ by
12 %, and conflicts, which the noise goes into, by as many. What stands in departures.py is held against that instead.
docs/counts.md says the same to users. Every site must have kept its first request.
"""
import argparse
import csv
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import departures
import wideload

NOISE = 0.12
COMPARED = re.compile(r"(global|local)_\w+_(requests|sectors)|shared_\w+_(wavefronts|conflicts)")


def plain_name(kernel):
    """"red_add" of "void red_add<float, 0>(T1 *, const int *)": profilers and demanglers spell the rest differently."""
    return re.split(r"[<(]", kernel)[0].split()[-1]


def is_noisy(program, kernel, column):
    return program == "reference_kernels" and kernel != "bank_stride" and column.startswith("shared_")


def expectation(row, index, column):
    """What the launch may count: bounds, and in words where they come from."""
    program, kernel, counted = row["program"], plain_name(row["kernel"]), int(row[column])
    departure = departures.find(program, index, kernel, column)
    if departure:
        low, high = departure.bounds(counted)
        return low, high, departure.reason
    if is_noisy(program, kernel, column):
        slack = NOISE * int(row[re.sub("conflicts$", "wavefronts", column)])
        return counted - slack, counted + slack, "hardware counted %d, with noise" % counted
    return counted, counted, "as hardware counted"


def differences(row, index, launch):
    place = "row %d, %s" % (index, row["kernel"])
    shape = [tuple(int(size) for size in row[what].strip("()").split(",")) for what in ("grid", "block")]
    if plain_name(launch["kernel"]) != plain_name(row["kernel"]) or shape != [tuple(launch["grid"]), tuple(launch["block"])]:
        yield "%s: the launch is %s %s %s" % (place, launch["kernel"], launch["grid"], launch["block"])
        return
    if "fault" in launch:
        yield "%s: %s" % (place, launch["fault"])
        return
    for column in filter(COMPARED.fullmatch, row):
        low, high, origin = expectation(row, index, column)
        counted = launch["counters"].get(column)
        if counted is None or not low <= counted <= high:
            yield "%s: %s is %s, expected %s (%s)" % (place, column, counted,
                                                     low if low == high else "%d to %d" % (low, high), origin)


def missing_samples(index, launch):
    """A site that made a request has a first one, of a block and warp that are known, and no better one as its worst."""
    for site in launch["sites"]:
        if not site.get("requests"):
            continue
        first, worst = site.get("first"), site.get("worst")
        if not first or "block" not in first or "warp" not in first:
            yield "launch %d, %s: %s at PTX line %d keeps no first request" % (
                index, launch["kernel"], site["kind"], site["ptx_line"])
        elif worst["sectors"] < first["sectors"]:
            yield "launch %d, %s: the worst request is better than the first" % (index, launch["kernel"])


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("program")
    arguments.add_argument("rows", help="CSV of tests/data/")
    arguments.add_argument("--wideload", required=True)
    arguments.add_argument("--libraries", default="", help="folders of the shared CUDA runtime")
    options = arguments.parse_args()

    with open(options.rows, newline="") as file:
        rows = list(csv.DictReader(file))
    ended = wideload.run(options.wideload, options.program, options=["--quiet"], libraries=options.libraries)
    if (ended.exit_code, ended.output) != (0, "ok\n"):
        sys.exit("exit code %d, printed %r\n%s" % (ended.exit_code, ended.output, ended.errors))
    launches = ended.profile["launches"]
    if len(launches) != len(rows):
        sys.exit("%d launches, %d rows" % (len(launches), len(rows)))
    found = [text for index, (row, launch) in enumerate(zip(rows, launches)) for text in differences(row, index, launch)]
    found += [text for index, launch in enumerate(launches) for text in missing_samples(index, launch)]
    print(*found, "%d launches, %d differences" % (len(rows), len(found)), sep="\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How the lab times a point, watched by the virtual GPU: 21 repeats after one that warms up, each a graph of launches on buffers of their
own, none of which comes again before four times the L2 of others have; before each repeat as many other bytes read as evict the L2 four
times; and wrong results are noticed, timed or not.

    timed.py --wideload PATH --experiment PROGRAM --wrong PROGRAM
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

REPEATS, LAUNCHES = 21, 40
SERIES, KERNEL = "coalesced", "coalesced_access"


def demand(condition, text):
    if not condition:
        sys.exit(text)


def run(options, folder, program, *arguments):
    profile, results = folder / "profile.json", folder / "results.json"
    done = subprocess.run([options.wideload, "run", "--quiet", "--json", profile, "--", program, *arguments, "--results", results],
                          capture_output=True, text=True)
    return done.returncode, json.loads(results.read_text()), json.loads(profile.read_text())["launches"]


def first_address(launch):
    site = next(site for site in launch["sites"] if site["kind"] == "global_ld")
    return site["first"]["base"]


def check_repeats(launches, buffer_bytes, l2_bytes):
    """Launches of the kernel between two reads of other bytes."""
    groups = [[]]
    for launch in launches:
        if "scrub_kernel" in launch["kernel"]:
            groups.append([])
            demand(32 * launch["counters"]["global_ld_sectors"] > 4 * l2_bytes, "too few other bytes are read")
        elif launch["kernel"].startswith(KERNEL):
            groups[-1].append(first_address(launch))
    groups = [group for group in groups if len(group) > 2]  # two come before: to load the module, and to check the result
    demand(len(groups) == REPEATS + 1, "%d repeats" % len(groups))
    for group in groups:
        demand(len(group) == len(set(group)) == LAUNCHES, "%d launches on %d buffers" % (len(group), len(set(group))))
    check_rotation([address for group in groups for address in group], buffer_bytes, l2_bytes)


def check_rotation(addresses, buffer_bytes, l2_bytes):
    """A buffer that is used again finds the L2 full of others, four times over."""
    demand(len(set(addresses)) * buffer_bytes > 4 * l2_bytes, "%d buffers are too few" % len(set(addresses)))
    last = {}
    for number, address in enumerate(addresses):
        others = number - last.get(address, -len(addresses)) - 1
        demand((others + 1) * buffer_bytes > 4 * l2_bytes, "a buffer is used again after %d others" % others)
        last[address] = number


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("wideload", "experiment", "wrong"):
        arguments.add_argument("--" + name, required=True)
    options = arguments.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        code, results, launches = run(options, folder, options.experiment, "--timed")
        demand(code == 0, "exit code %d" % code)
        demand(results["best_copy_gbps"] > 0 and len(results["date"]) == 10, "no copy, or no date")
        timed = [point for point in results["points"] if "us" in point]
        demand(len(timed) == 2, "%d points are timed" % len(timed))
        for point in timed:
            time = point["us"]
            demand(time["repeats"] == REPEATS and 0 < time["lowest"] <= time["median"] <= time["highest"], "%s" % time)
            demand(point["correct"], "%s is wrong" % point["series"])
        check_repeats(launches, 4 * timed[0]["parameters"]["n"], results["machine"]["l2_bytes"])
        for arguments in ([], ["--timed"]):
            code, results, _ = run(options, folder, options.wrong, *arguments)
            demand(code == 1 and not any(point["correct"] for point in results["points"]), "a wrong result passed")
    print("%d repeats of %d launches, on buffers of their own" % (REPEATS, LAUNCHES))


if __name__ == "__main__":
    main()

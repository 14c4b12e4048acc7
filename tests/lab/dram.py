#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`wideload lab --device` with the virtual GPU in the place of the real one and of ncu: the largest point of each series must be launched once
more, alone, and what DRAM moved must come to the point that was timed; where counters are not permitted the roofline must say what it
goes by.

    dram.py --wideload PATH
"""
import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
SECTOR = 32

# An experiment's program in front of the real one. It is timed by the virtual GPU, whose sizes are the small ones.
FRONT = """#!/usr/bin/env python3
import json, os, subprocess, sys
words = [word for word in sys.argv[1:] if word not in ("--full", "--device")]
if "--device" in sys.argv:
    subprocess.run([os.environ["WIDELOAD"], "run", "--quiet", "--", {program!r}, *words], check=True)
    results = json.load(open(words[-1]))
    for point in results["points"]:
        point["us"] = {{"median": 1000}}
    json.dump(results, open(words[-1], "w"))
else:
    print(*sys.argv[1:], file=open({asked!r}, "a"))
    os.execv({program!r}, [{program!r}, *words])
"""


def demand(condition, text):
    if not condition:
        sys.exit(text)


def prefix_of(wideload, names, folder):
    """An installation whose experiments are those programs."""
    (folder / "bin").mkdir()
    (folder / "libexec" / "wideload" / "lab").mkdir(parents=True)
    shutil.copy(wideload, folder / "bin")
    for name in names:
        program = wideload.parents[1] / "libexec" / "wideload" / "lab" / name
        front = folder / "libexec" / "wideload" / "lab" / name
        front.write_text(FRONT.format(program=str(program), asked=str(folder / "asked")))
        front.chmod(0o755)
    return folder / "bin" / wideload.name


def measure(options, folder, **environment):
    return subprocess.run([prefix_of(options.wideload, ["stride", "roofline"], folder), "lab", "--all", "--device", "--json",
                           folder / "record.json"], capture_output=True, text=True,
                          env={**os.environ, "WIDELOAD": str(options.wideload), "WIDELOAD_NCU": str(HERE / "stand_in_ncu.py"), **environment})


def timed_points(folder, name):
    record = json.loads((folder / "record.json").read_text())
    timed = [one["results"] for one in record["experiments"]
             if one["description"]["name"] == name and "us" in one["results"]["points"][0]]
    demand(len(timed) == 1, "%s was not timed once" % name)
    return timed[0]["points"]


def with_traffic(folder, name):
    return {(point["series"], *point["parameters"].values()): point for point in timed_points(folder, name)
            if "dram_bytes" in point["facts"]}


def check_counted(options, folder):
    ended = measure(options, folder)
    demand(ended.returncode == 0 and not ended.stderr, ended.stdout + ended.stderr)
    asked = (folder / "asked").read_text()
    demand("--point strided:stride=64 --point random --point fetch_32:stride=64 --full" in asked, "not the largest strides:\n" + asked)
    demand("--point f32:fmas=256 --point f64:fmas=256 --full" in asked, "not the most arithmetic:\n" + asked)

    # The stand-in's DRAM moves every sector that is asked for: 32 lanes 256 bytes apart need one each, of 4 bytes read and 4 written.
    strided = with_traffic(folder, "stride")
    demand(list(strided) == [("strided", 64), ("random",), ("fetch_32", 64)], "other points than the largest: %s" % list(strided))
    demand(strided["strided", 64]["facts"]["dram_times_stated"] == SECTOR / 4, str(strided))
    fmas = with_traffic(folder, "roofline")
    demand(sorted(fmas) == [("f32", 256), ("f64", 256)], "other points than the largest: %s" % list(fmas))
    for point in fmas.values():
        demand(point["facts"]["dram_intensity"] == point["facts"]["intensity"], "neighbours' bytes are not the stated ones: %s" % point)
    demand("What DRAM moved" in ended.stdout and "counted at full size." in ended.stdout, ended.stdout)


def check_fallback(options, folder):
    ended = measure(options, folder, WIDELOAD_TEST_NOT_PERMITTED="1")
    demand(ended.returncode == 0, ended.stdout + ended.stderr)
    demand(ended.stderr.count("ERR_NVGPUCTRPERM") == 1 and ended.stderr.count("the bytes that programs state") == 1, ended.stderr)
    demand(not with_traffic(folder, "stride") and "DRAM moved" not in ended.stdout, "there are counts that nobody took")


def check_selection(options, folder):
    """Of the program itself: it launches the points that it is told to, and no others."""
    program = options.wideload.parents[1] / "libexec" / "wideload" / "lab" / "stride"

    def launched(*points):
        results, profile = folder / "results.json", folder / "profile.json"
        ended = subprocess.run([options.wideload, "run", "--quiet", "--json", profile, "--", program, "--results", results,
                                *(word for point in points for word in ("--point", point))], capture_output=True, text=True)
        if ended.returncode != 0:
            return ended.returncode
        kernels = [launch["kernel"] for launch in json.loads(profile.read_text())["launches"]]
        strides = [point["parameters"].get("stride") for point in json.loads(results.read_text())["points"]]
        demand(len([kernel for kernel in kernels if "_access" in kernel]) == len(strides), "launched: %s" % kernels)
        return strides

    demand(launched("strided:stride=8", "strided:stride=2") == [2, 8], "not the two points that were named")
    demand(len(launched()) > 2, "not every point")
    for other in ("strided:stride=2.5", "strided:stride=2,n=1", "strided", "another:stride=2"):
        demand(launched("strided:stride=2", other) == [2], "%s names a point" % other)
    for wrong in ("strided:stride", "strided:stride=", "strided:stride=2x", ""):
        demand(launched(wrong) == 2, "'%s' names a point" % wrong)


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--wideload", required=True, type=pathlib.Path)
    options = arguments.parse_args()
    for check in (check_selection, check_counted, check_fallback):
        with tempfile.TemporaryDirectory() as folder:
            check(options, pathlib.Path(folder))


if __name__ == "__main__":
    main()

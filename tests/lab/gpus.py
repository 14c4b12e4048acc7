#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs cheap experiments on every GPU that `wideload gpus` lists: their programs must hold PTX that each of them can run, and
what a point says of registers must be true of the GPU's own machine code.

    gpus.py NAME... --wideload PATH
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile


def keys_of(wideload):
    """The first word of each line of the table."""
    listed = subprocess.run([wideload, "gpus"], capture_output=True, text=True, check=True).stdout
    return [line.split()[0] for line in listed.splitlines()[1:]]


def machine_of_run(wideload, name, key, file):
    ended = subprocess.run([wideload, "lab", name, "--gpu", key, "--json", file], capture_output=True, text=True)
    if ended.returncode != 0:
        sys.exit("--gpu %s: exit code %d\n%s%s" % (key, ended.returncode, ended.stdout, ended.stderr))
    results = json.loads(file.read_text())["experiments"][0]["results"]
    launched = [point for point in results["points"] if point.get("launches")]
    if not launched or not all(point["expected"] for point in launched):
        sys.exit("--gpu %s: a point was not held to counts" % key)
    for point in launched:
        asked = point["parameters"].get("registers") if point["series"] == "registers" else None
        if asked is not None and point["facts"]["registers"] != asked:
            sys.exit("--gpu %s: a point of %s registers has %s" % (key, asked, point["facts"]["registers"]))
    return results["machine"]["gpu"]


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("names", nargs="+")
    arguments.add_argument("--wideload", required=True)
    options = arguments.parse_args()
    keys = keys_of(options.wideload)
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "record.json"
        for name in options.names:
            machines = [machine_of_run(options.wideload, name, key, file) for key in keys]
            if len(keys) < 2 or len(set(machines)) != len(keys):
                sys.exit("%s ran on %s" % (name, machines))
            print("%s ran on %s" % (name, ", ".join(machines)))


if __name__ == "__main__":
    main()

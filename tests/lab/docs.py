#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the pages of docs/lab from the kept record and the records that the experiments' tests kept, and holds the committed ones to them.

    docs.py --wideload PATH --kept RECORD --pages FOLDER [--toolkit VERSION] [--write] RECORD...

Every file must be there, byte for byte, and no other; beside the record its results as a table, .csv. --write puts the pages
there instead. That a stale page would be noticed is tried out: a record with another time must give other pages. Another CUDA
compiler than the record's makes kernels of other operations, so that the pages are not its to judge: skipped.
"""
import argparse
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile


def together(records, file):
    experiments = [one for record in records for one in json.loads(record.read_text())["experiments"]]
    experiments.sort(key=lambda one: one["description"]["chapter"])
    file.write_text(json.dumps({"schema": "wideload-lab-record/1", "experiments": experiments}))
    return file


def make(wideload, run, kept, folder):
    ended = subprocess.run([wideload, "lab", "--quiet", "--results", run, "--beside", kept, "--markdown", folder], capture_output=True,
                           text=True)
    if ended.returncode != 0 or ended.stderr:
        sys.exit("exit code %d\n%s" % (ended.returncode, ended.stderr))
    return {str(file.relative_to(folder)): file.read_text() for file in folder.rglob("*.*")}


def table(wideload, kept):
    """The record's results as a table."""
    return subprocess.run([wideload, "lab", "--results", kept, "--csv", "-"], capture_output=True, text=True).stdout


def stale(made, pages):
    committed = {str(file.relative_to(pages)): file.read_text() for file in pages.rglob("*.*")}
    return sorted(name for name in made.keys() | committed.keys() if made.get(name) != committed.get(name))


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("records", nargs="+", type=pathlib.Path)
    arguments.add_argument("--wideload", required=True)
    arguments.add_argument("--kept", required=True, type=pathlib.Path)
    arguments.add_argument("--pages", required=True, type=pathlib.Path)
    arguments.add_argument("--toolkit", help="CUDA's version that the experiments were compiled with")
    arguments.add_argument("--write", action="store_true")
    options = arguments.parse_args()
    if options.toolkit and "CUDA %s, " % options.toolkit not in (options.pages / "stride.md").read_text():
        print("skipped: compiled with CUDA %s, which the record is not of" % options.toolkit)
        sys.exit(77)
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        run = together(options.records, folder / "run.json")
        if options.write:
            shutil.rmtree(options.pages, ignore_errors=True)
            print("%d files" % len(make(options.wideload, run, options.kept, options.pages)))
            options.kept.with_suffix(".csv").write_text(table(options.wideload, options.kept))
            return
        made = make(options.wideload, run, options.kept, folder / "pages")
        found = stale(made, options.pages)
        if table(options.wideload, options.kept) != options.kept.with_suffix(".csv").read_text():
            found.append(str(options.kept.with_suffix(".csv")))
        if found:
            sys.exit("not what %s and the run give: %s" % (options.kept, ", ".join(found)))
        other = folder / "other.json"
        other.write_text(re.sub(r'"median": ?([0-9])', r'"median":1\1', options.kept.read_text(), count=1))
        if not stale(make(options.wideload, run, other, folder / "others"), options.pages):
            sys.exit("another time was not noticed")
    print("%d files are what the record gives" % len(made))


if __name__ == "__main__":
    main()

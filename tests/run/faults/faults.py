#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Provokes one fault under wideload and compares all that comes of it with its golden: the exit code, what the program printed
(the CUDA errors that it saw), every word on stderr, and what the profile still knows of each launch.

    faults.py CASE --wideload PATH --programs FOLDER

CASE is a name of cases.py. WIDELOAD_REBASE=1 in the environment writes the golden anew.
"""
import argparse
import difflib
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import textwrap
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))
import cases
import wideload

SECONDS = 120


def normalised(text, folders):
    """Without what differs from machine to machine."""
    for folder, name in folders.items():
        text = text.replace(str(folder), name)
    text = re.sub(r"0x[0-9a-f]{6,}", "0x…", text)
    text = re.sub(r"^wideload \d+\.\d+\.\d+ .*", "wideload VERSION …", text, flags=re.M)
    text = re.sub(r"\S*/targets/x86_64-linux/include/", "<toolkit>/", text)
    # Of what ptxas made of the program, and only where there is a disassembler: a line, and those that it was wrapped into.
    text = re.sub(r"^  machine code  .*\n(?: {21}.*\n)*", "", text, flags=re.M)
    return text


def ended(code):
    return "signal %s" % signal.Signals(-code).name if code < 0 else "exit code %d" % code


def wait_until_running(child, kernel, scratch):
    """Until the process that the status page in `wideload run`'s folder speaks of runs this kernel."""
    deadline = time.monotonic() + SECONDS
    while time.monotonic() < deadline and child.poll() is None:
        for page in pathlib.Path(scratch).glob("wideload-*/status"):
            if kernel.encode() in page.read_bytes():
                return
        time.sleep(0.05)


def flowing(text):
    return textwrap.fill(" ".join(text.split()), 100) + "\n"


def run(case, options, scratch):
    program = case.prepare(os.path.join(options.programs, "fault_" + case.program), scratch)
    quiet = [] if case.report else ["--quiet"]
    command = [options.wideload, "run", "--json", os.path.join(scratch, case.json), *quiet, *case.options, "--", program,
               *case.arguments]
    with subprocess.Popen(command, cwd=HERE if case.report else scratch, env=wideload.environment(TMPDIR=scratch),
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace",
                          # A test that runs in the background of a shell inherits that SIGINT is ignored.
                          preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)) as child:
        if case.interrupt:
            wait_until_running(child, case.interrupt, scratch)
            child.send_signal(case.sent)
        output, errors = child.communicate(timeout=SECONDS)
    return child.returncode, output, errors


def describe_profile(path):
    """A line for each launch: how it ended, and those counters of its accesses that are not 0."""
    if not path.is_file():
        return "none\n"
    lines = []
    profile = json.loads(path.read_text())
    for launch in profile["launches"]:
        kind = launch["fault"]["kind"] if "fault" in launch else ""
        # How far a kernel got that was ended from outside is chance; an interrupted one may not even have begun.
        counted = ["%s %s" % (name, "some" if kind == "timeout" else value) for name, value in sorted(launch["counters"].items())
                   if value and kind != "interrupted" and re.fullmatch(r"(global|shared|local)_\w+_requests|shared_\w+_inst", name)]
        end = "fault: " + kind if kind else "ended well"
        lines.append("%s: %s%s" % (launch["kernel"], end, "".join("; " + one for one in counted)))
    lines += ["diagnostic: " + diagnostic["message"] for diagnostic in profile["diagnostics"]]
    return "".join(line + "\n" for line in lines) or "no launches\n"


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("case")
    arguments.add_argument("--wideload", required=True)
    arguments.add_argument("--programs", required=True, help="folder of the programs fault_*")
    options = arguments.parse_args()
    case = next(case for case in cases.CASES if case.name == options.case)

    with tempfile.TemporaryDirectory(prefix="wideload-fault-") as scratch:
        code, output, errors = run(case, options, scratch)
        folders = {scratch: "<scratch>", options.programs: "<programs>", HERE: "<source>"}
        output, errors = (normalised(text, folders) for text in (output, errors))
        found = "%s\n--- stdout\n%s--- stderr\n%s--- profile\n%s" % (
            ended(code), output, flowing(errors) if case.report else errors,
            describe_profile(pathlib.Path(scratch, case.json)))

    golden = HERE / "golden" / (case.name + ".txt")
    if os.environ.get("WIDELOAD_REBASE") == "1":
        golden.parent.mkdir(exist_ok=True)
        golden.write_text(found)
        return 0
    expected = golden.read_text()
    sys.stdout.writelines(difflib.unified_diff(expected.splitlines(True), found.splitlines(True), str(golden), "found"))
    return 0 if found == expected else 1


if __name__ == "__main__":
    sys.exit(main())

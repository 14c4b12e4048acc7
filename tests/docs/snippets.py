#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the snippets of one page of the documentation, so that what it shows is what happens.

Blocks marked `testable` count, in the order of the page, all in one scratch folder that has a copy of examples/:

    ```cuda testable file=NAME    is written to NAME
    ```sh testable                is run by bash; a failure of any line fails the test
    ```text testable              is exactly what the sh block before it printed, stdout and stderr

    snippets.py PAGE --bin FOLDER --nvcc PATH [--rebase]

--rebase (or WIDELOAD_REBASE=1) writes what was printed into the page instead of comparing.
"""
import argparse
import difflib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"^```(?P<language>\w+) testable(?: file=(?P<file>\S+))?\n(?P<body>.*?)^```$", re.M | re.S)
SECONDS = 240


def environment(options, scratch):
    tools = [options.bin] + ([os.path.dirname(options.nvcc)] if options.nvcc else [])
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("WIDELOAD_", "LD_PRELOAD"))}
    return kept | {"PATH": ":".join(tools + [os.environ["PATH"]]), "HOME": scratch, "NO_COLOR": "1", "LC_ALL": "C.UTF-8"}


def run(script, options, scratch):
    """What the script prints, or an exit that shows why it failed."""
    result = subprocess.run(["bash", "-euo", "pipefail", "-c", script], cwd=scratch, env=environment(options, scratch),
                            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                            timeout=SECONDS)
    if result.returncode != 0:
        sys.exit(f"exit code {result.returncode} of:\n{script}\n{result.stdout}")
    return "".join(line.rstrip() + "\n" for line in result.stdout.splitlines())


def comparable(text):
    """How many instructions a compiler makes of a kernel is its own affair."""
    return re.sub(r"^(  PTX instructions).*$", r"\1", text, flags=re.M)


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("page", type=pathlib.Path)
    arguments.add_argument("--bin", required=True, help="folder of wideload")
    arguments.add_argument("--nvcc", default="")
    arguments.add_argument("--rebase", action="store_true", default=os.environ.get("WIDELOAD_REBASE") == "1")
    options = arguments.parse_args()

    page = options.page.read_text()
    blocks = list(BLOCK.finditer(page))
    if not blocks:
        sys.exit(f"{options.page}: no testable block")
    printed, differing = None, 0
    rebased, copied_to = "", 0
    with tempfile.TemporaryDirectory(prefix="wideload-docs-") as scratch:
        shutil.copytree(ROOT / "examples", pathlib.Path(scratch, "examples"))
        for block in blocks:
            body = block["body"]
            if block["language"] == "cuda":
                pathlib.Path(scratch, block["file"]).write_text(body)
            elif block["language"] == "sh":
                printed = run(body, options, scratch)
            elif printed is None:
                sys.exit(f"{options.page}: a text block without an sh block before it")
            elif comparable(body) != comparable(printed):
                differing += 1
                sys.stdout.writelines(difflib.unified_diff(body.splitlines(True), printed.splitlines(True),
                                                           "in the page", "printed"))
                rebased += page[copied_to:block.start("body")] + printed
                copied_to = block.end("body")
    if differing and options.rebase:
        options.page.write_text(rebased + page[copied_to:])
        return 0
    print(f"{options.page}: {len(blocks)} blocks, {differing} with another output")
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())

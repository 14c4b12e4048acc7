#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Builds, and where it can runs, the programs that a page of docs/library shows.

Every ```cuda block with a main() is a whole program that returns 0 when what the page says is true.

    snippet_test.py PAGE --nvcc PATH --include FOLDER [--run COMMAND]

COMMAND goes before the program: what runs it on the virtual GPU. Without it programs are only built.
"""
import argparse
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

BLOCK = re.compile(r"^```cuda[^\n]*\n(.*?)^```$", re.M | re.S)


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("page", type=pathlib.Path)
    arguments.add_argument("--nvcc", required=True)
    arguments.add_argument("--include", required=True)
    arguments.add_argument("--run", default="")
    options = arguments.parse_args()
    programs = [block for block in BLOCK.findall(options.page.read_text()) if "int main(" in block]
    if not programs:
        sys.exit(f"{options.page}: no program")
    with tempfile.TemporaryDirectory(prefix="wideload-snippet-") as folder:
        for number, program in enumerate(programs):
            source = pathlib.Path(folder, f"snippet{number}.cu")
            source.write_text(program)
            built = source.with_suffix("")
            subprocess.run([options.nvcc, "-std=c++17", "-arch=sm_90", "--extended-lambda", f"-I{options.include}", source,
                            "-o", built], check=True)
            if options.run:
                subprocess.run(shlex.split(options.run) + [str(built)], check=True)


if __name__ == "__main__":
    main()

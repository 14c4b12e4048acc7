#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs one case: what wideload says and how it exits, word for word.

A case is a file of this form, its reason first:

    # Why a user meets this.
    $ shell commands, run by bash in an empty folder; several lines may stand
    exit 126
    what they print, stdout and stderr together

`program` (program.cu with the static runtime), `program_shared`, `program_machine_code` (without PTX) and `program_stripped` lie
in the folder; $BIN is the folder of wideload, $CUDA that of the programs of other tests. Process ids and the folder's path are
shown as PID and FOLDER. WIDELOAD_REBASE=1 writes what was printed into the case; read the difference before you keep it.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent


def prepare(folder, cuda):
    for name in ("program", "program_shared", "program_machine_code"):
        shutil.copy(cuda / f"messages_{name}", folder / name)
    subprocess.run(["strip", "-o", folder / "program_stripped", folder / "program"], check=True)


def run(script, folder, binaries, cuda):
    environment = {"PATH": f"{binaries}:/usr/bin:/bin", "BIN": str(binaries), "CUDA": str(cuda), "TMPDIR": str(folder),
                   "LC_ALL": "C.UTF-8", "LD_LIBRARY_PATH": os.environ.get("LD_LIBRARY_PATH", "")}
    ended = subprocess.run(["bash", "-c", script], cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                           stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=120)
    printed = ended.stdout.replace(str(folder), "FOLDER")
    printed = re.sub(r"(?<=FOLDER/wideload-)\w{6}", "XXXXXX", printed)
    printed = re.sub(r"(?<=profile\.)\d+(?=\.)|(?<=\"pid\":)\d+", "PID", printed)
    # How many instructions the compiler makes of it is its own affair.
    printed = re.sub(r"(?<=PTX instructions).*", " ...", printed)
    return ended.returncode, printed


def main():
    case, binaries, cuda = map(pathlib.Path, sys.argv[1:4])
    kept = case.read_text()
    commands = "\n".join(line[2:] for line in kept.splitlines() if line.startswith("$ "))
    head = kept[:re.search(r"^exit ", kept, re.M).start()]
    with tempfile.TemporaryDirectory(prefix="wideload-case-") as name:
        folder = pathlib.Path(name)
        prepare(folder, cuda)
        code, printed = run(commands, folder, binaries.resolve(), cuda)
        left = sorted(path.name for path in folder.iterdir() if path.name.startswith("wideload-"))
    if left:
        sys.exit(f"{case.name}: left behind: {left}")
    result = f"{head}exit {code}\n{printed}"
    if os.environ.get("WIDELOAD_REBASE") == "1":
        case.write_text(result)
    elif result != kept:
        sys.exit(f"{case.name}: now it is\n{result}")


if __name__ == "__main__":
    main()

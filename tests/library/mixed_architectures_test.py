#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Translation units that are compiled for different architectures share none of the library's own functions.

    mixed_architectures_test.py NVCC FILE INCLUDE_FOLDER BUILD_FOLDER      FILE calls what launches them

The linker keeps one of several functions of the same name. One that launches kernels early, since its own wait for the stream's last
kernel, would so launch another unit's, which do not.
"""
import pathlib
import re
import subprocess
import sys

OWN = re.compile(r"8wideload\d+detail")  # a mangled name in the namespace of that name


def weak_names(nvcc, file, include, build, architecture):
    unit = pathlib.Path(build) / (architecture + ".o")
    unit.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run([nvcc, "-std=c++17", "--extended-lambda", "-arch=" + architecture, "-I" + include, "-c", file, "-o", unit], check=True)
    listed = subprocess.run(["nm", unit], capture_output=True, text=True, check=True).stdout
    symbols = [line.split() for line in listed.splitlines()]
    return {symbol[-1] for symbol in symbols if symbol[-2] in "VWu" and OWN.search(symbol[-1])}


def main(nvcc, file, include, build):
    units = [weak_names(nvcc, file, include, build, architecture) for architecture in ("sm_75", "sm_90")]
    both = units[0] & units[1]
    print("%d and %d functions of the library's own, %d of them in both units" % (len(units[0]), len(units[1]), len(both)))
    print(*sorted(both)[:10], sep="\n")
    return 1 if both or not all(any("launch" in name for name in names) for names in units) else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

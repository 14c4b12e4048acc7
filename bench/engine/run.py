#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures the engine on one core: each kernel's best time with and without counters, thread-instructions a second, and the
ratio to the same loop in C++ where there is one. All figures are of one run and mean nothing beside another machine's.

usage: bench/engine/run.py BUILD_FOLDER   (needs nvcc and g++)
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent


def best_times(profile):
    """Kernel -> (nanoseconds of its fastest launch, thread-instructions of one)."""
    best = {}
    for launch in json.loads(profile.read_text())["launches"]:
        name = launch["kernel"].split("(")[0].split("<")[0].split()[-1]
        figures = (launch["host_ns"], launch.get("counters", {}).get("thread_inst", 0))
        best[name] = min(best.get(name, figures), figures)
    return best


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    wideload = pathlib.Path(sys.argv[1]).resolve() / "bin" / "wideload"
    nvcc = os.environ.get("CUDACXX", "nvcc")
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        subprocess.run([nvcc, "-O3", "-arch=sm_90", "-o", folder / "kernels", HERE / "kernels.cu"], check=True)
        subprocess.run(["g++", "-O3", "-march=native", "-o", folder / "native", HERE / "native.cpp"], check=True)
        run = [wideload, "run", "--quiet", "--workers", "1", "--json"]
        subprocess.run([*run, folder / "counted.json", "--", folder / "kernels"], check=True)
        subprocess.run([*run, folder / "bare.json", "--no-counters", "--", folder / "kernels"], check=True)
        lines = subprocess.run([folder / "native"], check=True, capture_output=True, text=True).stdout.splitlines()
        native = {name: float(ms) for name, ms in (line.split() for line in lines)}
        counted, bare = best_times(folder / "counted.json"), best_times(folder / "bare.json")

    print(f"{'kernel':14} {'ms':>9} {'M thread-inst/s':>16} {'counters cost':>14} {'against C++':>12}")
    for name, (ns, instructions) in counted.items():
        cost = f"{ns / bare[name][0] - 1:+.0%}"
        ratio = f"{ns / 1e6 / native[name]:.2f}" if name in native else "-"
        print(f"{name:14} {ns / 1e6:9.3f} {instructions / ns * 1e3:16,.0f} {cost:>14} {ratio:>12}")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures the engine on one core: each kernel's best time with and without counters, thread-instructions a second, and the
ratio to the same loop in C++ where there is one; what compiling kernels of given length costs; and what the tool adds to a
program that does nothing. All figures are of one run and mean nothing beside another machine's.

    bench/engine/run.py build/release   (needs nvcc and g++)
"""
import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
ROUNDS = 7


def keep_best(best, times):
    for name, time_of_one in times.items():
        best[name] = min(best.get(name, time_of_one), time_of_one)


def best_times(profile):
    """Kernel -> (nanoseconds of its fastest launch, thread-instructions of one)."""
    best = {}
    for launch in json.loads(profile.read_text())["launches"]:
        name = launch["kernel"].split("(")[0].split("<")[0].split()[-1]
        figures = (launch["host_ns"], launch.get("counters", {}).get("thread_inst", 0))
        keep_best(best, {name: figures})
    return best


def rounds(wideload, folder):
    """The best of some rounds, each with and without counters and in C++: a machine's clock changes within seconds."""
    run = [wideload, "run", "--quiet", "--workers", "1", "--json", folder / "profile.json"]
    counted, bare, native = {}, {}, {}
    for _ in range(ROUNDS):
        for best, options in ((counted, []), (bare, ["--no-counters"])):
            subprocess.run([*run, *options, "--", folder / "kernels"], check=True)
            keep_best(best, best_times(folder / "profile.json"))
        lines = subprocess.run([folder / "native"], check=True, capture_output=True, text=True).stdout.splitlines()
        keep_best(native, {name: float(ms) for name, ms in (line.split() for line in lines)})
    return counted, bare, native


def compile_times(wideload, program):
    """(kernel, PTX instructions, milliseconds) of each kernel of compile.cu."""
    run = subprocess.run([wideload, "run", "--quiet", "--", program], check=True, capture_output=True, text=True)
    ptx = pathlib.Path(f"{program}.ptx").read_text()
    for line in run.stdout.splitlines():
        name, ms = line.split()
        kind, rounds = name.rstrip(">").split("<")
        body = ptx.split(f"{kind}ILi{rounds}EEvPKjPj(")[1].split("\n}")[0]
        yield name, len(re.findall(r"^\t[a-z@]", body, re.MULTILINE)), float(ms)


def cost_of(command):
    """(least seconds of seven runs, MiB of memory at the peak)."""
    seconds, peak = [], 0
    for _ in range(7):
        start = time.perf_counter()
        child = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        _, status, usage = os.wait4(child.pid, 0)
        seconds.append(time.perf_counter() - start)
        peak = max(peak, usage.ru_maxrss / 1024)
        if status != 0:
            sys.exit(f"{command} failed")
    return min(seconds), peak


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path, help="the folder of a build")
    wideload = parser.parse_args().build.resolve() / "bin" / "wideload"
    nvcc = os.environ.get("CUDACXX", "nvcc")
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        subprocess.run([nvcc, "-O3", "-arch=sm_90", "-o", folder / "kernels", HERE / "kernels.cu"], check=True)
        subprocess.run(["g++", "-O3", "-march=native", "-o", folder / "native", HERE / "native.cpp"], check=True)
        counted, bare, native = rounds(wideload, folder)
        subprocess.run([nvcc, "-O3", "-arch=sm_90", "-o", folder / "compile", HERE / "compile.cu"], check=True)
        subprocess.run([nvcc, "-O3", "-arch=sm_90", "-ptx", "-o", folder / "compile.ptx", HERE / "compile.cu"], check=True)
        compiled = list(compile_times(wideload, folder / "compile"))
        subprocess.run([nvcc, "-O3", "-arch=sm_90", "-o", folder / "empty", HERE / "empty.cu"], check=True)
        alone, _ = cost_of([folder / "empty", "host"])
        idle, _ = cost_of([wideload, "run", "--quiet", "--", folder / "empty", "host"])
        started, peak = cost_of([wideload, "run", "--quiet", "--", folder / "empty"])
        launches = subprocess.run([wideload, "run", "--quiet", "--", folder / "empty", "launches"], check=True,
                                  capture_output=True, text=True).stdout.strip()

    print(f"{'kernel':14} {'ms':>9} {'M thread-inst/s':>16} {'counters cost':>14} {'against C++':>12}")
    for name, (ns, instructions) in counted.items():
        cost = f"{ns / bare[name][0] - 1:+.0%}"
        ratio = f"{ns / 1e6 / native[name]:.2f}" if name in native else "-"
        print(f"{name:14} {ns / 1e6:9.3f} {instructions / ns * 1e3:16,.0f} {cost:>14} {ratio:>12}")

    print(f"\n{'kernel':14} {'PTX instructions':>17} {'ms to compile':>14}")
    for name, instructions, ms in compiled:
        print(f"{name:14} {instructions:17,} {ms:14.1f}")
    print(f"\nA program without a CUDA call takes {1e3 * (idle - alone):.0f} ms more than by itself, with one kernel "
          f"{1e3 * (started - alone):.0f} ms more and {peak:.0f} MiB; launching an empty kernel takes {launches} us.")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Operations, distinct sectors and bounds of kernels.cu, as formulas of its sizes; and that the binding roof turns round with
the kernel and with the GPU."""
import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import wideload

N, M, BINS = 1 << 16, 128, 256
SECTOR = 32
# GB/s and operations a second by data sheet: clock x bus, and multiprocessors x lanes x clock x 2.
DRAM = {"h200": 2 * 3201e6 * 6016 / 8, "t4": 2 * 5001e6 * 256 / 8}
CLOCKS = {"h200": 132 * 1980e6, "t4": 40 * 1590e6}
LANES = {"h200": {"f32": 128, "f64": 64, "i32": 128}, "t4": {"f32": 64, "f64": 2, "i32": 128}}
L1 = {"h200": 128, "t4": 64}

# Kernel -> floating-point operations by type, sectors read, sectors written, and the binding roof of either GPU.
EXPECTED = {
    "saxpy": ({"f32": 2 * N}, 2 * N * 4 // SECTOR, N * 4 // SECTOR, {"h200": "dram", "t4": "dram"}),
    # One float further: the last sector is begun.
    "shifted": ({"f32": N}, N * 4 // SECTOR + 1, N * 4 // SECTOR, {"h200": "dram", "t4": "dram"}),
    "every_other_sector": ({}, N // 16, N // 16 * 4 // SECTOR, {"h200": "dram", "t4": "dram"}),
    "matmul": ({"f32": 2 * M ** 3}, 2 * M * M * 4 // SECTOR, M * M * 4 // SECTOR, {"h200": "l1", "t4": "l1"}),
    # A T4 has 2 lanes of double precision, an H200 64: the same kernel waits for memory there, for arithmetic here.
    "polynomial<16>": ({"f64": 32 * N}, N * 8 // SECTOR, N * 8 // SECTOR, {"h200": "dram", "t4": "f64"}),
    "polynomial<1024>": ({"f64": 2048 * N}, N * 8 // SECTOR, N * 8 // SECTOR, {"h200": "f64", "t4": "f64"}),
    "congruential<512>": ({}, N * 4 // SECTOR, N * 4 // SECTOR, {"h200": "i32", "t4": "i32"}),
    "histogram": ({}, N * 4 // SECTOR + 1, 1, None),
}


def plain_name(kernel):
    """"polynomial<16>" of "void polynomial<16>(double, double*, int)"."""
    return kernel.split("(")[0].split()[-1]


def check_counters(launch, name, found):
    counters = launch["counters"]
    operations, read, written, _ = EXPECTED[name]
    for kind in ("f16", "f32", "f64"):
        if counters[kind + "_operations"] != operations.get(kind, 0):
            found.append("%s: %d %s operations, not %d" % (name, counters[kind + "_operations"], kind, operations.get(kind, 0)))
    if (counters["touched_read_sectors"], counters["touched_write_sectors"]) != (read, written):
        found.append("%s: %d sectors read and %d written, not %d and %d" %
                     (name, counters["touched_read_sectors"], counters["touched_write_sectors"], read, written))
    if name == "congruential<512>" and not 1024 * N <= counters["i32_operations"] <= 1536 * N:
        found.append("%s: %d i32 operations for 512 rounds" % (name, counters["i32_operations"]))


def expected_seconds(launch, gpu):
    counters = launch["counters"]
    l1_sectors = sum(counters["%s_sectors" % kind] for kind in
                     ("global_ld", "global_st", "global_red", "global_atom", "local_ld", "local_st"))
    seconds = {kind: counters[kind + "_operations"] / (2 * lanes * CLOCKS[gpu]) for kind, lanes in LANES[gpu].items()}
    seconds["dram"] = SECTOR * (counters["touched_read_sectors"] + counters["touched_write_sectors"]) / DRAM[gpu]
    seconds["l1"] = SECTOR * l1_sectors / (L1[gpu] * CLOCKS[gpu])
    return seconds


def check_bound(kernel, launch, gpu, found):
    name = plain_name(kernel["kernel"])
    for roof, seconds in expected_seconds(launch, gpu).items():
        if abs(kernel["roofs"][roof]["seconds"] - seconds) > 1e-9 * seconds:
            found.append("%s on %s: %s takes %g s, not %g" % (name, gpu, roof, kernel["roofs"][roof]["seconds"], seconds))
    slowest = max(figures.get("seconds", 0) for figures in kernel["roofs"].values())
    if kernel["bound_s"] != slowest or kernel["roofs"][kernel["binding"]]["seconds"] != slowest:
        found.append("%s on %s: bound %g s by %s, but the slowest roof takes %g s" %
                     (name, gpu, kernel["bound_s"], kernel["binding"], slowest))
    binding = EXPECTED[name][3]
    if binding and kernel["binding"] != binding[gpu]:
        found.append("%s on %s is bound by %s, not %s" % (name, gpu, kernel["binding"], binding[gpu]))


def roofs_of_report(report, bound):
    """The binding roofs that a report names, a line a kernel; `bound` is how it says so."""
    line = r"\n  roofline +(?:[\d.,]+ (?:FLOP|integer op)/B(?: of L1)?, )?" + bound.format(time=r"[\d.]+ [pnµ]s", roof=r"(\w+)")
    return sorted(roof.lower() for roof in re.findall(line + r"\n", report))


def check_report(counted, plain, kernels, found):
    expected = sorted(kernel["binding"] for kernel in kernels)
    if roofs_of_report(counted, "bound by {roof}, at least {time}") != expected:
        found.append("the report's rooflines are not %s:\n%s" % (expected, counted))
    # What was not counted does not bind.
    roofs = roofs_of_report(plain, "at least {time} by {roof}; --roofline adds DRAM")
    if len(roofs) != len(expected) or "dram" in roofs:
        found.append("the plain report names the roofs %s:\n%s" % (roofs, plain))


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("program")
    arguments.add_argument("--wideload", required=True)
    options = arguments.parse_args()

    ended = wideload.run(options.wideload, options.program, options=["--roofline"])
    plain = wideload.run(options.wideload, options.program)
    if (ended.exit_code, ended.output) != (0, "ok\n"):
        sys.exit("exit code %d, printed %r\n%s" % (ended.exit_code, ended.output, ended.errors))
    found = []
    launches = ended.profile["launches"]
    if [plain_name(launch["kernel"]) for launch in launches] != list(EXPECTED):
        sys.exit("other launches: %s" % [launch["kernel"] for launch in launches])
    for launch, other in zip(launches, plain.profile["launches"]):
        name = plain_name(launch["kernel"])
        check_counters(launch, name, found)
        # To count more must not change what is counted.
        touched = {counter: value for counter, value in launch["counters"].items() if not counter.startswith("touched_")}
        if touched != other["counters"]:
            found.append("%s: --roofline changes other counters" % name)
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(ended.profile, file)
        file.flush()
        for gpu in DRAM:
            printed = subprocess.run([options.wideload, "roofline", file.name, "--gpu", gpu, "--json", "-"], check=True,
                                     stdout=subprocess.PIPE, text=True).stdout
            kernels = json.loads(printed)["kernels"]
            for kernel, launch in zip(kernels, launches):
                check_bound(kernel, launch, gpu, found)
            if gpu == "h200":
                check_report(ended.errors, plain.errors, kernels, found)
    print(*found, "%d kernels, %d differences" % (len(launches), len(found)), sep="\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())

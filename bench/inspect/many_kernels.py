#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Time and memory of `wideload inspect` for a cubin of many kernels.

    bench/inspect/many_kernels.py [--wideload PATH] [--nvcc PATH] [--kernels 1000] [--repeats 3]

Each kernel loads by vectors, sums over an unrolled loop, stages through shared memory and stores: some 200 instructions.
Prints the median wall time, the processor time, and the most memory that wideload and its disassemblers had resident together.
"""
import argparse
import os
import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile
import time

KERNEL = """
__global__ void kernel_{i}(const float4* a, float* b, const float* c, int n) {{
    __shared__ float tile[64];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float4 v = a[i];
    float sum = c[i] * {i} + c[i + {i}];
    for (int j = 0; j < n; ++j) sum += c[i + j * {next}] * v.x + v.y;
    tile[threadIdx.x % 64] = sum;
    __syncthreads();
    b[i] = tile[(threadIdx.x * {next}) % 64] + v.z + v.w;
}}
"""


def processes_below(parent):
    found = [parent]
    for process in found:
        try:
            for task in pathlib.Path(f"/proc/{process}/task").iterdir():
                found += [int(child) for child in (task / "children").read_text().split()]
        except OSError:
            pass
    return found


def resident_kib(process):
    try:
        fields = pathlib.Path(f"/proc/{process}/smaps_rollup").read_text()
        return next(int(line.split()[1]) for line in fields.splitlines() if line.startswith("Pss:"))
    except (OSError, StopIteration):
        return 0


def measure(command):
    """Wall seconds, processor seconds, and the most MiB that the process and those below it had resident at a time."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start, most = time.monotonic(), 0
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
        while process.poll() is None:
            most = max(most, sum(map(resident_kib, processes_below(process.pid))))
            time.sleep(0.05)
        if process.returncode != 0:
            sys.exit(f"{command[0]} failed with {process.returncode}")
    wall = time.monotonic() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, most / 1024


def main():
    root = pathlib.Path(__file__).resolve().parents[2]
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--wideload", default=root / "build/release/bin/wideload")
    arguments.add_argument("--nvcc", default=os.environ.get("CUDACXX", "nvcc"))
    arguments.add_argument("--kernels", type=int, default=1000)
    arguments.add_argument("--repeats", type=int, default=3)
    options = arguments.parse_args()
    with tempfile.TemporaryDirectory(prefix="wideload-bench-") as folder:
        source, cubin = pathlib.Path(folder, "many.cu"), pathlib.Path(folder, "many.cubin")
        source.write_text("".join(KERNEL.format(i=i, next=i + 1) for i in range(options.kernels)))
        subprocess.run([options.nvcc, "-O3", "-arch=sm_90", "-lineinfo", "-cubin", "-o", cubin, source], check=True)
        runs = [measure([options.wideload, "inspect", cubin]) for _ in range(options.repeats)]
        size = cubin.stat().st_size / 2**20
    wall, processor, memory = (statistics.median(column) for column in zip(*runs))
    print(f"{options.kernels} kernels, {size:.1f} MiB: {wall:.2f} s, {processor:.2f} s of processor time, {memory:.0f} MiB resident")


if __name__ == "__main__":
    main()

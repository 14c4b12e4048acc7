#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`wideload inspect` of a cubin of 1,000 kernels: each is told once, in under 5 s and 500 MB.

    many_kernels.py --wideload PATH --nvdisasm PATH --nvcc PATH

It reads them with two processes side by side, so that the time is held to half of what all processes used of their cores: what
another program takes of this machine at the same time is not wideload's. Memory is the largest process's, times all three.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

KERNELS, SECONDS, MEGABYTES = 1000, 5, 500
READERS = 2


def ptx_of(count):
    """The i-th kernel adds up 8 + i % 5 floats, strided, and stores the sum."""
    lines = [".version 7.0", ".target sm_75", ".address_size 64"]
    for kernel in range(count):
        lines += [".visible .entry kernel_%d(.param .u64 in, .param .u64 out)" % kernel, "{",
                  "  .reg .b64 %rd<6>; .reg .b32 %r<2>; .reg .f32 %f<3>;",
                  "  ld.param.u64 %rd1, [in]; ld.param.u64 %rd2, [out];",
                  "  cvta.to.global.u64 %rd1, %rd1; cvta.to.global.u64 %rd2, %rd2;",
                  "  mov.u32 %r1, %tid.x; mul.wide.u32 %rd3, %r1, 4;",
                  "  add.s64 %rd4, %rd1, %rd3; add.s64 %rd5, %rd2, %rd3;", "  mov.f32 %f1, 0f00000000;"]
        for load in range(8 + kernel % 5):
            lines += ["  ld.global.f32 %%f2, [%%rd4+%d]; fma.rn.f32 %%f1, %%f2, %%f2, %%f1;" % (load * 4096)]
        lines += ["  st.global.f32 [%rd5], %f1;", "  ret;", "}"]
    return "\n".join(lines) + "\n"


def inspect(wideload, cubin, nvdisasm):
    """What it printed as JSON, the seconds of all its processes, and the largest's megabytes."""
    with tempfile.TemporaryFile("w+") as printed:
        process = subprocess.Popen([wideload, "inspect", "--json", "-", "--nvdisasm", nvdisasm, cubin], stdout=printed)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        printed.seek(0)
        text = printed.read()
    if process.returncode != 0:
        sys.exit("inspect ended with %d" % process.returncode)
    return json.loads(text), usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--wideload", required=True)
    arguments.add_argument("--nvdisasm", required=True)
    arguments.add_argument("--nvcc", required=True)
    options = arguments.parse_args()

    with tempfile.TemporaryDirectory() as folder:
        ptx, cubin = pathlib.Path(folder, "many.ptx"), pathlib.Path(folder, "many.cubin")
        ptx.write_text(ptx_of(KERNELS))
        subprocess.run([options.nvcc, "-arch=sm_90", "-cubin", "-o", cubin, ptx], check=True)
        told, seconds, megabytes = inspect(options.wideload, cubin, options.nvdisasm)
    kernels = [kernel for code in told["code"] for kernel in code["kernels"]]
    loads = {kernel["mangled"]: sum(access["instructions"] for access in kernel["accesses"] if access["opcode"].startswith("LDG"))
             for kernel in kernels}
    expected = {"kernel_%d" % kernel: 8 + kernel % 5 for kernel in range(KERNELS)}
    print("%d kernels, %.1f s of all processes, %.0f MB the largest" % (len(kernels), seconds, megabytes))
    if len(kernels) != KERNELS or loads != expected:
        sys.exit("these are not the kernels of the cubin, each once")
    if seconds / READERS > SECONDS:
        sys.exit("it took more than %d s" % SECONDS)
    if megabytes * (READERS + 1) > MEGABYTES:
        sys.exit("it took more than %d MB" % MEGABYTES)


if __name__ == "__main__":
    main()

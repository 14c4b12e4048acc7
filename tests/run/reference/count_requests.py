#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Has the atomics of tests/data/requests_h200.csv counted anew, and compares.

usage: count_requests.py PROGRAM [WIDELOAD]
PROGRAM is count_requests.cu, compiled by nvcc -arch=sm_90; without WIDELOAD a GPU runs it under ncu.
"""
import csv
import json
import pathlib
import struct
import subprocess
import sys
import tempfile

DATA = pathlib.Path(__file__).resolve().parents[2] / "data" / "requests_h200.csv"
METRIC = "l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum"


def atomics():
    """(bytes per lane, mask, byte offsets, sectors counted) of each request."""
    with open(DATA, encoding="utf-8") as file:
        for row in csv.DictReader(file):
            if row["rule"] == "atomic":
                width = int(row["bytes_per_lane"])
                yield width, int(row["mask"], 16), [int(e) * width for e in row["elements"].split()], int(row["counted"])


def counted_by_gpu(program):
    command = ["ncu", "--csv", "--print-units", "base", "--cache-control", "none", "--clock-control", "none",
               "--metrics", METRIC, *program]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    table = csv.DictReader(line for line in output.splitlines() if line.startswith('"'))
    return [int(row["Metric Value"].replace(",", "")) for row in table]


def counted_by(wideload, program):
    with tempfile.TemporaryDirectory() as folder:
        profile = pathlib.Path(folder) / "profile.json"
        subprocess.run([wideload, "run", "--quiet", "--json", profile, "--", *program], check=True)
        return [launch["counters"]["global_red_sectors"] for launch in json.loads(profile.read_text())["launches"]]


def main():
    requests = list(atomics())
    with tempfile.NamedTemporaryFile() as file:
        for width, mask, offsets, _ in requests:
            file.write(struct.pack("<II32Q", mask, width, *offsets))
        file.flush()
        program = [sys.argv[1], file.name]
        counted = counted_by(sys.argv[2], program) if len(sys.argv) > 2 else counted_by_gpu(program)
    assert len(counted) == len(requests), "%d launches of %d requests" % (len(counted), len(requests))
    different = [(i, now, request[3]) for i, (now, request) in enumerate(zip(counted, requests)) if now != request[3]]
    for i, now, then in different:
        print("atomic %d: %d sectors, %d in the file" % (i, now, then))
    print("%d requests, %d differ" % (len(requests), len(different)))
    return bool(different)


if __name__ == "__main__":
    sys.exit(main())

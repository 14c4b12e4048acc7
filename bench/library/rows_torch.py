#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times PyTorch's index_select and index_copy_ by the shapes of rows_bench.cu, on the GPU of this machine.

    rows_torch.py >> FILE    rows as bench/library/run.sh records them

Medians of 21 replays of a graph, each of whose launches has a table of its own, with other data read through L2 before.
"""
import statistics

import torch

REPEATS = 21
REPLAY_BYTES = 512 << 20
scrub = torch.empty(192 << 20, dtype=torch.uint8, device="cuda")


def median_us(launches):
    stream = torch.cuda.Stream()
    torch.cuda.synchronize()
    with torch.cuda.stream(stream):
        for launch in launches:
            launch()
        stream.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, stream=stream):
            for launch in launches:
                launch()
        times = []
        for _ in range(REPEATS):
            scrub.add_(1)
            begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
            begin.record(stream)
            graph.replay()
            end.record(stream)
            stream.synchronize()
            times.append(begin.elapsed_time(end) * 1e3 / len(launches))
    return statistics.median(times)


def compare(row_bytes, total, kind):
    columns = row_bytes // torch.empty(0, dtype=kind).element_size()
    rows = total // row_bytes
    table_rows = 1 << (rows - 1).bit_length()
    copies = max(4, min(40, REPLAY_BYTES // (2 * total)))
    tables = [torch.randint(0, 100, (table_rows, columns), device="cuda").to(kind) for _ in range(copies)]
    packed = [torch.empty((rows, columns), dtype=kind, device="cuda") for _ in range(copies)]
    index = torch.randperm(table_rows, device="cuda")[:rows].to(torch.int32)
    for i in range(copies):
        torch.index_select(tables[i], 0, index, out=packed[i])
    assert torch.equal(packed[0], tables[0][index.long()])
    gather = median_us([lambda i=i: torch.index_select(tables[i], 0, index, out=packed[i]) for i in range(copies)])
    long_index = index.long()  # the only one that index_copy_ takes
    scatter = median_us([lambda i=i: tables[i].index_copy_(0, long_index, packed[i]) for i in range(copies)])
    moved = rows * (2 * row_bytes + 4)
    for way, us in (("gather", gather), ("scatter", scatter)):
        print(f"rows,torch,{way};rows={rows};bytes={row_bytes};past=0,{moved},{us:.3f},{moved / us / 1e3:.1f},1,0", flush=True)


if __name__ == "__main__":
    print(f"# torch: {torch.__version__}, rows_torch.py")
    for total in (1 << 20, 1 << 24, 1 << 28):
        for row_bytes in (64, 128, 256, 512, 1024, 4096, 16384, 200, 404, 1200):
            compare(row_bytes, total, torch.float32)
        for row_bytes in (202, 602, 2002, 8194):
            compare(row_bytes, total, torch.float16)
        for row_bytes in (301, 1003):
            compare(row_bytes, total, torch.uint8)

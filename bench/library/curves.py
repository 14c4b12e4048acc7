#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws the measured curves that the pages of docs/library show.

    curves.py docs/results/library_h200.csv docs/library/curves

One SVG a page, from the rows of one run of bench/library/run.sh.
"""
import argparse
import math
import pathlib
import re
import sys

from summarise import read

WIDTH, HEIGHT = 640, 320
LEFT, RIGHT, TOP, BOTTOM = 62, 150, 34, 46
COLOURS = ["#2a78b8", "#d1622b", "#3d9950", "#8c63b3", "#888888"]

ROWS_OF_256_MIB = "|".join(f"{(1 << 28) // size};bytes=(?={size};)" for size in (64, 128, 256, 512, 1024, 4096, 16384))


def apart(size, less):
    """A pattern for rows of 256 MiB in powers of two of elements of so many bytes, each `less` shorter."""
    shapes = ((1 << 28) // size // row for row in (64, 256, 1024, 4096, 16384))
    widths = (row - less for row in (64, 256, 1024, 4096, 16384))
    return "|".join(f"{rows}x(?={width};)" for rows, width in zip(shapes, widths))


# page: title, what x is, whether x is logarithmic, and its series: label, section, name, pattern of the parameters.
CHARTS = {
    "copy": ("copy, aligned", "bytes copied", True, [
        ("wideload::copy", "copy", "wideload", r"bytes=(\d+);from=0;to=0"),
        ("cudaMemcpyAsync", "copy", "cudaMemcpyAsync(;direct)?", r"bytes=(\d+);from=0;to=0"),
    ]),
    "fill": ("fill, aligned", "bytes filled", True, [
        ("values of 1 byte", "fill", "wideload", r"bytes=(\d+);to=0"),
        ("of 12 bytes", "fill", "wideload;value=12", r"bytes=(\d+);to=0"),
        ("of 36 bytes", "fill", "wideload;value=36", r"bytes=(\d+);to=0"),
        ("cudaMemsetAsync", "fill", "cudaMemsetAsync(;direct)?", r"bytes=(\d+);to=0"),
    ]),
    "transform": ("transform, one input, aligned", "bytes read", True, [
        ("1 byte", "transform", "wideload", r"type=u8;bytes=(\d+);from=0;to=0"),
        ("4 bytes", "transform", "wideload", r"type=f32;bytes=(\d+);from=0;to=0"),
        ("36 bytes", "transform", "wideload", r"type=struct36;bytes=(\d+);from=0;to=0"),
        ("CUB, 1 byte", "transform", "cub", r"type=u8;bytes=(\d+);from=0;to=0"),
        ("CUB, 36 bytes", "transform", "cub", r"type=struct36;bytes=(\d+);from=0;to=0"),
    ]),
    "transpose": ("transpose of square matrices of floats", "rows", True, [
        ("wideload::transpose", "transpose", "wideload", r"type=f32;1x(\d+)x\1"),
        ("in place", "transpose", "wideload", r"in_place;type=f32;(\d*[02468])x\1"),
        ("cublasSgeam", "transpose", "cublas_geam", r"type=f32;1x(\d+)x\1"),
        ("copy", "transpose", "copy", r"type=f32;1x(\d+)x\1"),
    ]),
    "transpose_odd": ("transpose of odd matrices, n x n + 2", "rows", True, [
        (label, "transpose", name, rf"type={kind};1x(101|251|501|1001|1501|2001|3001|4001)x\d+")
        for label, name, kind in (("1 byte", "wideload", "u8"), ("2 bytes", "wideload", "u16"), ("4 bytes", "wideload", "f32"),
                                  ("8 bytes", "wideload", "f64"), ("cublasSgeam", "cublas_geam", "f32"))
    ]),
    "transpose_few": ("32 matrices of few columns, 64 MB in all", "columns", True, [
        ("1 byte", "transpose", "wideload", r"type=u8;32x\d{3,}[02468]x(\d+)"),
        ("2 bytes", "transpose", "wideload", r"type=u16;32x\d{3,}[02468]x(\d+)"),
        ("4 bytes", "transpose", "wideload", r"type=f32;32x\d{3,}[02468]x(\d+)"),
        ("1 byte, an odd number of rows", "transpose", "wideload", r"type=u8;32x\d{3,}[13579]x(\d+)"),
        ("4 bytes, an odd number of rows", "transpose", "wideload", r"type=f32;32x\d{3,}[13579]x(\d+)"),
    ]),
    "transpose_batched": ("many small matrices of floats, 128 MB to 2 GB", "rows", True, [
        ("wideload", "transpose", "wideload", r"type=f32;(?!4000x)\d{2,}x(\d+)x\1"),
        ("copy", "transpose", "copy", r"type=f32;(?!4000x)\d{2,}x(\d+)x\1"),
    ]),
    "matrix_reduce": ("rows and columns of 400 MB to 1 GB of 32-bit integers", "columns", True, [
        ("reduce_rows", "matrix_reduce", "wideload", r"rows;type=i32;\d{5,}x(?!16385)(\d+)"),
        ("reduce_columns", "matrix_reduce", "wideload", r"columns;type=i32;\d{5,}x(?!16385)(\d+)"),
        ("reduce", "matrix_reduce", "reduce_of_as_much", r"rows;type=i32;\d{5,}x(?!16385)(\d+)"),
        ("CUB, segments", "matrix_reduce", "cub", r"rows;type=i32;\d{5,}x(?!16385)(\d+)"),
    ]),
    "gather": ("gather and scatter of floats", "elements", True, [
        ("gather in order", "gather", "wideload", r"in_order;count=(\d+)"),
        ("gather at random", "gather", "wideload", r"random;count=(\d+)"),
        ("scatter in order", "scatter", "wideload", r"in_order;count=(\d+)"),
        ("scatter at random", "scatter", "wideload", r"random;count=(\d+)"),
        ("thrust::gather", "gather", "thrust", r"in_order;count=(\d+)"),
    ]),
    "copy_rows": ("256 MiB of rows that lie apart", "elements of a row", True, [
        (label, "copy_rows", name, rf"type={kind};(?:{apart(size, less)})(\d+);pitch=.*")
        for label, name, kind, size, less in (("floats, whole words", "wideload", "f32", 4, 0), ("floats, odd", "wideload", "f32", 4, 1),
                                              ("bytes, odd", "wideload", "u8", 1, 1), ("cudaMemcpy2DAsync", "cudaMemcpy2DAsync", "f32", 4, 0),
                                              ("copy", "copy", "f32", 4, 0))
    ]),
    "rows": ("256 MiB of rows at random", "bytes of a row", True, [
        (label, "rows", name, rf"{way};rows=(?:{ROWS_OF_256_MIB})(\d+);past=0")
        for label, name, way in (("gather_rows", "wideload", "gather"), ("scatter_rows", "wideload", "scatter"),
                                 ("CUB, gather", "cub", "gather"), ("copy", "copy", "gather"))
    ]),
    "interleave": ("structs of floats to arrays and back, 768 MiB", "fields", False, [
        ("deinterleave", "interleave", "wideload", r"split;type=f32;fields=(\d+);count=\d{8,}"),
        ("interleave", "interleave", "wideload", r"join;type=f32;fields=(\d+);count=\d{8,}"),
        ("copy", "interleave", "copy", r"split;type=f32;fields=(\d+);count=\d{8,}"),
    ]),
    "reduce": ("sum of 32-bit integers", "elements", True, [
        ("wideload::reduce", "reduce", "wideload", r"type=i32;count=(\d+)"),
        ("reduce_atomic", "reduce", "wideload;atomic", r"type=i32;count=(\d+)"),
        ("cub::DeviceReduce", "reduce", "cub", r"type=i32;count=(\d+)"),
    ]),
    "strided": ("every n-th float, whole sectors or 64-byte lines counted", "stride in floats", False, [
        ("wideload::strided_copy", "strided", "wideload", r"stride=(\d+)"),
        ("L2 fetching 32 bytes", "strided", "wideload", r"stride=(\d+);fetch=32"),
        ("copy of as many bytes", "strided", "copy", r"stride=(\d+)"),
    ]),
}


def points(rows, section, name, pattern):
    """GB/s by x, the first group of the pattern; the best of a series' variants."""
    best = {}
    for row in rows:
        match = re.fullmatch(pattern, row["parameters"])
        if row["section"] == section and re.fullmatch(name, row["name"]) and match:
            rate = row["bytes"] / row["median_us"] / 1000
            best[int(match[1])] = max(rate, best.get(int(match[1]), 0))
    return sorted(best.items())


def short(value):
    """65536 as 64 Ki; numbers that are no multiple of 1024 as they are."""
    for unit, power in (("Gi", 30), ("Mi", 20), ("Ki", 10)):
        if value >= 1 << power and value % (1 << power) == 0:
            return f"{value >> power} {unit}"
    return str(value)


def draw(title, x_label, logarithmic, series):
    place = (lambda x: math.log2(x)) if logarithmic else float
    xs = sorted({x for _, line in series for x, _ in line})
    low, high = place(xs[0]), place(xs[-1])
    top = 1000 * math.ceil(max(y for _, line in series for _, y in line) / 1000)
    x_of = lambda x: LEFT + (place(x) - low) / (high - low) * (WIDTH - LEFT - RIGHT)
    y_of = lambda y: HEIGHT - BOTTOM - y / top * (HEIGHT - TOP - BOTTOM)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="12"'
           ' fill="#777777">',
           f'<text x="{LEFT}" y="18" font-size="14">{title}</text>']
    for y in range(0, top + 1, 1000):
        out.append(f'<path d="M{LEFT} {y_of(y):.1f}H{WIDTH - RIGHT}" stroke="#777777" stroke-opacity="0.3"/>')
        out.append(f'<text x="{LEFT - 6}" y="{y_of(y) + 4:.1f}" text-anchor="end">{y}</text>')
    step = max(1, (len(xs) + 7) // 8)
    for x in xs[::step]:
        out.append(f'<text x="{x_of(x):.1f}" y="{HEIGHT - BOTTOM + 18}" text-anchor="middle">{short(x)}</text>')
    out.append(f'<text x="{(LEFT + WIDTH - RIGHT) / 2:.1f}" y="{HEIGHT - 8}" text-anchor="middle">{x_label}</text>')
    out.append(f'<text x="14" y="{TOP + 70}" transform="rotate(-90 14 {TOP + 70})" text-anchor="middle">GB/s</text>')
    # Labels stand beside the ends of their lines, 15 apart at least.
    ends, taken = sorted(((y_of(line[-1][1]), index) for index, (_, line) in enumerate(series))), -1e9
    for y, index in ends:
        label, line = series[index]
        taken = max(y, taken + 15)
        path = "L".join(f"{x_of(x):.1f} {y_of(rate):.1f}" for x, rate in line)
        colour = COLOURS[index]
        out.append(f'<path d="M{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        out += [f'<circle cx="{x_of(x):.1f}" cy="{y_of(rate):.1f}" r="2.5" fill="{colour}"/>' for x, rate in line]
        out.append(f'<text x="{WIDTH - RIGHT + 8}" y="{taken + 4:.1f}" fill="{colour}">{label}</text>')
    return "\n".join(out + ["</svg>", ""])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("csv", help="what was measured")
    parser.add_argument("folder", type=pathlib.Path, help="where the curves are")
    parser.add_argument("--check", action="store_true", help="write nothing; fail where a file is not what the rows give")
    options = parser.parse_args()
    source, folder = options.csv, options.folder
    rows = read(source)
    with open(source) as file:
        gpu = re.search(r"# gpu: ([^,\n]+)", file.read())[1]
    stale = []
    for page, (title, x_label, logarithmic, series) in CHARTS.items():
        lines = [(label, points(rows, section, name, pattern)) for label, section, name, pattern in series]
        empty = [label for label, line in lines if not line]
        if empty:
            sys.exit(f"{source}: no rows for {', '.join(empty)} of {page}")
        svg = draw(f"{title}: {gpu}", x_label, logarithmic, lines)
        target = folder / f"{page}.svg"
        if not options.check:
            folder.mkdir(exist_ok=True)
            target.write_text(svg)
        elif not target.exists() or target.read_text() != svg:
            stale.append(str(target))
    if stale:
        sys.exit(f"not what {source} gives: {', '.join(stale)}; run bench/library/curves.py {source} {folder}")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the library is to reach, held against the records.

    goals.py docs/results docs/library           writes the table of goals.md
    goals.py docs/results docs/library --check   fails where the page is another

Either way it fails where a record falls short of a goal that has no known gap, and of what a known gap had reached.

Ratios are of times, a rival's over the library's; of all cases of a goal the least counts. A case that falls short of a peer
by so much as memory allows is let off from 0.985 of the best copy on; a tie with a peer at that rate counts from 0.995 on.
"""
import sys
from typing import NamedTuple

from tables import COPY, MANY, ODD_FLOATS, Row, joined, sizes, write_pages

TIE, ROOF = 0.995, 0.985
MEMCPY, MEMSET, CUB, GEAM = "cudaMemcpyAsync.*", "cudaMemsetAsync.*", "cub.*", "cublas_geam"
LARGE = (127, 1 << 30)  # MiB moved: 64 MiB in and as much out


class Goal(NamedTuple):
    work: str
    wanted: str
    least: float  # of the ratio
    rival: object  # a pattern of names; with exponents of two for a reduction's sizes
    section: str
    pattern: str  # of the parameters
    ours: str = "wideload"
    mebibytes: tuple = (0, 1 << 30)
    roof: str = ""  # the copy that lets a case off


class Gap(NamedTuple):
    """A goal that is not reached, as (work, wanted): what had been, less the noise between runs; why."""

    reached: dict
    why: str


def reductions():
    for what, pattern, ours in (
            ("sums and extremes of up to 4 bytes", r"type=(?:i32|f32|f32;least|u8;greatest|f16;greatest);count=(\d+)", "wideload"),
            ("sums of doubles, the greatest of 8 bytes", r"type=(?:f64|[if]64;greatest);count=(\d+)", "wideload"),
            ("an operation of one's own, floats and pairs", r"type=(?:2x)?f32;own;count=(\d+)", "wideload"),
            ("the same in order", r"type=(?:2x)?f32;own;in_order;count=(\d+)", "wideload_in_order")):
        for span, low, high, least in (("2^16 to 2^20", 16, 20, 1.30), ("2^26 and more", 26, 33, TIE)):
            yield Goal(f"`reduce`, {what}, {span}", f"{max(least, 1):.2f} × CUB", least, ("cub", low, high), "reduce", pattern, ours)


OF_COPY = "{:.2f} of the copy".format
SQUARES = r"type=f32;1x(4096x4096|8192x8192|16384x16384|10000x10016)"
GOALS = [
    Goal("`copy`, aligned, 64 KiB to 16 MiB", "1.00 × cudaMemcpyAsync", TIE, MEMCPY, "copy", rf"bytes={sizes(16, 24)};from=0;to=0"),
    Goal("`copy`, aligned, 64 MiB and more", "1.00 × cudaMemcpyAsync", TIE, MEMCPY, "copy", rf"bytes={sizes(26, 33)};from=0;to=0"),
    Goal("`copy`, misaligned, 1 MiB and more", OF_COPY(0.97), 0.97, COPY, "copy", r"bytes=\d{7,};from=(?!0;to=0).*"),
    Goal("`copy`, one end misaligned by a byte", "1.10 × CUB", 1.10, CUB, "copy", r"bytes=\d{8,};from=(0;to=1|1;to=0)", roof=COPY),
    Goal("`transform`, 1 and 2 bytes", "1.20 × CUB", 1.20, "cub", "transform", r"type=u(8|16);bytes=\d+;from=.*", roof="copy"),
    Goal("`transform`, 4, 8 and 16 bytes", "1.03 × CUB", 1.03, "cub", "transform", r"type=(f32|f64|struct16);bytes=\d+;from=.*",
         roof="copy"),
    Goal("`transform`, 2 to 4 inputs of floats", "1.03 × CUB", 1.03, "cub", "transform", r"type=f32;inputs=[234];(from=1;)?count=\d+",
         roof="copy"),
    Goal("`transform`, 1 and 2 bytes to 4", "1.20 × CUB", 1.20, "cub", "transform", r"type=u\d+;inputs=1;count=\d+", roof="copy"),
    Goal("`fill`", "1.00 × cudaMemsetAsync", TIE, MEMSET, "fill", r".*"),
    Goal("`transform`, structs of 12 to 36 bytes, 64 MiB and more", OF_COPY(0.97), 0.97, "copy", "transform",
         r"type=struct(12|16|20|24|28|32|36);bytes=\d+;from=.*", mebibytes=LARGE),
    Goal("the same that begin at no words of 16 bytes", OF_COPY(0.97), 0.97, "copy", "transform", r"type=struct(16|32);bytes=\d+;past=4",
         mebibytes=LARGE),
    *(Goal(f"`interleave`, `deinterleave`, {what}", OF_COPY(0.96), 0.96, "copy", "interleave", rf"\w+;type=[\w ]+;{fields}.*", mebibytes=MANY)
      for what, fields in (("aligned", "fields="), ("misaligned, up to 8 arrays", r"misaligned=\d;fields=[2-8];"),
                           ("misaligned, 16 arrays", r"misaligned=\d;fields=16;"))),
    Goal("`strided_copy`, strides 1 to 8", "0.95 of the sectors' time", 0.95, "copy", "strided", r"stride=[1-8]"),
    Goal("`strided_copy`, strides 9 to 32", "0.95 of 64 bytes each", 0.95, "copy", "strided", r"stride=(9|[123]\d)"),
    Goal("the same, with `fetch_granularity`", "0.95 of the sectors' time", 0.95, "copy", "strided", r"stride=(9|[123]\d);fetch=32"),
    Goal("`transpose`, floats, 4096² and more", OF_COPY(0.95), 0.95, "copy", "transpose", SQUARES),
    Goal("`transpose`, floats, 4096² and more", "1.02 × cublasSgeam", 1.02, GEAM, "transpose", SQUARES, roof="copy"),
    Goal("`transpose`, floats, odd sides", OF_COPY(0.95), 0.95, "copy", "transpose", rf"type=f32;{ODD_FLOATS}"),
    Goal("`transpose`, floats, odd sides", "1.20 × cublasSgeam", 1.20, GEAM, "transpose", rf"type=f32;{ODD_FLOATS}", roof="copy"),
    Goal("`transpose_batched`, 64 × 512², 4096 × 64², 10⁶ × 4² floats", OF_COPY(0.90), 0.90, "copy", "transpose",
         r"type=f32;(64x512x512|4096x64x64|1000000x4x4)"),
    Goal("`transpose_in_place`, squares, whole words", OF_COPY(0.85), 0.85, "copy", "transpose", r"in_place;type=f(32|64);\d+[02468]x\d+"),
    Goal("`transpose_in_place`, 8191²", OF_COPY(0.85), 0.85, "copy", "transpose", r"in_place;type=f(32|64);8191x8191"),
    *reductions(),
]


def ratios_of(record, goal):
    """Of the goal's cases in a record, those that are not let off."""
    row = Row(goal.work, goal.section, goal.pattern, goal.ours, goal.mebibytes)
    ratios = list(record.ratios(row, goal.rival))
    roofs = list(record.ratios(row, goal.roof)) if goal.roof else [0] * len(ratios)
    if not ratios or len(roofs) != len(ratios):
        sys.exit(f"no case of {goal.work!r}, or one without a copy")
    return [ratio for ratio, roof in zip(ratios, roofs) if roof < ROOF]


PATTERNS = "the addresses alone reach {} ([notes](../../bench/library/NOTES.md))"
LARGEST = "above 2^19 alone, where memory takes the larger part of both times"
GAPS = {
    ("`transform`, 1 and 2 bytes", "1.20 × CUB"): Gap({"H200": 1.09}, "misaligned, 16 and 64 MiB, 0.98 to 0.99 of the copy from run to run"),
    ("`transform`, 1 and 2 bytes to 4", "1.20 × CUB"): Gap({"H200": 1.0, "H100": 0.995}, PATTERNS.format("0.956 and 0.969 of the copy")),
    ("`transform`, structs of 12 to 36 bytes, 64 MiB and more", OF_COPY(0.97)): Gap(
        {"H200": 0.96}, "12 and 36 bytes misaligned at 64 MiB, 0.965 to 0.970 from run to run"),
    ("`transform`, 4, 8 and 16 bytes", "1.03 × CUB"): Gap({"H200": 1.01}, "one input misaligned, 64 MiB, 0.983 to 0.986 of the copy from run to run"),
    ("the same that begin at no words of 16 bytes", OF_COPY(0.97)): Gap({"H200": 0.94}, "at 64 MiB, 0.98 at 1 GiB"),
    ("`interleave`, `deinterleave`, misaligned, up to 8 arrays", OF_COPY(0.96)): Gap({"H200": 0.94}, PATTERNS.format("0.956")),
    ("`interleave`, `deinterleave`, misaligned, 16 arrays", OF_COPY(0.96)): Gap({"H200": 0.925}, PATTERNS.format("0.939")),
    ("`strided_copy`, strides 9 to 32", "0.95 of 64 bytes each"): Gap({"H200": 0.89, "H100": 0.915}, "strides 28 and 32; 1.00 and more with `fetch_granularity`"),
    ("`transpose`, floats, 4096² and more", "1.02 × cublasSgeam"): Gap({"H100": 1.0}, "8192² and 16384², 0.96 of the copy"),
    ("`transpose`, floats, odd sides", OF_COPY(0.95)): Gap({"H200": 0.91, "H100": 0.92}, PATTERNS.format("0.94 to 0.954")),
    ("`transpose`, floats, odd sides", "1.20 × cublasSgeam"): Gap({"H200": 1.10, "H100": 1.03}, "as above"),
    ("`transpose_in_place`, 8191²", OF_COPY(0.85)): Gap({"H200": 0.795}, PATTERNS.format("0.836")),
    ("`reduce`, sums of doubles, the greatest of 8 bytes, 2^16 to 2^20", "1.30 × CUB"): Gap({"H100": 1.22}, LARGEST),
    ("`reduce`, an operation of one's own, floats and pairs, 2^16 to 2^20", "1.30 × CUB"): Gap({"H200": 1.25, "H100": 1.19}, LARGEST),
    ("`reduce`, the same in order, 2^16 to 2^20", "1.30 × CUB"): Gap({"H200": 1.15, "H100": 1.12}, LARGEST),
    ("`reduce`, the same in order, 2^26 and more", "1.00 × CUB"): Gap({"H100": 0.98}, "1 % at 2^26 pairs, not explained"),
}


def markdown(records):
    """The page's table; ends the script where something falls short."""
    lines = [["work", "wanted"] + [f"least, {gpu}" for gpu in records] + ["what is missing"], ["---"] * (3 + len(records))]
    short = []
    for goal in GOALS:
        gap = GAPS.get((goal.work, goal.wanted))
        cells = []
        for gpu, record in records.items():
            least = min(ratios_of(record, goal), default=None)
            if least is None:
                cells.append("at the copy's rate")
                continue
            cells.append(f"{least:.3f}" if least >= goal.least else f"**{least:.3f}**")
            wanted = gap.reached.get(gpu, goal.least) if gap else goal.least
            if least < wanted:
                short.append(f"{goal.work} on the {gpu}: {least:.3f} where {wanted} was to be reached")
        missed = any(cell.startswith("*") for cell in cells)
        lines.append([goal.work, goal.wanted] + cells + [gap.why if gap and missed else ""])
    unknown = set(GAPS) - {(goal.work, goal.wanted) for goal in GOALS}
    if short or unknown:
        sys.exit("\n".join(short + [f"a gap of no goal: {work}, {wanted}" for work, wanted in unknown]))
    return joined(lines)


if __name__ == "__main__":
    write_pages(__doc__, {"goals": markdown})

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the tables of measured ratios into the pages of docs/library.

    tables.py docs/results docs/library           writes them
    tables.py docs/results docs/library --check   fails where a page does not say what the records give

A table stands between `<!-- table: name -->` and `<!-- end of table -->`. Each of its cells is the range of a ratio of times,
a rival's over the library's, over all cases of a row: 0.97 is 3 % slower than the rival, 1.20 a fifth faster.
"""
import argparse
import functools
import pathlib
import re
import sys
from collections import defaultdict
from typing import NamedTuple

from summarise import copy_roof, read

RECORDS = {"H200": "library_h200.csv", "H100": "library_h100.csv"}
COPY = "~"  # the best copy of as many bytes, interpolated from section `copy`


class Row(NamedTuple):
    label: str
    section: str
    pattern: str  # of the parameters
    ours: str = "wideload"
    mebibytes: tuple = (0, 1 << 30)  # moved, from and below


class Table(NamedTuple):
    what: str  # the heading of the rows
    rivals: dict  # headings and names
    rows: list


def sizes(least, most):
    """A pattern for the powers of two from 2^least to 2^most, and for nothing else."""
    return "(" + "|".join(str(1 << power) for power in range(least, most + 1)) + ")"


SMALL, LARGE = sizes(12, 24), sizes(25, 33)
MANY = (500, 1 << 30)
ODD_FLOATS = r"1x(8191x4099|4099x8191|16383x16385|10007x10009|8192x4099|8191x4096)"

TABLES = {
    "copy": Table("copy", {"of the aligned copy": COPY, "× cudaMemcpyAsync": "cudaMemcpyAsync.*", "× CUB": "cub.*"}, [
        Row("both ends aligned, up to 16 MiB", "copy", rf"bytes={SMALL};from=0;to=0"),
        Row("both ends aligned, from 32 MiB on", "copy", rf"bytes={LARGE};from=0;to=0"),
        Row("ends apart by 1 byte or an odd number, 1 MiB", "copy", r"bytes=1048576;from=(0;to=1|1;to=0|15;to=2)"),
        Row("ends apart by 1 byte or an odd number, 64 MiB and 1 GiB", "copy", r"bytes=(67108864|1073741824);from=(0;to=1|1;to=0|15;to=2)"),
        Row("apart by 2, 4, 8 or 10 bytes, 1 MiB", "copy", r"bytes=1048576;from=([248];to=0|0;to=[24]|3;to=13)"),
        Row("apart by 2, 4, 8 or 10 bytes, 64 MiB and 1 GiB", "copy", r"bytes=(67108864|1073741824);from=([248];to=0|0;to=[24]|3;to=13)"),
        Row("neither aligned, not apart", "copy", r"bytes=\d+;from=(1;to=1|16;to=0)"),
    ]),
    "fill": Table("fill", {"× cudaMemsetAsync": "cudaMemsetAsync.*"}, [
        Row(f"values of {size} byte{'s' * (size > 1)}, {label}", "fill", rf"bytes={span};to=[01]",
            "wideload" if size == 1 else f"wideload;value={size}")
        for size in (1, 4, 12, 36) for label, span in (("up to 16 MiB", SMALL), ("from 64 MiB on", LARGE))
    ]),
    "transform": Table("transform, 1 MiB to 1 GiB", {"of the copy": "copy", "× CUB": "cub"}, [
        Row("1 and 2 bytes", "transform", r"type=(u8|u16);bytes=\d+;from=0;to=0"),
        Row("4, 8 and 16 bytes", "transform", r"type=(f32|f64|struct16);bytes=\d+;from=0;to=0"),
        Row("structs of 12, 20, 24, 28, 32 and 36 bytes", "transform", r"type=struct(12|20|24|28|32|36);bytes=\d+;from=0;to=0"),
        Row("1 to 8 bytes, one end misaligned", "transform", r"type=(u8|u16|f32|f64);bytes=\d+;from=(0;to=1|1;to=0)"),
        Row("structs, one end misaligned", "transform", r"type=struct\d+;bytes=\d+;from=(0;to=1|1;to=0)"),
        Row("structs of 16 to 128 bytes that begin at no words of 16 bytes, of 37 and 128 anywhere", "transform", r"type=(struct|packed)\d+;bytes=\d+;past=\d"),
        Row("2, 3 and 4 inputs of floats", "transform", r"type=f32;inputs=[234];count=\d+"),
        Row("2, 3 and 4 inputs, one of them misaligned", "transform", r"type=f32;inputs=[234];from=1;count=\d+"),
        Row("8 to 32 bits, 16 to 32, 64 to 32", "transform", r"type=\w+;inputs=1;count=\d+"),
        Row("8 to 32 bits, 16 to 32, 64 to 32, misaligned", "transform", r"type=\w+;inputs=1;from=1;count=\d+"),
    ]),
    "transpose": Table("one matrix", {"of the copy": "copy", "× cublasSgeam, Dgeam": "cublas_geam"}, [
        Row("floats, 4096² to 16384²", "transpose", r"type=f32;1x(4096x4096|8192x8192|16384x16384|10000x10016)"),
        Row("floats, odd, 8191 × 4099 to 16383 × 16385", "transpose", rf"type=f32;{ODD_FLOATS}"),
        Row("doubles, 4096² to 16384²", "transpose", r"type=f64;1x(4096x4096|8192x8192|16384x16384)"),
        Row("doubles, odd, 8191 × 4099 to 16383 × 16385", "transpose", rf"type=f64;{ODD_FLOATS}"),
        Row("1 byte, 8192²", "transpose", r"type=u8;1x8192x8192"),
        Row("1 byte, 8191 × 8195", "transpose", r"type=u8;1x8191x8195"),
        Row("2 bytes, 8192²", "transpose", r"type=u16;1x8192x8192"),
        Row("2 bytes, 8191 × 8195", "transpose", r"type=u16;1x8191x8195"),
        Row("16 bytes, 8192² and 8191 × 8195", "transpose", r"type=u128;1x\d+x\d+"),
        Row("12 bytes, 8192² and 8191 × 8195", "transpose", r"type=float3;1x\d+x\d+"),
        Row("3 bytes, 1080 × 1920", "transpose", r"type=3_bytes;1x1080x1920"),
        Row("3 bytes, 4096², 8191 × 8195, 100,000 × 100", "transpose", r"type=3_bytes;1x(4096|8191|100000)x\d+"),
        Row("5, 7, 9 and 13 bytes, 1080 × 1920", "transpose", r"type=(5|7|9|13)_bytes;1x1080x1920"),
        Row("5, 7, 9 and 13 bytes, 4096², 8191 × 8195, 100,000 × 100", "transpose",
            r"type=(5|7|9|13)_bytes;1x(4096|8191|100000)x\d+"),
        Row("6 and 10 bytes, 4096², 8191 × 8195, 100,000 × 100", "transpose", r"type=(6|10)_bytes;1x(4096|8191|100000)x\d+"),
        Row("floats, 100,000 rows and more", "transpose", r"type=f32;1x1\d{5,6}x1\d{2,3}"),
        Row("1 byte, 100,000 rows and more", "transpose", r"type=u8;1x1\d{5,6}x1\d{2,3}"),
        Row("2 bytes, 100,000 rows and more", "transpose", r"type=u16;1x1\d{5,6}x1\d{2,3}"),
        *(Row(f"{label} rows or columns of 16 and 64 MiB", "transpose", rf"type=long_{kind};1x\d+x\d+")
          for label, kind in (("1 byte, 65 and 129", "u8"), ("2 bytes, 65 and 129", "u16"), ("floats, 50 and 65", "f32"),
                              ("16 bytes, 10 and 20", "u128"), ("3, 5 and 6 bytes, 33 and 43", "(3|5|6)_bytes"),
                              ("20 and 25 bytes, 10 and 17", "(20|25)_bytes"))),
        *(Row(f"{label}, odd, 101 to 2,001 rows", "transpose", rf"type={kind};1x(101|251|501|1001|1501|2001)x\d+")
          for kind, label in (("u8", "1 byte"), ("u16", "2 bytes"), ("f32", "floats"), ("f64", "doubles"))),
        *(Row(f"{label}, rows of whole words of 8 bytes, 2 to 68 MB", "transpose", rf"type=words_{kind};1x(1080|2056|4104|8200|540|1028|2052|4100|514|1026|2050)x\d+")
          for kind, label in (("u8", "1 byte"), ("u16", "2 bytes"), ("f32", "floats"))),
        *(Row(f"{label}, 256² to 2000², whole words", "transpose", rf"type={kind};1x(256|512|1000|1024|2000|2048)x\1")
          for kind, label in (("u8", "1 byte"), ("u16", "2 bytes"), ("f32", "floats"), ("f64", "doubles"))),
    ]),
    "transpose_batched": Table("batch", {"of the copy": "copy"}, [
        Row("floats, 64 × 512², 4096 × 64², 10⁶ and 16 · 10⁶ × 4²", "transpose",
            r"type=f32;(64x512x512|4096x64x64|16?000000x4x4)"),
        Row("4 bytes and more, 64 MB and more, 3² to 32²", "transpose",
            r"type=(f32|f64|float3);\d{6,}x(3x3|4x4|6x6|8x8|12x12|16x16|31x31|32x32|3x100)"),
        Row("3, 5, 7, 9 and 13 bytes, 64 × 224²", "transpose", r"type=(3|5|7|9|13)_bytes;64x224x224"),
        Row("3, 5, 6, 7, 9, 10 and 13 bytes, 20,000 and more, 5² to 28²", "transpose",
            r"type=(3|5|6|7|9|10|13)_bytes;\d{5,6}x(5x5|13x7|17x19|28x28)"),
        Row("the same bytes, 1,000 × 17 × 19", "transpose", r"type=(3|5|6|7|9|10|13)_bytes;1000x17x19"),
        Row("the same bytes, 2,000 of 5 to 13 rows or columns", "transpose", r"type=(3|5|6|7|9|10|13)_bytes;2000x\d+x\d+"),
        Row("1 and 2 bytes, 4000000 × 16², 8000000 × 7 × 9", "transpose", r"type=(u8;4000000x16x16|u16;8000000x7x9)"),
        Row("1 byte, 16000000 × 5²", "transpose", r"type=u8;16000000x5x5"),
        *(Row(f"{label}, rows of whole words of 8 bytes, 128 MiB", "transpose", rf"type=words_{kind};\d{{2,}}x\d+x\d+")
          for kind, label in (("u8", "1 byte"), ("u16", "2 bytes"), ("f32", "floats"))),
        *(Row(f"{label}, {long} × 2 to 5 and 24, 4 and 128 MiB", "transpose", rf"type=few_{kind};\d+x({either}x\d+|\d+x{either})")
          for kind, label in (("u8", "1 byte"), ("u16", "2 bytes"))
          for long, either in (("196 and 400", "(?:196|400)"), ("784 and 1024", "(?:784|1024)"))),
        *(Row(f"{label}, odd sides of 9 to 183, 0.1 to 70 MB", "transpose",
              rf"type={kind};(1000x9x9|300x17x17|1000x33x35|4000x31x31|50x63x65|1000x63x65|500x91x93|512x129x131|200x181x183)")
          for kind, label in (("u8", "1 byte"), ("u16", "2 bytes"), ("f32", "floats"), ("f64", "doubles"))),
        *(Row(f"{label}, few rows or columns, whole words", "transpose",
              rf"type={kind};32x(\d{{3,}}[02468]x\d{{1,2}}|\d{{1,2}}x\d{{3,}}[02468])")
          for kind, label in (("u8", "1 byte"), ("u16", "2 bytes"), ("f32", "floats"))),
        *(Row(f"{label}, {count} rows or columns of odd length", "transpose",
              rf"type={kind};32x(\d{{3,}}[13579]x{across}|{across}x\d{{3,}}[13579])")
          for kind, label in (("u8", "1 byte"), ("u16", "2 bytes"), ("f32", "floats"))
          for count, across in (("2, 3 or 4", "[234]"), ("5 to 64", r"([5-9]|\d{2})"))),
    ]),
    "transpose_in_place": Table("in place", {"of the copy": "copy", "of out of place and copy back": "out_of_place_and_copy_back"}, [
        Row("squares of floats, 4096² to 16384²", "transpose", r"in_place;type=f32;\d+[02468]x\d+"),
        Row("squares of doubles, 4096² to 16384²", "transpose", r"in_place;type=f64;\d+[02468]x\d+"),
        Row("a square of floats, 8191²", "transpose", r"in_place;type=f32;8191x8191"),
        Row("a square of doubles, 8191²", "transpose", r"in_place;type=f64;8191x8191"),
        Row("a square of 1 byte, 8191²", "transpose", r"in_place;type=u8;8191x8191"),
        Row("a square of 2 bytes, 8191²", "transpose", r"in_place;type=u16;8191x8191"),
        *(Row(f"an odd square of 101 to 2,001 rows, {label}", "transpose", rf"in_place;type={kind};[125]\d*1x\d+")
          for kind, label in (("u8", "1 byte"), ("u16", "2 bytes"), ("f32", "floats"), ("f64", "doubles"))),
        Row("many small ones, 4 and 8 bytes, 3² to 31 × 30", "transpose", r"batch_in_place;type=f(32|64);\d{6,}x\d+x\d+"),
        *(Row(f"1,000 squares of 17 to 90 rows, {label}", "transpose", rf"batch_in_place;type={kind};1000x\d+x\d+")
          for kind, label in (("u8", "1 byte"), ("u16", "2 bytes"), ("f32", "floats"), ("f64", "doubles"))),
        Row("one rectangle of up to 10 MiB", "transpose", r"rectangle_in_place;type=f(32|64);(1000x1200|300x200)"),
        Row("one rectangle of 16 MiB and more, whole words", "transpose",
            r"rectangle_in_place;type=(f(32|64);(2000x3000|4096x8192|8192x4096|16384x16640)|u(8|16);(4096x8192|16384x16640))"),
        Row("one rectangle of more than 32 MiB, 4 and 8 bytes, odd columns", "transpose",
            r"rectangle_in_place;type=f(32|64);(4099x8191|8191x4099|1000x100003|1009x100003|16383x16385)"),
        Row("the same, even columns", "transpose", r"rectangle_in_place;type=f(32|64);(4099x8192|8190x4098|50257x768)"),
        Row("one rectangle of more than 32 MiB, 2 bytes, odd columns", "transpose",
            r"rectangle_in_place;type=u16;(4099x8191|8192x8191|16383x16385)"),
        Row("the same, even columns", "transpose", r"rectangle_in_place;type=u16;(8199x8200|8198x8190|50257x1024)"),
        Row("one rectangle of more than 32 MiB, 1 byte, odd columns", "transpose",
            r"rectangle_in_place;type=u8;(4099x8191|8192x8191|16383x16385)"),
        Row("the same, even columns", "transpose", r"rectangle_in_place;type=u8;(8199x8200|8198x8190|50257x1024)"),
    ]),
    "interleave": Table("structs and arrays", {"of the copy": "copy"}, [
        *(Row(f"{way} {fields}, 1, 2 or 4 bytes each, aligned", "interleave", rf"{section};type=(u8|u16|f32);fields={number};.*",
              mebibytes=MANY)
          for section, way in (("split", "into"), ("join", "from")) for fields, number in (("2 to 8", "[2-8]"), ("16", "16"))),
        Row("8 bytes each, 2 to 16 fields, aligned", "interleave", r"\w+;type=f64;fields.*", mebibytes=MANY),
        Row("6, 12, 20, 32 and 48 bytes each, aligned", "interleave", r"\w+;type=(ushort3|float3|\d\d bytes);.*", mebibytes=MANY),
        Row("7 bytes each, 8 fields", "interleave", r"\w+;type=7 bytes;fields=8;.*", mebibytes=MANY),
        Row("misaligned, up to 8 fields", "interleave", r"\w+;type=\w+;misaligned=\d;fields=[2-8];.*", mebibytes=MANY),
        Row("misaligned, 9 to 13 fields", "interleave", r"\w+;type=\w+;misaligned=\d;fields=(9|1[023]);.*", mebibytes=MANY),
        Row("misaligned, 16 fields", "interleave", r"\w+;type=\w+;misaligned=\d;fields=16;.*", mebibytes=MANY),
        *(Row(f"{label}, {few} to {2 * few} MiB of structs", "interleave", rf"\w+;type=\w+;{pattern}.*",
              mebibytes=(2 * few - 1, 4 * few + 1))
          for label, pattern in (("aligned", "fields"), ("misaligned", "misaligned")) for few in (1, 4, 16)),
    ]),
    "reduce": Table("× `cub::DeviceReduce`", {
        "2^16 to 2^18": ("cub", 16, 18), "2^19 and 2^20": ("cub", 19, 20), "2^26 to 2^30 elements": ("cub", 26, 30)}, [
        Row("sums of 32-bit integers", "reduce", r"type=i32;count=(\d+)"),
        Row("sums of floats", "reduce", r"type=f32;count=(\d+)"),
        Row("sums of doubles", "reduce", r"type=f64;count=(\d+)"),
        Row("`reduce_atomic`, sums of integers", "reduce", r"type=i32;count=(\d+)", "wideload;atomic"),
        Row("`reduce_atomic`, sums of floats", "reduce", r"type=f32;count=(\d+)", "wideload;atomic"),
        Row("`reduce_atomic`, sums of doubles", "reduce", r"type=f64;count=(\d+)", "wideload;atomic"),
        Row("the least or greatest, up to 4 bytes", "reduce", r"type=(?:f32;least|u8;greatest|f16;greatest);count=(\d+)"),
        Row("the greatest, 8 bytes", "reduce", r"type=[if]64;greatest;count=(\d+)"),
        Row("products and bits", "reduce", r"type=u(?:32|64);(?:product|xor|or);count=(\d+)"),
        Row("one's own that commutes, floats", "reduce", r"type=f32;own;count=(\d+)"),
        Row("one's own that commutes, pairs of floats", "reduce", r"type=2xf32;own;count=(\d+)"),
        Row("one's own in order, floats", "reduce", r"type=f32;own;in_order;count=(\d+)", "wideload_in_order"),
        Row("one's own in order, pairs of floats", "reduce", r"type=2xf32;own;in_order;count=(\d+)", "wideload_in_order"),
    ]),
    "reduce_structs": Table("elements that are no whole words, or begin at none", {
        "of a reduction of integers": "reduce_of_as_much", "× CUB": "cub"}, [
        Row(f"{label}{order}, {sizes_of}", "reduce_structs", rf"type={kind};bytes=({size})", name)
        for label, kind in (("structs of 3 to 64 bytes", r"(3_of_[148]|5_of_4|8_of_4|9_of_4|16_of_4);from=0"),
                            ("structs of many parts, 13 to 164 bytes", r"(?:(?:13|17|25|33|48|63)_of_1|(?:15|41)_of_2|(?:18|41)_of_4);from=0"),
                            ("misaligned, 2 to 32 bytes", r"\d_of_\d;from=[14]"))
        for name, order in (("wideload", ""), ("wideload_in_order", ", in order"))
        for sizes_of, size in (("1 and 4 MiB", "1048576|4194304"), ("1.5, 3 and 6 MiB", "1572864|3145728|6291456"), ("16 MiB", "16777216"), ("128 and 512 MiB", "134217728|536870912"))
    ]),
    "matrix_reduce": Table("matrices of 32-bit integers", {
        "of one reduction of as many bytes": "reduce_of_as_much", "× CUB's segments": "cub"}, [
        Row("rows, from 400 MB on", "matrix_reduce", r"rows;type=i32;.*", mebibytes=(380, 1 << 30)),
        Row("columns, from 400 MB on", "matrix_reduce", r"columns;type=i32;.*", mebibytes=(380, 1 << 30)),
        Row("rows, 4 to 64 MiB", "matrix_reduce", r"rows;type=i32;.*", mebibytes=(3, 100)),
        *(Row(f"rows of 128 to 1,604 bytes, {label}, 16 and 128 MiB{order}", "matrix_reduce", rf"odd_rows;type=short_i32;.*x({columns})", name)
          for label, columns in (("whole words", "32|64|100|208|400"), ("odd", "101|209|257|401"))
          for name, order in (("wideload", ""), ("wideload_in_order", ", in order"))),
        *(Row(f"{way} of {label}, 16 MiB and more{order}", "matrix_reduce", rf"odd_{way};type={kind};.*", name, mebibytes=(16, 1 << 30))
          for way in ("rows", "columns")
          for label, kind in (("3-byte structs", "3_bytes"), ("misaligned elements", "i32"), ("three integers", "3_of_4"))
          if way == "columns" or kind != "3_of_4"
          for name, order in (("wideload", ""), ("wideload_in_order", ", in order"))),
        *(Row(f"{way} of {label}, 16 MiB and more", "matrix_reduce", rf"narrow_{way};type={kind};.*", mebibytes=(14, 1 << 30))
          for way in ("rows", "columns") for label, kind in (("bytes", "u8"), ("halves", "u16"))),
        *(Row(f"rows of 16 to 500 {label}, 256 MiB{order}", "matrix_reduce", rf"narrow_rows;type=short_{kind};.*", name)
          for label, kind in (("bytes", "u8"), ("halves", "u16"))
          for name, order in (("wideload", ""), ("wideload_in_order", ", in order"))),
        *(Row(f"3 to 5,001 columns of {label}, 32 and 256 MiB{order}", "matrix_reduce",
              rf"(odd|narrow)_columns;type=thin_{kind};.*", name)
          for label, kind in (("bytes", "u8"), ("halves", "u16"), ("integers", "i32"))
          for name, order in (("wideload", ""), ("wideload_in_order", ", in order"))),
    ]),
    "strided": Table("every n-th float", {"of the copy of what it moves at least": "copy"}, [
        Row("n of 1 to 8, whole sectors", "strided", r"stride=[1-8]"),
        Row("9 to 16, 64 bytes an element", "strided", r"stride=(9|1[0-6])"),
        Row("17 to 32, 64 bytes an element", "strided", r"stride=(1[7-9]|2\d|3[0-2])"),
        Row("9 to 32, L2 fetching 32 bytes", "strided", r"stride=(9|[123]\d);fetch=32"),
    ]),
    "gather": Table("by index", {"× thrust": "thrust"}, [
        Row(f"{way}, {label}", way, rf"{order};count=\d+") for way in ("gather", "scatter")
        for label, order in (("floats in order", "in_order"), ("floats at random", "random"),
                             ("structs in order", r"type=struct\d+;in_order"), ("structs at random", r"type=struct\d+;random"))
    ]),
    "copy_rows": Table("rows that lie apart", {"of the copy": "copy", "× cudaMemcpy2DAsync": "cudaMemcpy2DAsync"}, [
        Row(f"{label}, {size}", "copy_rows", rf"type={pattern};pitch=\d+/\d+", mebibytes=mebibytes)
        for label, pattern in (("256 bytes to 64 KiB, whole words", r"f32;\d+x(64|256|1024|4096|16384)"),
                               ("252 and 1,020 bytes, in words of 4", r"f32;\d+x(63|255)"),
                               ("4,092 bytes and more, in words of 4", r"f32;\d+x(1023|4095|16383)"),
                               ("63 and 255 bytes", r"u8;\d+x(63|255)"), ("1,023 bytes", r"u8;\d+x1023"),
                               ("4,095 and 16,383 bytes", r"u8;\d+x(4095|16383)"))
        for size, mebibytes in (("2 and 32 MiB moved", (0, 60)), ("512 MiB", (60, 1 << 30)))
    ]),
    "reduce_pitched": Table("16 and 256 MiB of 32-bit integers", {"of a dense matrix": "dense", "× CUB": "cub"}, [
        Row(label, "reduce_pitched", rf"{way};type=i32;\d+x{columns};pitch={pitch}")
        for way in ("rows", "columns")
        for label, columns, pitch in (
            (f"{way} of a matrix of 12 columns, 16 and 17 apart", "12", "1[67]"), (f"{way} of 12 columns, 44 apart", "12", "44"),
            (f"{way} of 64 columns", "64", r"\d+"),
            (f"{way} of 256 to 16,384 columns, whole words", r"\d{3,}", "(288|1056|4128|16416)"),
            (f"{way} of 256 to 16,384 columns, rows anywhere", r"\d{3,}", "(261|1029|4101|16389)"))
    ]),
    "transpose_pitched": Table("part of a matrix", {"of the copy": "copy", "× cublasSgeam, Dgeam": "cublas_geam"}, [
        Row(f"{label}, {where}", "transpose_pitched", rf"type={kind};\d{{4}}x\d+;pitch={pitch}/\d+")
        for label, kind in (("1 byte", "u8"), ("2 bytes", "u16"), ("floats", "f32"), ("doubles", "f64"), ("3 bytes", "3"),
                            ("12 bytes", "12"))
        for where, pitch in (("1024², rows at words", "(1040|1152)"), ("1023 × 1021, rows anywhere", "1029"),
                             ("4096² and 8192², rows at words", "(4112|4224|8208|8320)"),
                             ("4095 × 4093 and 8191 × 8189, rows anywhere", "(4101|8197)"))
    ]),
    "rows": Table("rows at random", {"of the copy": "copy", "× CUB": "cub", "× PyTorch": "torch"}, [
        Row(f"{way} of {label}, {size}", "rows", rf"{way};rows=\d+;bytes=({bytes});past={past}", mebibytes=mebibytes)
        for way in ("gather", "scatter")
        for label, bytes, past in (("64 bytes", "64", 0), ("128 bytes", "128", 0), ("256 bytes to 16 KiB", "256|512|1024|4096|16384", 0),
                                   ("200 to 1,200, in words", "200|404|1200", 0), ("202 to 8,194, even", "202|602|2002|8194", 0),
                                   ("301 and 1,003", "301|1003", 0), ("512, misaligned", "512", 1))
        for size, mebibytes in (("1 and 16 MiB", (0, 60)), ("256 MiB", (60, 1 << 30)))
    ]),
}


class Record:
    """The cases of one run."""

    def __init__(self, path):
        rows = read(path)
        self.copy_roof = copy_roof(rows)
        self.cases = defaultdict(dict)  # by section and parameters: microseconds and bytes by name
        for row in rows:
            self.cases[row["section"], row["parameters"]][row["name"]] = row["median_us"], row["bytes"]

    def ratios(self, row, rival):
        """A rival's time over the library's, in every case of a row that has both."""
        name, *span = rival if isinstance(rival, tuple) else (rival,)
        for (section, parameters), times in self.cases.items():
            match = re.fullmatch(row.pattern, parameters)
            if section != row.section or not match or row.ours not in times:
                continue
            own, moved = times[row.ours]
            if not row.mebibytes[0] <= moved / (1 << 20) < row.mebibytes[1]:
                continue
            if span and not 1 << span[0] <= int(match[1]) <= 1 << span[1]:
                continue
            theirs = [us for other, (us, _) in times.items() if re.fullmatch(name, other)]
            if name == COPY:
                theirs = [self.copy_roof(moved)]
            if theirs:
                yield min(theirs) / own

    def cell(self, row, rival):
        """Two digits of what is a fraction of a bound or up to ten times; empty without a case."""
        found = list(self.ratios(row, rival))
        if not found:
            return ""
        show = lambda ratio: f"{ratio:.2f}" if ratio < 9.995 else f"{ratio:.0f}"
        low, high = show(min(found)), show(max(found))
        return low if low == high else f"{low} to {high}"


def joined(lines):
    """A table's lines as text."""
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def markdown(table, records):
    rivals = [(heading, rival) for heading, rival in table.rivals.items()]
    head = [table.what] + [f"{heading}, {gpu}" for heading, _ in rivals for gpu in records]
    lines = [head, ["---"] * len(head)]
    for row in table.rows:
        cells = [record.cell(row, rival) for _, rival in rivals for record in records.values()]
        if not any(cells):
            sys.exit(f"no rows for {row.label!r} of {table.what!r}")
        lines.append([row.label] + cells)
    return joined(lines)


def write_pages(description, texts):
    """A script's main: writes tables into the pages, or checks them.

    texts -- by a table's name, what gives its text from the records by GPU
    """
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", type=pathlib.Path, help="where the records are")
    parser.add_argument("folder", type=pathlib.Path, help="where the pages are")
    parser.add_argument("--check", action="store_true", help="write nothing; fail where a page is not what the records give")
    options = parser.parse_args()
    records = {gpu: Record(options.results / name) for gpu, name in RECORDS.items()}
    missing, stale = set(texts), []
    for page in sorted(options.folder.glob("*.md")):
        text = page.read_text()

        def written(match):
            if match[1] not in texts:
                return match[0]
            missing.discard(match[1])
            return f"<!-- table: {match[1]} -->\n{texts[match[1]](records)}<!-- end of table -->"

        new = re.sub(r"<!-- table: (\w+) -->\n.*?<!-- end of table -->", written, text, flags=re.S)
        if new != text:
            stale.append(str(page))
            if not options.check:
                page.write_text(new)
    if missing:
        sys.exit(f"on no page: {', '.join(sorted(missing))}")
    if options.check and stale:
        script = pathlib.Path(sys.argv[0]).name
        sys.exit(f"not what the records give: {', '.join(stale)}; run bench/library/{script} {options.results} {options.folder}")


if __name__ == "__main__":
    write_pages(__doc__, {name: functools.partial(markdown, table) for name, table in TABLES.items()})

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints, for each measured case, the library's time against the best copy and the best peer, and the GPU's clock meanwhile.

    summarise.py docs/results/library_h200.csv reduce transpose

Rows of one section and one parameter set are a case, whose kernels took turns. `wideload...` are the library's, ROOFS what
bounds them, all others peers; a peer's variants (`name;direct`) count as one peer, at its best. A case without a roof is
held against the best copy at equal bytes, interpolated from section `copy` (marked ~).
"""
import argparse
import csv
from collections import defaultdict


ROOFS = ("copy", "float4_copy", "reduce_of_as_much", "plain_loads")


def read(path):
    with open(path, newline="") as file:
        lines = [line for line in file if not line.startswith("#")]
    return [dict(row, bytes=int(row["bytes"]), median_us=float(row["median_us"])) for row in csv.DictReader(lines)]


def copy_roof(rows):
    """Best time per byte count of aligned copies, as a function of bytes."""
    best = {}
    for row in rows:
        if row["section"] == "copy" and "from=0;to=0" in row["parameters"]:
            best[row["bytes"]] = min(row["median_us"], best.get(row["bytes"], 1e30))
    points = sorted(best.items())

    def roof(moved):
        if not points:
            return None
        for (low, low_us), (high, high_us) in zip(points, points[1:]):
            if low <= moved <= high:
                return low_us + (high_us - low_us) * (moved - low) / (high - low)
        low, low_us = points[0] if moved < points[0][0] else points[-1]
        return low_us * moved / low

    return roof


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("csv", help="what bench/library/run.sh measured")
    parser.add_argument("section", nargs="*", help="only these; all without")
    options = parser.parse_args()
    rows, wanted = read(options.csv), set(options.section)
    roof = copy_roof(rows)
    cases = defaultdict(list)
    for row in rows:
        if row["section"].endswith("_tuning") or (wanted and row["section"] not in wanted):
            continue
        cases[row["section"], row["parameters"]].append(row)
    print(f"{'section':10} {'case':46} {'us':>9} {'GB/s':>7} {'/roof':>7} {'/peer':>6} {'MHz':>5}  best peer")
    for (section, parameters), case in cases.items():
        ours = [row for row in case if row["name"].startswith("wideload")]
        bounds = [row["median_us"] for row in case if row["name"] in ROOFS]
        peers = [row for row in case if row not in ours and row["name"] not in ROOFS]
        peer = min(peers, key=lambda row: row["median_us"], default=None)
        for row in ours:
            us = row["median_us"]
            limit = min(bounds, default=None) or roof(row["bytes"])
            variant = row["name"][len("wideload"):]
            print(f"{section:10} {(parameters + variant)[:46]:46} {us:9.2f} {row['bytes'] / us / 1000:7.0f} "
                  f"{limit / us if limit else 0:6.3f}{' ' if bounds else '~'} {peer['median_us'] / us if peer else 0:6.3f} "
                  f"{row.get('sm_mhz') or '':>5}  {peer['name'] if peer else ''}{'' if row['ok'] == '1' else '  WRONG'}")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints, for each measured case, the library's time against the best peer and the best copy of the run.

    summarise.py docs/results/library_h200.csv reduce transpose

Rows of one section and one parameter set are a case. `wideload...` are the library's; all others are peers; a peer's
variants (`name;direct`) count as one peer, at its best. The best copy at equal bytes is interpolated from section `copy`.
"""
import argparse
import csv
from collections import defaultdict


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
    print(f"{'section':10} {'case':46} {'us':>9} {'GB/s':>7} {'/copy':>6} {'/peer':>6} best peer")
    for (section, parameters), case in cases.items():
        ours = [row for row in case if row["name"].startswith("wideload")]
        peers = [row for row in case if not row["name"].startswith("wideload")]
        peer = min(peers, key=lambda row: row["median_us"], default=None)
        for row in ours:
            us = row["median_us"]
            limit = roof(row["bytes"])
            variant = row["name"][len("wideload"):]
            print(f"{section:10} {(parameters + variant)[:46]:46} {us:9.2f} {row['bytes'] / us / 1000:7.0f} "
                  f"{limit / us if limit else 0:6.3f} {peer['median_us'] / us if peer else 0:6.3f} "
                  f"{peer['name'] if peer else ''}{'' if row['ok'] == '1' else '  WRONG'}")


if __name__ == "__main__":
    main()

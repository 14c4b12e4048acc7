#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints the best shapes of each tuning sweep."""
import argparse
from collections import defaultdict

from summarise import read


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("csv", help="what a tuning program of bench/library measured")
    parser.add_argument("count", type=int, nargs="?", default=4, help="shapes of each sweep (4)")
    options = parser.parse_args()
    count = options.count
    cases = defaultdict(list)
    for row in read(options.csv):
        if row["section"].endswith("_tuning"):
            cases[row["section"], row["parameters"]].append(row)
    for (section, parameters), case in cases.items():
        case.sort(key=lambda row: row["median_us"])
        peers = [row for row in case if row["name"].startswith("cu")]
        for row in case[:count] + [row for row in peers if row not in case[:count]]:
            print(f"{section:16} {parameters:26} {row['median_us']:9.2f} us {row['bytes'] / row['median_us'] / 1000:7.0f} GB/s"
                  f" {row['name']}")


if __name__ == "__main__":
    main()

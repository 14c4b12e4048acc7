#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds the whole lab on the virtual GPU to three minutes, by what the experiments' tests took for it: duration.py RECORD..."""
import pathlib
import sys

MOST_SECONDS = 180


def main():
    seconds = {pathlib.Path(record).stem: float(pathlib.Path(record).with_suffix(".seconds").read_text()) for record in sys.argv[1:]}
    total = sum(seconds.values())
    longest = max(seconds, key=seconds.get)
    print("%d experiments took %.1f s, the longest, %s, %.1f s" % (len(seconds), total, longest, seconds[longest]))
    if total > MOST_SECONDS:
        sys.exit("more than %d s" % MOST_SECONDS)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Copies the first cuda block of a page of the documentation, so that it is compiled: template.py PAGE OUTPUT"""
import pathlib
import re
import sys


def main():
    page, output = map(pathlib.Path, sys.argv[1:])
    blocks = re.findall(r"^```cuda\n(.*?)^```$", page.read_text(), re.M | re.S)
    if not blocks:
        sys.exit("%s has no cuda block" % page)
    output.write_text(blocks[0])


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Works out the calculations of a page: code spans like `65,536 registers / 64 = 1,024 threads`.

    figures.py PAGE

The right side must be the left side's value, rounded as it is shown. Words beside numbers are units, for the reader. Each
calculation is also tried with its last digit off by one: a mistake that would not be noticed fails the test.
"""
import ast
import math
import operator
import pathlib
import re
import sys

SPAN = re.compile(r"(?<!`)`([^`]+ = [^`]+)`(?!`)", re.S)
OPERATORS = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
             ast.Pow: operator.pow}


def plain(text):
    """An expression without units and signs that only people read."""
    text = re.sub(r"(?<=\d),(?=\d{3})", "", " ".join(text.split()))
    for sign, word in {"×": "*", "−": "-", "²": "**2", "³": "**3"}.items():
        text = text.replace(sign, word)
    text = re.sub(r"(?<![\w.])(?!log2\()[A-Za-z]+(/[A-Za-z]+)?", "", text)
    return text.replace("%", "").strip()


def value(node):
    if isinstance(node, ast.Constant) and isinstance(node.value, (int, float)):
        return node.value
    if isinstance(node, ast.BinOp) and type(node.op) in OPERATORS:
        return OPERATORS[type(node.op)](value(node.left), value(node.right))
    if isinstance(node, ast.Call) and node.func.id == "log2":
        return math.log2(value(node.args[0]))
    raise ValueError("not a calculation: " + ast.dump(node))


def holds(left, shown, percent):
    """Whether a figure is the expression's value to the last digit that is shown."""
    found = value(ast.parse(plain(left), mode="eval").body) * (100 if percent else 1)
    decimals = len(shown.partition(".")[2])
    return abs(found - float(shown)) <= 0.5 * 10 ** -decimals + 1e-12


def off_by_one(shown):
    """The same figure with another last digit."""
    return shown[:-1] + str((int(shown[-1]) + 1) % 10)


def mistakes(span):
    left, right = span.split(" = ")
    shown = plain(right)
    percent = "%" in right and "%" not in left
    if not holds(left, shown, percent):
        yield f"`{span}` is wrong"
    elif holds(left, off_by_one(shown), percent):
        yield f"`{span}`: {off_by_one(shown)} would pass too"


def main():
    spans = SPAN.findall(pathlib.Path(sys.argv[1]).read_text())
    found = [mistake for span in spans for mistake in mistakes(span)]
    print("\n".join(found) or f"{len(spans)} calculations hold")
    sys.exit(1 if found or not spans else 0)


if __name__ == "__main__":
    main()

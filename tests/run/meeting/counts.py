#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Demands that lanes which have parted meet again where they do on hardware.

    counts.py PROGRAM NAME --wideload PATH

NAME is `loops`, `branches`, `calls` or `counted`. What an H200 counted is in tests/data/meeting_h200.csv, and in
counted_loops_h200.csv. Of `loops`, and of `calls`, the same loops in functions that are called, both must be as formulas of the
launch say; of `branches` and `counted`, whose lanes part by random data, both must be equal but for the kernels of SPLIT and HOISTED.
"""
import argparse
import csv
import pathlib
import re
import sys

TESTS = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TESTS / "run" / "support"))
import wideload

THREADS, WARPS, STEP, N = 64, 2, 11, 4
SECTORS = 32 * 4 // 32  # of a whole warp's store
TURNS = 31 * STEP + 1  # of the last lane


def counts(stores, sectors, loads=0, atomics=0):
    return {"global_st_requests": stores, "global_st_sectors": sectors, "global_ld_requests": loads,
            "global_atom_requests": atomics}


def alone(stores_a_thread, **others):
    """Every thread stores by itself."""
    return counts(THREADS * stores_a_thread, THREADS * stores_a_thread, **others)


def together(**others):
    return counts(WARPS, WARPS * SECTORS, **others)


ODD = THREADS // 2
# Of the search with a limit: three lanes find their slot on the way, one in the last turn, in which the others give up.
ENDS = 3 + 1 + 1
LOOPS = {
    "search": alone(1, atomics=WARPS * TURNS),
    "search_then_loop": alone(1, loads=THREADS * N, atomics=WARPS * TURNS),
    "search_of_odd_lanes": counts(2 * ODD + WARPS, 2 * ODD + WARPS * SECTORS, atomics=WARPS * TURNS),
    # The even lanes do not wait for those that are in the loop for a single turn.
    "single_turn_of_odd_lanes": counts(3 * WARPS, 3 * WARPS * SECTORS, atomics=WARPS),
    "single_turn": together(atomics=WARPS),
    # A lane's next search joins those of the others: two tries, its last slot and the free one after it.
    "searches": alone(N + 1, atomics=WARPS * (TURNS + 2 * (N - 1))),
    "searches_as_lanes_want": counts(*[sum(N + i % 4 + 1 for i in range(THREADS))] * 2,
                                     atomics=WARPS * (TURNS + 2 * (N + 31 % 4 - 1))),
    "lock": alone(2, loads=THREADS, atomics=None),  # how often a lane tries is up to the others
    "search_then_meet": together(atomics=WARPS * TURNS),
    "bounded_search": alone(1, atomics=WARPS * TURNS),
    "weak_fenced_search": together(loads=WARPS * TURNS),
    "weak_search": together(loads=WARPS * TURNS),
    "volatile_search": alone(1, loads=WARPS * TURNS),
    "two_searches": alone(2, atomics=WARPS * TURNS + 2 * THREADS),
    "search_of_two_ends": counts(2 * ENDS * WARPS, (3 * 2 + 2 + 2 * SECTORS) * WARPS, atomics=WARPS * (8 * N + 2)),
    "sleeping_search": alone(1, atomics=WARPS * TURNS),
}

CALLS = {
    "called_search": LOOPS["search"],
    "called_search_then_loop": LOOPS["search_then_loop"],
    "called_searches": LOOPS["searches"],
    "called_search_then_meet": LOOPS["search_then_meet"],
    "called_weak_search": LOOPS["weak_search"],
    "called_volatile_search": LOOPS["volatile_search"],
    "called_lock": LOOPS["lock"],
}


# Here ptxas leaves several branches without a place where their lanes wait for each other, since a barrier of the surrounding
# code already waits further on. Lanes meet as early as PTX lets them; so they are never more requests than on hardware.
SPLIT = {"return_in_loop", "fallthrough", "short_circuit", "goto_out_of_loops", "two_breaks_that_store", "irreducible"}


# ptxas reads the end of a row before its loop, PTX in every turn: a request more for each turn's own load.
HOISTED = {"read_only_loads"}
ROWS_WARPS = 4096 // 32  # each reads where its rows begin and end, once


def hardware(file="meeting_h200.csv"):
    with open(TESTS / "data" / file, encoding="utf-8") as file:
        rows = csv.DictReader(line for line in file if not line.startswith("#"))
        return {row.pop("kernel"): {name: int(value) for name, value in row.items()} for row in rows}


def differences(expected, found, where):
    for kernel, counters in expected.items():
        for counter, value in counters.items():
            if value is not None and found[kernel].get(counter) != value:
                yield "%s: %s is %s %s, expected %d" % (kernel, counter, found[kernel].get(counter), where, value)


def loops(launches):
    yield from differences(LOOPS, launches, "here")
    yield from differences(LOOPS, hardware(), "on an H200")


def branches(launches):
    counted = {kernel: counters for kernel, counters in hardware().items() if kernel not in LOOPS | CALLS}
    yield from differences({kernel: counters for kernel, counters in counted.items() if kernel not in SPLIT}, launches, "here")
    for kernel in SPLIT:
        if not launches[kernel]["global_st_requests"] < counted[kernel]["global_st_requests"]:
            yield "%s: no fewer stores than on an H200: it no longer belongs to SPLIT" % kernel


def calls(launches):
    yield from differences(CALLS, launches, "here")
    counted = hardware()
    yield from differences({kernel: CALLS[kernel] for kernel in CALLS if kernel in counted}, counted, "on an H200")


def counted(launches):
    expected = hardware("counted_loops_h200.csv")
    for kernel in HOISTED:
        turns = expected[kernel]["global_ld_requests"] - 2 * ROWS_WARPS
        expected[kernel]["global_ld_requests"] += turns
        del expected[kernel]["global_ld_sectors"]
    yield from differences(expected, launches, "here")


NAMES = {"loops": loops, "branches": branches, "calls": calls, "counted": counted}


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("program")
    arguments.add_argument("name", choices=list(NAMES))
    arguments.add_argument("--wideload", required=True)
    options = arguments.parse_args()
    ended = wideload.run(options.wideload, options.program, options=["--quiet"])
    if (ended.exit_code, ended.output) != (0, "ok\n"):
        sys.exit("exit code %d, printed %r\n%s" % (ended.exit_code, ended.output, ended.errors))
    # "void run<chain>(Matrix, float*)" is `chain`.
    launches = {re.split("[<(]", launch["kernel"].replace("void run<", ""))[0].rstrip(">"): launch["counters"]
                for launch in ended.profile["launches"]}
    found = list(NAMES[options.name](launches))
    print(*found, "%d launches, %d differences" % (len(launches), len(found)), sep="\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())

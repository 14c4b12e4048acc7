#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Demands that `wideload run` names the collectives whose lanes are not those of their masks, and no other.

    collectives.py PROGRAM --wideload PATH [--without-lines]

PROGRAM is made of collectives.cu. A few blocks are run by code that was compiled quickly, very many by code of all passes.
"""
import argparse
import dataclasses
import pathlib
import re
import sys

TESTS = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TESTS / "run" / "support"))
import wideload

SOURCE = pathlib.Path(__file__).with_name("collectives.cu")
WARPS = 2  # of a block
ALL = 0xffffffff
BLOCKS = {"quickly": 3, "thoroughly": 2**20 // 48 + 1}  # a million threads and more get all passes at once
MOST_SAID = 16  # on stderr; the report has the others


def lanes(first, last, step=1):
    return sum(1 << lane for lane in range(first, last + 1, step))


@dataclasses.dataclass(frozen=True)
class Wrong:
    opcode: str
    lanes: int
    members: int = ALL
    kind: str = "absent_lanes"
    times: int = WARPS  # in a block
    executions: int = WARPS
    warp: int = 0  # the first


SHUFFLE = "shfl.sync.bfly.b32"
ROWS = 5
WRONG = {
    "shuffle_in_branch": [Wrong(SHUFFLE, lanes(16, 31))],
    "vote_in_branch": [Wrong("vote.sync.ballot.b32", lanes(0, 15))],
    "match_in_branch": [Wrong("match.any.sync.b32", lanes(1, 31, step=2))],
    "redux_in_branch": [Wrong("redux.sync.add.u32", lanes(31, 31))],
    "syncwarp_in_branch": [Wrong("bar.warp.sync", lanes(8, 31))],
    "mask_read_from_memory": [Wrong(SHUFFLE, lanes(16, 23), members=lanes(0, 23))],
    "turns_of_few": [Wrong(SHUFFLE, lanes(8, 31), executions=2 * WARPS)],
    "turns_of_few_in_rows": [Wrong(SHUFFLE, lanes(8, 31), times=ROWS * WARPS, executions=2 * ROWS * WARPS)],
    # The block's last warp has 16 lanes.
    "in_the_last_warp": [Wrong(SHUFFLE, lanes(8, 15), times=1, executions=1, warp=1)],
    # Lanes 24 to 31 have returned.
    "after_a_return": [Wrong(SHUFFLE, lanes(8, 23))],
    "after_an_exit": [Wrong(SHUFFLE, lanes(8, 23))],
    "after_an_exit_in_called": [Wrong(SHUFFLE, lanes(8, 23))],
    "on_the_way_to_a_barrier": [Wrong(SHUFFLE, lanes(16, 31))],
    "call_in_branch": [Wrong(SHUFFLE, lanes(16, 31))],
    "call_of_call_in_branch": [Wrong(SHUFFLE, lanes(16, 31))],
    "branch_in_called": [Wrong("shfl.sync.down.b32", lanes(16, 31))],
    "pointers": [Wrong(SHUFFLE, lanes(16, 31)), Wrong("vote.sync.any.pred", lanes(0, 15))],
    # Two tiles of a warp lack lanes in the same execution.
    "tile_in_branch": [Wrong(SHUFFLE, lanes(8, 15), members=lanes(0, 15), times=2 * WARPS)],
    "unnamed": [Wrong(SHUFFLE, lanes(16, 31), members=lanes(0, 15), kind="unnamed_lanes")],
    "unnamed_in_branch": [Wrong("vote.sync.ballot.b32", lanes(16, 23), members=lanes(0, 15), kind="unnamed_lanes")],
    "others_named": [Wrong("redux.sync.max.u32", ALL, members=lanes(16, 31), kind="unnamed_lanes")],
}
LAUNCHES = 45


def found(mismatch, blocks, counted):
    """As the case says it; figures that are no multiple of the launch's blocks are none of it."""
    first = mismatch["first"]
    executions = mismatch.get("executions", 0) / blocks if counted else None
    if first["block"] != 0 or ("executions" in mismatch) != counted:
        return mismatch
    return Wrong(mismatch["opcode"], int(first["lanes"], 16), int(first["members"], 16), mismatch["kind"],
                 mismatch["occurrences"] / blocks, executions, first["warp"])


def differences(ended, blocks, counted=True):
    if (ended.exit_code, ended.output) != (0, "cudaSuccess\n"):
        yield "exit code %d, printed %r\n%s" % (ended.exit_code, ended.output, ended.errors)
        return
    launches = ended.profile["launches"]
    if len(launches) != LAUNCHES:
        yield "%d launches" % len(launches)
    for launch in launches:
        kernel = re.split("[<(]", launch["kernel"])[0]
        expected = {wrong if counted else dataclasses.replace(wrong, executions=None) for wrong in WRONG.get(kernel, [])}
        seen = {found(mismatch, blocks, counted) for mismatch in launch.get("mismatches", [])}
        if seen != expected:
            yield "%s of blocks %s: %s, expected %s" % (kernel, launch["block"], seen, expected)


def unplaced(profile):
    """A reader is sent to lines that have a collective."""
    source = SOURCE.read_text(encoding="utf-8").splitlines()
    for launch in profile["launches"]:
        for mismatch in launch.get("mismatches", []):
            frames = profile["places"][mismatch["place"]]
            own = next(frame for frame in frames if frame["file"].endswith(SOURCE.name))
            if not re.search(r"_sync\(|__syncwarp|tile\.shfl", source[own["line"] - 1]):
                yield "%s: line %d has no collective" % (launch["kernel"], own["line"])


def unsaid(ended):
    """stderr has each once, and few."""
    said = re.findall(r": warning: in kernel '(\w+)", ended.errors)
    expected = [kernel for kernel, wrongs in WRONG.items() for _ in wrongs][:MOST_SAID]
    if said != expected:
        yield "warned of %s, expected %s" % (said, expected)
    if ended.errors.count("further warnings are in the report alone") != 1:
        yield "more than is said, and nothing says so"


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("program")
    arguments.add_argument("--wideload", required=True)
    arguments.add_argument("--without-lines", action="store_true", help="the program has no table of its source lines")
    options = arguments.parse_args()
    problems = []

    def run(blocks, *more):
        return wideload.run(options.wideload, options.program, [str(blocks)], ["--quiet", *more])

    for effort, blocks in BLOCKS.items():
        ended = run(blocks)
        problems += ["compiled %s: %s" % (effort, difference) for difference in differences(ended, blocks)]
        problems += unsaid(ended)
        if not options.without_lines:
            problems += unplaced(ended.profile)
    blocks = BLOCKS["quickly"]
    problems += differences(run(blocks, "--no-counters"), blocks, counted=False)
    print(*problems, "%d problems" % len(problems), sep="\n")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())

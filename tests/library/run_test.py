# SPDX-License-Identifier: Apache-2.0
"""Runs a test program of the library under `wideload run`, whatever it tests: in none of its launches may lanes of a kernel of
the library meet in a bank of shared memory, nor may the kernel touch local memory: but for integers of 16 bytes, which nvcc
keeps there wherever their bytes are moved. Nor may lanes be elsewhere that a shuffle or the like names.

    run_test.py WIDELOAD PROGRAM [OPTION of wideload run...]

A request of 16 bytes a lane may take four wavefronts and one of 8 two, as a whole warp's does. With few lanes fewer would do
where quarters or halves of the warp can share one; that they do not costs nothing.
"""
import collections
import json
import pathlib
import subprocess
import sys
import tempfile

UNUSED = ("counters", "first", "worst", "patterns", "machine_code", "mangled")
GROUPS = {8: 2, 16: 4}  # of lanes that a request of so many bytes a lane is served by


def trimmed(figures):
    """An object of the profile without what is large and not asked for here."""
    for name in UNUSED:
        figures.pop(name, None)
    return figures


def meets(site):
    """Whether lanes met in a bank."""
    if site["wavefronts"] <= site["ideal_wavefronts"]:
        return False
    groups = GROUPS.get(site["element_bytes"] * site["vector_width"], 1)
    return max(int(wavefronts) for wavefronts in site["histogram"]) > groups


def lines_of(profile, site):
    frames = profile["places"][site["place"]] if "place" in site else []
    return " < ".join("%s:%d" % (pathlib.PurePath(frame["file"]).name, frame["line"]) for frame in frames)


def faults_of(profile):
    """How often each line of the library did what it must not."""
    found = collections.Counter()
    for launch in profile["launches"]:
        if "wideload::" not in launch["kernel"]:
            continue
        kernel = launch["kernel"].split("(wideload")[0]
        for mismatch in launch.get("mismatches", []):
            found[kernel, lines_of(profile, mismatch), mismatch["opcode"], mismatch["kind"]] += 1
        for site in launch["sites"]:
            kind = site["kind"]
            if kind.startswith("shared") and meets(site):
                said = "lanes meet in a bank"
            elif kind.startswith("local") and "__int128" not in launch["kernel"]:
                said = "local memory"
            else:
                continue
            found[kernel, lines_of(profile, site), site["opcode"], said] += 1
    return found


def main():
    wideload, program, *options = sys.argv[1:]
    with tempfile.TemporaryDirectory(prefix="wideload-test-") as scratch:
        kept = pathlib.Path(scratch, "profile.json")
        ended = subprocess.run([wideload, "run", "--quiet", "--json", kept, *options, "--", program])
        if ended.returncode != 0:
            return ended.returncode if ended.returncode > 0 else 128 - ended.returncode
        profile = json.loads(kept.read_text(), object_hook=trimmed)
    found = faults_of(profile)
    for (kernel, at, opcode, said), times in found.most_common():
        print("%s\n    at %s, %s: %s, %d times" % (kernel, at, opcode, said, times))
    sites = sum(len(launch["sites"]) for launch in profile["launches"])
    print("%d launches, %d sites, %d lines with bank conflicts, local memory or lanes elsewhere" % (
        len(profile["launches"]), sites, len(found)))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())

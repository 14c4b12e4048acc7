# SPDX-License-Identifier: Apache-2.0
"""Runs programs under `wideload run` and compares what their kernels moved, site by site, with what each case announces:

    case <TAB> number <TAB> name <TAB> expectation <TAB> ...

    global_ld whole = 512       so many sectors, and at each site the fewest that hold what it asks for
    global_ld wide = 512        so many; sites of 16 bytes a lane take the fewest
    global_ld runs = 512        so many; each request asks for one run of bytes
    global_ld wide-runs = 512   so many; each request of 16 bytes a lane asks for one run of bytes
    global_ld any = 512         so many, however the sites share them
    global_ld any <= 512        at most so many

Loads that wait for another block's result are volatile or relaxed: how often they are repeated is chance, so they are left out.
Kinds that a case does not name must not occur, nor may local memory be touched or lanes meet in a bank of shared memory. Every
kernel of the library must run.
"""
import argparse
import collections
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "run" / "support"))
import wideload  # noqa: E402

SECTOR_KINDS = ("global_ld", "global_st", "global_red", "global_atom", "bulk_ld", "bulk_st", "bulk_red")
SHARED_KINDS = ("shared_ld", "shared_st", "shared_atom")
SECONDS = 700  # that a run may take: the kernels are many


class Case:
    def __init__(self, fields):
        self.name, self.launches, self.sectors = fields[2], [], {}
        for expectation in fields[3:]:
            kind, shape, relation, amount = expectation.split(" ")
            self.sectors[kind] = (shape, 0 if relation == "<=" else int(amount), int(amount))


def name_places(profile):
    """Gives each site "at", its lines: the innermost inside the library, and where the kernel inlined it."""
    names = []
    for place in profile["places"]:
        lines = ["%s:%d" % (pathlib.PurePath(frame["file"]).name, frame["line"]) for frame in place if frame["file"]]
        names.append(" < ".join(lines) or "no line")
    for launch in profile["launches"]:
        for site in launch["sites"]:
            site["at"] = names[site["place"]] if "place" in site else "no line"


def place_of(launch, site):
    return "%s\n        at %s, %s" % (launch["kernel"].split("(")[0], site["at"], site["opcode"])


def sites_by_line(launch):
    """The sites that are to be judged; copies of one line, as unrolled loops have, are one."""
    lines = {}
    for site in launch["sites"]:
        if not site.get("requests") or site["opcode"].startswith(("ld.volatile", "ld.relaxed")):
            continue
        total = lines.setdefault((site["at"], site["opcode"], site["kind"]), dict(site, patterns=[]))
        total["patterns"] += site.get("patterns", [])
        if total["ptx_line"] == site["ptx_line"]:
            continue
        for figure in ("requests", "sectors", "ideal_sectors", "wavefronts", "ideal_wavefronts"):
            if figure in site:
                total[figure] += site[figure]
    return lines.values()


def excess_of(shape, site):
    """What a site does that a shape forbids, as a sentence; None where there is nothing."""
    sectors, ideal = site["sectors"], site["ideal_sectors"]
    if shape.startswith("wide") and site["element_bytes"] * site["vector_width"] < 16:
        return None
    if shape in ("whole", "wide") and sectors != ideal:
        return "%d sectors in %d requests, where %d would do" % (sectors, site["requests"], ideal)
    if shape.endswith("runs"):
        apart = sum(share["requests"] for share in site["patterns"] if share["pattern"] in ("strided", "irregular"))
        if apart:
            return "%d of %d requests ask for more than one run of bytes" % (apart, site["requests"])
    return None


def check_case(case):
    """Every way in which the launches of a case are not as announced."""
    moved = collections.Counter()
    for launch in case.launches:
        if "fault" in launch:
            yield "%s ended early: %s" % (launch["kernel"], launch["fault"]["kind"])
        for site in sites_by_line(launch):
            kind = site["kind"]
            if site["opcode"].startswith("ld.acquire"):  # asks again until others have come
                continue
            if kind in SHARED_KINDS and site["wavefronts"] > site["ideal_wavefronts"]:
                yield "%s: %d wavefronts, where %d would do" % (
                    place_of(launch, site), site["wavefronts"], site["ideal_wavefronts"])
            elif kind.startswith("local"):
                yield "%s: %d requests to local memory" % (place_of(launch, site), site["requests"])
            elif kind in SECTOR_KINDS:
                moved[kind] += site["sectors"]
                said = excess_of(case.sectors.get(kind, ("any",))[0], site)
                if said:
                    yield "%s: %s" % (place_of(launch, site), said)
    for kind in SECTOR_KINDS:
        _, least, most = case.sectors.get(kind, ("any", 0, 0))
        if not least <= moved[kind] <= most:
            kernels = ", ".join(sorted({launch["kernel"].split("(")[0] for launch in case.launches}))
            yield "%s: %s moved %d sectors, expected %s" % (
                kernels, kind, moved[kind], most if least == most else "%d to %d" % (least, most))


def kernels_of_library(include):
    """The names of all __global__ functions."""
    declaration = re.compile(r"__global__\s+void\s+(?:__launch_bounds__\((?:[^()]|\([^()]*\))*\)\s+)?(\w+)\(")
    return {name for header in include.rglob("*.cuh") for name in declaration.findall(header.read_text())}


def names_in(launches):
    """Every name that kernels' names are made of."""
    kernels = {launch["mangled"] + " " + launch["kernel"] for launch in launches}
    return {name for kernel in kernels for name in re.findall(r"\w+", kernel)}


def cases_of(run):
    """What a program announced, each case with its launches."""
    name_places(run.profile)
    lines = [line.split("\t") for line in run.output.splitlines() if line.startswith("case\t")]
    cases = {int(fields[1]): Case(fields) for fields in lines}
    current = None
    for launch in run.profile["launches"]:
        if "begin_case" in launch["kernel"]:
            current = cases[launch["grid"][0]]
        else:
            current.launches.append(launch)
    return list(cases.values())


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("programs", nargs="+")
    arguments.add_argument("--wideload", required=True)
    arguments.add_argument("--include", type=pathlib.Path, required=True, help="the library's headers")
    options = arguments.parse_args()

    cases, names = [], set()
    for program in options.programs:
        run = wideload.run(options.wideload, program, options=["--quiet"], seconds=SECONDS)
        if run.exit_code != 0 or run.profile is None:
            sys.exit("%s ended with %d\n%s" % (program, run.exit_code, run.errors))
        cases += cases_of(run)
        names |= names_in(run.profile["launches"])

    failures = ["no case"] if not cases else []
    for case in cases:
        if not case.launches:
            failures.append("%s\n    launched nothing" % case.name)
        failures += ["%s\n    %s" % (case.name, said) for said in check_case(case)]
    failures += ["kernel %s of the library is not run by any case" % name
                 for name in sorted(kernels_of_library(options.include) - names)]
    print("\n".join(failures))
    print("%d cases, %d failures" % (len(cases), len(failures)))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())

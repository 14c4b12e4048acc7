#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What `wideload run --json` and `wideload inspect --json` write of real programs is valid by the schemas of docs/: a reader
that was written by them reads everything. Each case is there for a part of the schema and sees that its file has it.

    written.py CASE --wideload PATH --programs FOLDER --violations PATH [--nvdisasm PATH]
"""
import argparse
import dataclasses
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import typing

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests/run/support"))
import wideload  # noqa: E402


@dataclasses.dataclass
class Case:
    program: str  # of the build's folder of CUDA programs
    arguments: tuple = ()
    options: tuple = ()  # of the command
    has: typing.Callable = lambda profile: profile["launches"]  # whether the file has what the case is there for
    command: str = "run"


def counters_of_all(profile):
    return [launch["counters"] for launch in profile["launches"]]


def kinds(profile):
    return {site["kind"] for launch in profile["launches"] for site in launch["sites"]}


def faults(profile):
    return [launch["fault"]["kind"] for launch in profile["launches"] if "fault" in launch]


MERGED_PAST = 10_000  # launches

CASES = {
    "roofline": Case("roofline_kernels", options=("--roofline",),
                     has=lambda p: all(counters["touched_read_sectors"] for counters in counters_of_all(p))),
    "uncounted": Case("roofline_kernels", options=("--no-counters",),
                      has=lambda p: p["launches"] and not any(counters_of_all(p)) and not p["options"]["counters"]),
    "fault": Case("fault_faults", ("out-of-bounds-read",), has=lambda p: faults(p) == ["illegal_address"]),
    "mismatches": Case("fault_faults", ("absent-lanes",), has=lambda p: any("mismatches" in launch for launch in p["launches"])),
    "refusal": Case("fault_faults", ("too-many-threads",), has=lambda p: faults(p) == ["invalid_configuration"]),
    "missing-instruction": Case("fault_tensor_core", has=lambda p: faults(p) == ["unsupported"]),
    "only-machine-code": Case("fault_only_machine_code", has=lambda p: p["diagnostics"] and not p["launches"]),
    "missing-call": Case("preload_streams_static",
                         has=lambda p: "cudaMallocArray" in [call["function"] for call in p["unsupported_calls"]]),
    "several-processes": Case("messages_program", ("children", "2", "launch"), has=lambda p: len(p["processes"]) == 2),
    "signal": Case("messages_program", ("launch", "signal", "15"), has=lambda p: p["processes"][0]["signal"] == 15),
    # What JSON cannot hold: bytes that are no text, and what it escapes.
    "odd-arguments": Case("messages_program", (b"\xff\xfe", "\"\\\t\x01\x7f", "launch"),
                          has=lambda p: len(p["processes"][0]["arguments"]) == 4),
    "merged": Case("messages_program", ("launch",) * (MERGED_PAST + 1),
                   has=lambda p: p["merged"] and sum(launch["count"] for launch in p["launches"]) == MERGED_PAST + 1),
    "kinds-of-memory": Case("program_memory_spaces",
                            has=lambda p: {"constant_ld", "local_ld", "local_st", "shared_ld", "shared_st", "branch"} <= kinds(p)),
    "bulk-copies": Case("program_bulk_copies", has=lambda p: {"bulk_ld", "bulk_st", "bulk_red"} <= kinds(p)),
    "atomics": Case("program_atomics", has=lambda p: {"global_atom", "global_red", "shared_atom"} <= kinds(p)),
    "machine-code": Case("machine_code_sm_90", has=lambda p: any("spills" in code for code in p["machine_code"])),
    "inspect": Case("machine_code_sm_90", command="inspect",
                    has=lambda d: any(kernel["spills"]["stores"] for code in d["code"] for kernel in code["kernels"])),
}


def written(case, options, scratch):
    """The file that the command wrote. How the program ended is not the question here."""
    program = os.path.join(options.programs, case.program)
    file = pathlib.Path(scratch, "written.json")
    command = [options.wideload, case.command, "--json", file, *case.options]
    command += ["--quiet", "--", program, *case.arguments] if case.command == "run" else [program]
    changes = {"TMPDIR": scratch}
    if options.nvdisasm:
        changes["WIDELOAD_NVDISASM"] = options.nvdisasm
    subprocess.run(command, cwd=scratch, env=wideload.environment(**changes), stdin=subprocess.DEVNULL,
                   stdout=subprocess.DEVNULL, timeout=wideload.SECONDS)
    return file


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("case", choices=CASES)
    arguments.add_argument("--wideload", required=True)
    arguments.add_argument("--programs", required=True)
    arguments.add_argument("--violations", required=True, help="what prints a document's violations of a schema")
    arguments.add_argument("--nvdisasm")
    options = arguments.parse_args()
    case = CASES[options.case]
    schema = ROOT / "docs" / {"run": "profile.schema.json", "inspect": "inspect.schema.json"}[case.command]
    with tempfile.TemporaryDirectory(prefix="wideload-schema-") as scratch:
        file = written(case, options, scratch)
        document = json.loads(file.read_bytes().decode("utf-8"))
        valid = subprocess.run([options.violations, schema, file]).returncode == 0
    if not case.has(document):
        sys.exit("the file lacks what this case is there for:\n" + json.dumps(document)[:4000])
    return 0 if valid else 1


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a profile says of the program's own machine code, and what the report makes of it.

    check.py CASE PROGRAM --wideload PATH --nvdisasm PATH

Cases: sm_90 (PTX and the machine code made of it), other_ptx (the machine code is of other PTX than that which runs), ptx_alone.
"""
import argparse
import os
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import wideload  # noqa: E402


def check(condition, what):
    if not condition:
        sys.exit(f"wrong: {what}")


def kernel(profile, name):
    """The machine code of a kernel, and its sites."""
    launch = next(launch for launch in profile["launches"] if launch["kernel"].startswith(name))
    code = next(code for code in profile["machine_code"] if code["mangled"] == launch["mangled"])
    check(launch["registers"] == code["registers"], "a launch has its machine code's registers")
    check(0 < code["registers"] <= 255, "registers")
    return code, launch["sites"]


def check_lines_of_run_ptx(profile):
    """Every line of PTX that machine code names is that of a site which does the same."""
    code, sites = kernel(profile, "copy")
    accesses = {access["ptx_line"]: access for access in code["accesses"]}
    check(sorted(access["opcode"] for access in accesses.values()) == ["LDG.E.128", "STG.E.128"], "a copy of float4")
    for site in sites:
        if site["kind"].startswith("global"):
            access = accesses[site["ptx_line"]]
            check(access["bytes"] == site["element_bytes"] * site["vector_width"], "the width of PTX")
            check(access["opcode"].startswith("LDG") == (site["kind"] == "global_ld"), "loads are loads")
    check(code["spills"] == {"stores": 0, "store_bytes": 0, "loads": 0, "load_bytes": 0}, "a copy spills nothing")

    code, sites = kernel(profile, "crowded")
    spills = [access for access in code["accesses"] if access["spill"]]
    stores = sum(access["count"] for access in spills if access["opcode"].startswith("STL"))
    check(0 < stores == code["spills"]["stores"], "48 values do not fit in 32 registers")
    lines = {site["ptx_line"] for site in sites if site["kind"] in ("global_ld", "global_st")}
    carried = {access["ptx_line"] for access in code["accesses"] if access["space"] == "global"}
    check(carried == lines, "each access of global memory is carried by machine code")


def check_what_ptxas_removed(found):
    """What PTX keeps in local memory for an instruction, ptxas keeps in a register."""
    code, sites = kernel(found.profile, "forwarded")
    check(sorted(site["kind"] for site in sites if site["kind"].startswith("local")) == ["local_ld", "local_st"], "PTX's own")
    check(not any(access["space"] == "local" for access in code["accesses"]), "ptxas needs no local memory")
    section = found.errors[found.errors.index("forwarded("):]
    section = section[:section.find("\n\n", section.find("global and local"))]
    check(section.count("sm_90: no machine instruction carries it") == 2, f"the report says so of both:\n{section}")


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("case")
    arguments.add_argument("program")
    arguments.add_argument("--wideload", required=True)
    arguments.add_argument("--nvdisasm", required=True)
    options = arguments.parse_args()

    os.environ["WIDELOAD_NVDISASM"] = options.nvdisasm
    found = wideload.run(options.wideload, options.program, keep=("WIDELOAD_NVDISASM",))
    check(found.exit_code == 0 and found.profile, found.errors)
    if options.case == "ptx_alone":
        check("machine_code" not in found.profile and "machine code" not in found.errors, "there is no machine code")
        return
    check(re.search("machine code +sm_90: ", found.errors), f"the report names it:\n{found.errors}")
    if options.case == "sm_90":
        check_lines_of_run_ptx(found.profile)
        check_what_ptxas_removed(found)
        os.environ["WIDELOAD_NVDISASM"] = "/nowhere/nvdisasm"
        without = wideload.run(options.wideload, options.program, keep=("WIDELOAD_NVDISASM",))
        check(without.exit_code == 0 and "machine_code" not in without.profile, "a missing nvdisasm changes nothing else")
        check(without.errors.count("no nvdisasm") == 1, "it is said once")
    else:
        accesses = [access for code in found.profile["machine_code"] for access in code["accesses"]]
        check(accesses and not any("ptx_line" in access for access in accesses), "lines of other PTX are not joined")


if __name__ == "__main__":
    main()

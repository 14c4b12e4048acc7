# SPDX-License-Identifier: Apache-2.0
"""No kernel of the library has a stack or spills a register in the machine code of the library's test programs, but for those
whose operation is a pointer to a function, which is called by way of a stack.

    local_memory_test.py WIDELOAD PROGRAM...
"""
import concurrent.futures
import json
import re
import subprocess
import sys

OF_THE_LIBRARY = re.compile(r"(void )?wideload::")
POINTER = "(*)("


def kernels_of(wideload, program):
    """The library's kernels in the program's machine code, as `wideload inspect` describes them."""
    ended = subprocess.run([wideload, "inspect", "--json", "-", program], capture_output=True, text=True)
    if "has no kernel" in ended.stderr:
        return []  # a test of host functions alone
    if ended.returncode != 0:
        raise SystemExit("%s could not be read\n%s" % (program, ended.stderr))
    code = json.loads(ended.stdout)["code"]
    return [kernel for part in code for kernel in part["kernels"]
            if OF_THE_LIBRARY.match(kernel["kernel"]) and POINTER not in kernel["kernel"]]


def local_memory_of(kernel):
    """What a kernel keeps in local memory, as words; none where there is nothing."""
    spills = kernel.get("spills", {})
    figures = [("%d bytes of stack", kernel["stack_bytes"]),
               ("%d bytes of spill stores", spills.get("store_bytes", 0)),
               ("%d bytes of spill loads", spills.get("load_bytes", 0))]
    return ", ".join(words % bytes for words, bytes in figures if bytes)


def main():
    wideload, *programs = sys.argv[1:]
    with concurrent.futures.ThreadPoolExecutor(2) as readers:
        found = list(readers.map(lambda program: kernels_of(wideload, program), programs))
    kernels = {kernel["mangled"]: kernel for some in found for kernel in some}
    failures = ["%s\n    %s, %d registers" % (kernel["kernel"].split("(wideload")[0], said, kernel["registers"])
                for kernel in kernels.values() if (said := local_memory_of(kernel))]
    print("\n".join(sorted(failures)))
    print("%d kernels in %d programs, %d with local memory" % (len(kernels), len(programs), len(failures)))
    return 1 if failures or not kernels else 0


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: Apache-2.0
"""No kernel of the library has a stack in the machine code of the library's test programs, where spilled registers would lie,
too, but for those whose operation is a pointer to a function, which is called by way of a stack.

    local_memory_test.py CUOBJDUMP PROGRAM...
"""
import re
import subprocess
import sys

OF_THE_LIBRARY = re.compile(r"(void )?wideload::")
POINTER = "(*)("
# " Function NAME:" and, in the next line, "REG:64 STACK:48 SHARED:2048 LOCAL:0 ..."
USAGE = re.compile(r"^ Function (\S+):\n\s+REG:(\d+) STACK:(\d+) .*?LOCAL:(\d+) ", re.MULTILINE)


def output_of(*command, **given):
    return subprocess.run(command, check=True, capture_output=True, text=True, **given).stdout


def main():
    cuobjdump, *programs = sys.argv[1:]
    kernels = {}
    for program in programs:
        found = USAGE.findall(output_of(cuobjdump, "-res-usage", program))
        if not found:
            sys.exit("cuobjdump found no kernel in " + program)
        kernels.update((mangled, [int(figure) for figure in figures]) for mangled, *figures in found)
    names = output_of("c++filt", input="\n".join(kernels)).splitlines()
    of_the_library = [(name, *figures) for name, figures in zip(names, kernels.values(), strict=True)
                      if OF_THE_LIBRARY.match(name)]
    failures = ["%s\n    %d bytes of stack, %d of local memory, %d registers" % (
                    name.split("(wideload")[0], stack, local, registers)
                for name, registers, stack, local in of_the_library if stack + local and POINTER not in name]
    print("\n".join(sorted(failures)))
    print("%d kernels in %d programs, %d with local memory" % (len(of_the_library), len(programs), len(failures)))
    return 1 if failures or not of_the_library else 0


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: Apache-2.0
"""Warps are whole where a kernel's threads meet, in the machine code of a program whose operations have atomic accesses.

    reconvergence_test.py CUOBJDUMP PROGRAM

In a loop with an atomic access ptxas lets lanes that wait for others go on (YIELD), so that behind it they must be brought
together (WARPSYNC) before any barrier or shuffle. ptxas 13.0 was seen to forget that: a warp in two parts then counts as two at a
barrier. Code is taken in the order of addresses, which is that of the source but for rare branches. The virtual GPU executes PTX,
and so has nothing of this.
"""
import collections
import re
import subprocess
import sys

SKIPPED = 77  # another ptxas may have another way to let lanes go on
INSTRUCTION = re.compile(r"\s+/\*([0-9a-f]{4,})\*/\s+(?:@!?\w+\s+)?([A-Z][A-Z0-9_]*)")


def kernels_of(cuobjdump, program):
    """Yields each kernel's mangled name and its instructions, as addresses and opcodes."""
    listing = subprocess.Popen([cuobjdump, "-sass", program], stdout=subprocess.PIPE, text=True)
    name, code = None, []
    for line in listing.stdout:
        if "Function : " in line:
            if name:
                yield name, code
            name, code = line.split("Function : ")[1].strip(), []
        elif found := INSTRUCTION.match(line):
            code.append((found[1], found[2]))
    if name:
        yield name, code
    if listing.wait() != 0:
        raise SystemExit("%s could not be read" % program)


def met_apart(code):
    """Where threads meet, which may have gone on apart from the rest of their warp: the instruction, and the loop's."""
    left = None
    for address, opcode in code:
        if opcode == "YIELD":
            left = address
        elif opcode == "WARPSYNC":
            left = None
        elif opcode in ("BAR", "SHFL") and left:
            yield "%s at %s behind YIELD at %s" % (opcode, address, left)
            left = None


def main():
    cuobjdump, program = sys.argv[1:]
    failures, kernels = [], collections.Counter()
    for name, code in kernels_of(cuobjdump, program):
        kernels["all"] += 1
        kernels["let go on"] += any(opcode == "YIELD" for _, opcode in code)
        failures += ["%s\n    %s" % (name, where) for where in met_apart(code)]
    print("\n".join(failures))
    print("%d kernels, lanes may go on in %d, %d meet others apart"
          % (kernels["all"], kernels["let go on"], len(failures)))
    return 1 if failures else 0 if kernels["let go on"] else SKIPPED


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: Apache-2.0
"""Warps are whole where a kernel's threads meet, in the machine code of a program whose operations have atomic accesses.

    reconvergence_test.py CUOBJDUMP PROGRAM

In a loop with an atomic access ptxas lets lanes that wait for others go on (YIELD), so that behind it they must be brought
together (WARPSYNC) before any barrier or shuffle. ptxas 13.0 was seen to forget that: a warp in two parts then counts as two at a
barrier. Code is taken in the order of addresses, which is that of the source but for rare branches. The virtual GPU executes PTX,
and so has nothing of this.
"""
import collections
import sys

import machine_code

SKIPPED = 77  # another ptxas may have another way to let lanes go on


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
    for name, code in machine_code.kernels_of(cuobjdump, program):
        kernels["all"] += 1
        kernels["let go on"] += any(opcode == "YIELD" for _, opcode in code)
        failures += ["%s\n    %s" % (name, where) for where in met_apart(code)]
    print("\n".join(failures))
    print("%d kernels, lanes may go on in %d, %d meet others apart"
          % (kernels["all"], kernels["let go on"], len(failures)))
    return 1 if failures else 0 if kernels["let go on"] else SKIPPED


if __name__ == "__main__":
    sys.exit(main())

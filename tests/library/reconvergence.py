# SPDX-License-Identifier: Apache-2.0
"""Warps are whole where a kernel's threads meet, in machine code.

In a loop with an atomic access, such as an operation may have, ptxas lets lanes that wait for others go on (YIELD), so that behind
it they must be brought together (WARPSYNC) before any barrier or shuffle, or for a shuffle be asked whether they are (BRA.DIV).
ptxas 13.0 was seen to forget that: a warp in two parts then counts as two at a barrier.
"""


def met_apart(code):
    """Where threads meet, which may have gone on apart from the rest of their warp: the instruction, and the loop's."""
    left, asked = None, False  # what BRA.DIV has brought together for a shuffle may be apart behind it
    for address, opcode in code:
        if opcode == "YIELD":
            left, asked = address, False
        elif opcode == "WARPSYNC":
            left = None
        elif opcode == "BRA.DIV":
            asked = True
        elif left and (opcode == "BAR" or opcode == "SHFL" and not asked):
            yield "%s at %s behind YIELD at %s" % (opcode, address, left)
            left = None


class Reconvergence:
    OPCODES = r"YIELD|WARPSYNC|BRA\.DIV|BAR|SHFL"

    def __init__(self):
        self.kernels = self.let_go_on = 0
        self.failures = []

    def look_at(self, name, code):
        self.kernels += 1
        self.let_go_on += any(opcode == "YIELD" for _, opcode in code)
        self.failures += ["%s\n    %s" % (name, where) for where in met_apart(code)]

    def saw_none(self):
        return self.let_go_on == 0  # another ptxas may have another way to let lanes go on

    def result(self):
        return self.failures, "%d kernels, lanes may go on in %d, %d meet others apart" % (
            self.kernels, self.let_go_on, len(self.failures))

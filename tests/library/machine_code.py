# SPDX-License-Identifier: Apache-2.0
"""The machine code of a program's kernels, as CUDA's disassembler lists it: in the order of addresses, which is that of the source
but for rare branches."""
import re
import subprocess

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

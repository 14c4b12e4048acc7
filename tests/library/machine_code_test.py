# SPDX-License-Identifier: Apache-2.0
"""What the machine code of the library's test programs must be like, of which the virtual GPU, that executes PTX, has nothing.

    machine_code_test.py CUOBJDUMP PROGRAM...

Code is taken in the order of addresses, which is that of the source but for rare branches.
"""
import re
import subprocess
import sys

from early_launch import EarlyLaunch
from reconvergence import Reconvergence

CHECKS = (EarlyLaunch, Reconvergence)
SKIPPED = 77  # a check found nothing to look at
INSTRUCTION = re.compile(r"\s+/\*([0-9a-f]{4,})\*/\s+(?:@!?\w+\s+)?([A-Z][A-Z0-9_]*(?:\.DIV)?)")


def kernels_of(cuobjdump, program):
    """Yields each kernel's mangled name and, of its instructions, the addresses and opcodes of those that a check looks at."""
    opcodes = "|".join(check.OPCODES for check in CHECKS)
    listing = subprocess.Popen([cuobjdump, "-sass", program], stdout=subprocess.PIPE)
    # Of millions of lines, a few in a hundred.
    asked = subprocess.Popen(["grep", "-E", r"Function : |^\s+/\*[0-9a-f]+\*/\s+(@!?\w+\s+)?(%s)\b" % opcodes],
                             stdin=listing.stdout, stdout=subprocess.PIPE, text=True)
    listing.stdout.close()
    name, code = None, []
    for line in asked.stdout:
        if "Function : " in line:
            if name:
                yield name, code
            name, code = line.split("Function : ")[1].strip(), []
        elif found := INSTRUCTION.match(line):
            code.append((found[1], found[2]))
    if name:
        yield name, code
    if asked.wait() != 0 or listing.wait() != 0:
        sys.exit("%s could not be read" % program)


def main():
    cuobjdump, *programs = sys.argv[1:]
    checks = [check() for check in CHECKS]
    for program in programs:
        for name, code in kernels_of(cuobjdump, program):
            for check in checks:
                check.look_at(name, code)
    failed = False
    for check in checks:
        failures, summary = check.result()
        failed |= bool(failures)
        print("\n".join([*failures, summary]))
    return 1 if failed else SKIPPED if any(check.saw_none() for check in checks) else 0


if __name__ == "__main__":
    sys.exit(main())

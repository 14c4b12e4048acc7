#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Wrong uses of the library fail to compile, each with one sentence that says what is wrong.

    wrong_use_test.py NVCC INCLUDE_FOLDER FILE      FILE fails, and the errors have the sentence of each line `// says: ...` in it
    wrong_use_test.py --all INCLUDE_FOLDER FILE...  every sentence of the public headers stands in one of the files
"""
import pathlib
import re
import subprocess
import sys

LITERAL = r'"((?:[^"\\]|\\.)*)"'
ASSERTION = re.compile(r'static_assert\((?:[^;"]|\n)*?((?:%s\s*)+)\);' % LITERAL)
# What stands for accesses that sm_100 alone has; a library's own kernels, which users do not instantiate, are left out whole.
INTERNAL = {"no 32-byte access here"}


def stated(file):
    text = pathlib.Path(file).read_text()
    # A sentence may go on in the next comment line.
    return [re.sub(r"\n\s*// ", " ", sentence) for sentence in re.findall(r"// says: (.*(?:\n\s*// (?!says: ).*)*)", text)]


def sentences(include):
    for header in sorted(pathlib.Path(include).glob("wideload/**/*.cuh")):
        if "kernel" in header.parts:
            continue
        for literals, _ in ASSERTION.findall(header.read_text()):
            yield header, "".join(re.findall(LITERAL, literals))


def check_all(include, files):
    tested = {sentence for file in files for sentence in stated(file)}
    found = list(sentences(include))
    missing = ["%s: no wrong use says: %s" % (header, sentence) for header, sentence in found
               if sentence not in tested | INTERNAL]
    stale = ["no header says: %s" % sentence for sentence in tested - {sentence for _, sentence in found}]
    print(*missing, *stale, "%d sentences, %d of them missing" % (len({s for _, s in found}), len(missing)), sep="\n")
    return 1 if missing or stale else 0


def check(nvcc, include, file):
    way = re.search("// compile: (.*)", pathlib.Path(file).read_text())
    options = way[1].split() if way else ["-arch=sm_90", "-cuda"]
    ended = subprocess.run([nvcc, "-std=c++17", *options, "-I" + include, file, "-o", "/dev/null"], capture_output=True, text=True)
    said = " ".join((ended.stdout + ended.stderr).split())
    missing = [sentence for sentence in stated(file) if sentence not in said]
    if ended.returncode == 0:
        print("it compiles")
    elif missing:
        print(ended.stderr, *("the errors do not say: " + sentence for sentence in missing), sep="\n")
    return 1 if ended.returncode == 0 or missing or not stated(file) else 0


if __name__ == "__main__":
    sys.exit(check_all(sys.argv[2], sys.argv[3:]) if sys.argv[1] == "--all" else check(*sys.argv[1:]))

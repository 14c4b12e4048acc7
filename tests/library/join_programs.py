# SPDX-License-Identifier: Apache-2.0
"""Writes one program of several, which compile in a third of their time since they use the same kernels.

    join_programs.py OUTPUT PREFIX SOURCE...

It is each of them where it is called by PREFIX and the source's name without its ending. A source becomes a namespace; what it
includes comes before them all.
"""
import pathlib
import re
import sys

MAIN = re.compile(r"^int main\((.*)\) {", re.M)


def includes_of(sources):
    """What the sources include, the toolkit's and the library's headers first, each once."""
    lines = {line for source in sources for line in source.read_text().splitlines() if line.startswith("#include")}
    return sorted(lines, key=lambda line: ('"' in line, line))


def call_of(source, prefix):
    arguments = "argc, argv" if MAIN.search(source.read_text())[1] else ""
    return f'    if (name == "{prefix}{source.stem}") return {source.stem}::main({arguments});'


def main():
    output, prefix, *names = sys.argv[1:]
    sources = [pathlib.Path(name).resolve() for name in names]
    lines = ["// SPDX-License-Identifier: Apache-2.0", "#include <cstdio>", "#include <string>", *includes_of(sources)]
    for source in sources:
        lines += [f"namespace {source.stem} {{", f'#include "{source}"', "}"]
    lines += ["int main(int argc, char** argv) {", "    const std::string path = argv[0];",
              "    const std::string name = path.substr(path.rfind('/') + 1);",
              *(call_of(source, prefix) for source in sources),
              '    std::fprintf(stderr, "%s is none of the programs joined here\\n", path.c_str());',
              "    return 2;", "}", ""]
    pathlib.Path(output).write_text("\n".join(lines))


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What is only seen on a terminal, one case a run: colour, which must reach no file; the line of progress, which must not stay;
and that the program keeps its own streams and the user the keys.

    cases.py CASE --wideload PATH --programs FOLDER
"""
import argparse
import pathlib
import re
import signal
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests/run/support"))
import terminal
import wideload

COLOUR = re.compile(r"\x1b\[[0-9;]*m")
PROGRESS = r"wideload: [0-9]+ s, 2 launches, now in never_end\(int volatile\*\)"
REPORT = "1 kernel, 1 launch"  # a line of the report of `messages_program launch`


def check(condition, what, seen):
    if not condition:
        sys.exit("wrong: %s\n%s" % (what, seen))


class Bench:
    def __init__(self, options, scratch):
        self.wideload, self.programs, self.scratch = options.wideload, pathlib.Path(options.programs), scratch

    def command(self, *words, streams=("out", "err"), typed=(), no_color=None, term="xterm"):
        environment = wideload.environment(TMPDIR=self.scratch, TERM=term)
        del environment["NO_COLOR"]
        if no_color is not None:
            environment["NO_COLOR"] = no_color
        return terminal.run([self.wideload, *words], streams, environment, self.scratch, typed)

    def launch(self, *options, program=("launch",), **more):
        return self.command("run", *options, "--", self.programs / "messages_program", *program, **more)

    def never_end(self, *options, timeout=3, **more):
        """By default ended a second after progress is shown."""
        return self.command("run", "--kernel-timeout", str(timeout), *options, "--", self.programs / "fault_faults", "never-end",
                            **more)


def colour(bench):
    seen = bench.launch()
    check(seen.exit_code == 0 and REPORT in seen.screen(), "the report comes", seen)
    check(COLOUR.search(seen.raw), "a report on a terminal has colour", seen)
    plain = bench.launch(streams=()).errors
    check(seen.screen() == plain, "colour changes no word of\n" + plain, seen)
    check(COLOUR.search(bench.launch(no_color="").raw), "an empty NO_COLOR asks for nothing", seen)


def no_colour(bench):
    for value in ("1", "0", "no"):  # "regardless of its value", says no-color.org
        seen = bench.launch(no_color=value)
        check(REPORT in seen.screen() and "\x1b" not in seen.raw, "NO_COLOR=%s is obeyed" % value, seen)


def dumb(bench):
    seen = bench.launch(term="dumb")
    check(REPORT in seen.screen() and "\x1b" not in seen.raw, "a dumb terminal is spared", seen)


def no_terminal(bench):
    seen = bench.launch(streams=("out",))
    check(REPORT in seen.errors and "\x1b" not in seen.errors, "stderr decides, and a pipe has no colour", seen)
    check(seen.raw == "", "stdout has nothing of the report", seen)
    file = pathlib.Path(bench.scratch, "report.txt")
    seen = bench.launch("--report", file)
    check(REPORT in file.read_text() and "\x1b" not in file.read_text(), "a file has no colour", file.read_text())
    check(seen.raw == "", "the terminal has nothing of a report that goes to a file", seen)


def asked_for(bench):
    check(COLOUR.search(bench.launch("--color", "always", streams=()).errors), "--color always: in a pipe, too", "")
    check(COLOUR.search(bench.launch("--color", "always", no_color="1").raw), "the option beats NO_COLOR", "")
    seen = bench.launch("--color", "never")
    check(REPORT in seen.screen() and "\x1b" not in seen.raw, "--color never: on a terminal, too", seen)


def report_on_terminal(bench):
    seen = bench.launch("--report", "-", streams=("out",))
    check(COLOUR.search(seen.raw) and seen.errors == "", "a report on stdout looks at stdout", seen)
    seen = bench.launch("--report", "-", streams=("err",))
    check(REPORT in seen.output and "\x1b" not in seen.output, "stdout's pipe has no colour", seen)


def other_commands(bench):
    profile = pathlib.Path(bench.scratch, "profile.json")
    bench.launch("--quiet", "--json", profile)
    commands = {"report": ["report", profile], "lab": ["lab", "--results", ROOT / "docs/results/h200.json", "coalescing"]}
    if bench.command("inspect", bench.programs / "messages_program", streams=()).exit_code == 0:  # there is nvdisasm
        commands["inspect"] = ["inspect", bench.programs / "messages_program"]
    for name, command in commands.items():
        seen = bench.command(*command)
        check(seen.exit_code == 0 and COLOUR.search(seen.raw), name + " has colour", seen)
        check(COLOUR.search(bench.command(*command, no_color="").raw), name + ": an empty NO_COLOR asks for nothing", seen)
        for how in ({"no_color": "1"}, {"term": "dumb"}):
            check("\x1b" not in bench.command(*command, **how).raw, "%s obeys %s" % (name, how), seen)
        piped = bench.command(*command, streams=("err",))
        check(piped.output and "\x1b" not in piped.output, name + " in a pipe has no colour", piped)


def progress(bench):
    # NO_COLOR is about colour alone.
    for no_color in (None, "1"):
        seen = bench.never_end(no_color=no_color)
        check(re.search(PROGRESS, seen.raw), "a run over two seconds shows how far it is", seen)
        check(not re.search(PROGRESS, seen.screen()), "the line is gone in the end", seen.screen())
        check("never_end(" in seen.screen(), "the report comes", seen)
    plain = bench.never_end(streams=())
    check(seen.screen().count("\n") == (plain.output + plain.errors).count("\n"), "nor does it leave an empty line", seen.screen())


def no_progress(bench):
    check("wideload: " not in bench.launch().raw, "a short run shows none", "")
    seen = bench.never_end(streams=("out",))
    check(not re.search(PROGRESS, seen.errors + seen.raw), "none where stderr is a pipe", seen)
    seen = bench.never_end("--quiet")
    check(not re.search(PROGRESS, seen.raw), "none under --quiet", seen)


def own_streams(bench):
    seen = bench.launch(program=("print", "launch"), streams=("err",))
    check(seen.output == "out\n", "stdout is the program's own", seen)
    check("err\n" in seen.screen() and REPORT in seen.screen(), "stderr has both", seen)
    seen = bench.launch(program=("print", "launch"))
    check(all(line in seen.screen().split("\n") for line in ("out", "err")), "on a terminal, too", seen)
    shell = ["run", "--quiet", "--", "/bin/sh", "-c", "test -t 0 -a -t 1 -a -t 2 && echo three terminals"]
    seen = bench.command(*shell, streams=("in", "out", "err"))
    check(seen.raw == "three terminals\r\n", "the program sees the terminal", seen)


def typed_input(bench):
    """The program is no background job, which would be stopped where it reads."""
    seen = bench.launch(program=("print", "read"), streams=("in", "out", "err"), typed=[(rb"out\r\n", b"typed\n\x04")])
    check(seen.exit_code == 0 and seen.screen().split("\n").count("typed") == 2, "the echo, and what the program prints", seen)


def ctrl_c(bench):
    seen = bench.never_end(timeout=60, streams=("in", "out", "err"), typed=[(PROGRESS.encode(), b"\x03")])
    check(seen.exit_code == -signal.SIGINT, "ended as by Ctrl-C", seen)
    shown = seen.screen()
    check("interrupted" in shown and not re.search(PROGRESS, shown), "the report comes, the line is gone", shown)


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("case")
    arguments.add_argument("--wideload", required=True)
    arguments.add_argument("--programs", required=True)
    options = arguments.parse_args()
    cases = {"colour": colour, "no-colour": no_colour, "dumb": dumb, "no-terminal": no_terminal, "asked-for": asked_for,
             "report-on-terminal": report_on_terminal, "other-commands": other_commands, "progress": progress,
             "no-progress": no_progress, "own-streams": own_streams, "typed-input": typed_input, "ctrl-c": ctrl_c}
    with tempfile.TemporaryDirectory(prefix="wideload-terminal-") as scratch:
        cases[options.case](Bench(options, scratch))


if __name__ == "__main__":
    main()

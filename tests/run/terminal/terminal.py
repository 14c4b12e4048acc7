# SPDX-License-Identifier: Apache-2.0
"""Runs a command with some of its streams on a terminal of its own, a pseudo-terminal that is read to its end."""
import dataclasses
import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import threading
import time

SECONDS = 60
ROWS, COLUMNS = 40, 100
CONTROL = re.compile(r"\x1b\[([0-9;]*)([A-Za-z])")


@dataclasses.dataclass
class Seen:
    exit_code: int  # negative: ended by that signal
    raw: str  # all that reached the terminal
    output: str  # of stdout, where that was no terminal
    errors: str

    def screen(self):
        return screen_of(self.raw)


def screen_of(raw):
    """The lines that a terminal shows of what it was sent. Of control sequences those that wideload uses; another is an error."""
    lines, column, at = [[]], 0, 0
    while at < len(raw):
        control = CONTROL.match(raw, at)
        if control and control[2] == "K" and control[1] in ("", "0"):
            del lines[-1][column:]
        elif control and control[2] != "m":
            raise ValueError("unknown control sequence %r" % control[0])
        if control:
            at = control.end()
            continue
        character = raw[at]
        at += 1
        if character == "\r":
            column = 0
        elif character == "\n":
            lines.append([])
        else:
            lines[-1] += [" "] * (column + 1 - len(lines[-1]))
            lines[-1][column] = character
            column += 1
    return "\n".join("".join(line).rstrip() for line in lines)


def read_terminal(master, child, typed):
    """Until nobody has the terminal open any more. `typed`: pairs of what has to be seen first, and the keys."""
    seen, typed = b"", list(typed)
    deadline = time.monotonic() + SECONDS
    while time.monotonic() < deadline:
        if typed and re.search(typed[0][0], seen):
            os.write(master, typed.pop(0)[1])
        if not select.select([master], [], [], 0.1)[0]:
            continue
        try:
            more = os.read(master, 65536)
        except OSError:  # EIO: closed on the other side
            more = b""
        if not more:
            return seen
        seen += more
    child.kill()
    raise TimeoutError("not at its end; the terminal saw %r" % seen)


def run(command, streams, environment, folder, typed=()):
    """streams: which of "in", "out" and "err" are the terminal; the others are pipes, and stdin is empty."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))

    def own_the_terminal():
        fcntl.ioctl(slave, termios.TIOCSCTTY, 0)
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # ignored where tests run in a shell's background

    child = subprocess.Popen(
        command, cwd=folder, env=environment, start_new_session=True, preexec_fn=own_the_terminal,
        stdin=slave if "in" in streams else subprocess.DEVNULL, stdout=slave if "out" in streams else subprocess.PIPE,
        stderr=slave if "err" in streams else subprocess.PIPE)
    os.close(slave)
    piped = {}
    readers = [threading.Thread(target=lambda name=name, pipe=pipe: piped.update({name: pipe.read().decode()}))
               for name, pipe in (("out", child.stdout), ("err", child.stderr)) if pipe]
    for reader in readers:
        reader.start()
    raw = read_terminal(master, child, typed)
    for reader in readers:
        reader.join(SECONDS)
    code = child.wait(SECONDS)
    os.close(master)
    return Seen(code, raw.decode(), piped.get("out", ""), piped.get("err", ""))

# SPDX-License-Identifier: Apache-2.0
"""What can go wrong, and how to provoke it: one Case a golden."""
import dataclasses
import pathlib
import re
import signal
import typing


def as_it_is(program, scratch):
    return program


def missing(program, scratch):
    return "./missing"


def empty_file(program, scratch):
    return file_with(scratch, "empty", b"")


def text_file(program, scratch):
    return file_with(scratch, "notes.txt", b"remember the milk\n")


def without_execute_permission(program, scratch):
    return file_with(scratch, "not_executable", pathlib.Path(program).read_bytes(), 0o644)


def folder(program, scratch):
    pathlib.Path(scratch, "folder").mkdir()
    return "./folder"


def without_cuda(program, scratch):
    return "/bin/true"


def with_mistakes_in_ptx(program, scratch):
    """The program holds its PTX as plain text. An unknown instruction, and a missing comma, of the same length each."""
    image = pathlib.Path(program).read_bytes()
    for whole, broken in ((rb"brev\.b32", b"brex.b32"), (rb"(clz\.b32\s+%r\d+),", rb"\1 ")):
        image, count = re.subn(whole, broken, image)
        assert count == 1, "%s is there %d times" % (whole, count)
    return file_with(scratch, "broken_ptx", image)


def file_with(scratch, name, content, mode=0o755):
    path = pathlib.Path(scratch, name)
    path.write_bytes(content)
    path.chmod(mode)
    return "./" + name


@dataclasses.dataclass
class Case:
    name: str  # of the golden
    program: str = "faults"  # the stem of the program that the build made
    arguments: tuple = ()
    prepare: typing.Callable = as_it_is  # makes what is run, in a scratch folder, from that program
    options: tuple = ()  # of wideload run
    report: bool = False  # the golden has the report too, without its layout, which depends on where the source lies
    json: str = "profile.json"
    interrupt: str = ""  # the kernel, as a progress line names it, that a signal is sent to wideload at
    sent: int = signal.SIGINT


def fault(name, **more):
    return Case(name, arguments=(name,), **more)


CASES = [
    # What is no CUDA program.
    Case("missing-program", prepare=missing),
    Case("folder", prepare=folder),
    Case("empty-file", prepare=empty_file),
    Case("text-file", prepare=text_file),
    Case("without-execute-permission", prepare=without_execute_permission),
    Case("without-cuda", prepare=without_cuda, report=True),
    Case("stripped-static", "stripped"),
    # Device code that cannot run here.
    Case("only-machine-code", "only_machine_code"),
    Case("ptx-of-a-newer-gpu", "newer_ptx"),
    Case("ptx-of-a-newer-gpu-by-choice", "one_kernel", options=("--gpu", "t4")),
    Case("unknown-gpu", "one_kernel", options=("--gpu", "voodoo2")),
    Case("mistakes-in-ptx", "plain_ptx", prepare=with_mistakes_in_ptx),
    Case("unsupported-instruction", "tensor_core", report=True),
    Case("dynamic-parallelism", "nested_launch"),
    Case("clusters", "clusters"),
    # Launches that a GPU refuses.
    fault("too-many-threads"),
    fault("no-threads"),
    fault("too-many-blocks"),
    fault("over-launch-bounds"),
    fault("too-much-shared-memory"),
    fault("too-much-shared-memory-allowed"),
    fault("cooperative-too-large"),
    # Kernels that fail.
    fault("out-of-bounds-read", report=True),
    fault("out-of-bounds-write"),
    fault("out-of-bounds-atomic"),
    fault("null-read"),
    fault("host-pointer"),
    fault("misaligned"),
    fault("use-after-free"),
    fault("shared-out-of-bounds"),
    fault("shared-out-of-bounds-by-pointer"),
    fault("parameter-out-of-bounds"),
    fault("parameter-far-out-of-bounds"),
    fault("parameter-out-of-bounds-by-pointer"),
    fault("local-out-of-bounds"),
    fault("local-below-bounds"),
    fault("free-of-device-memory"),
    fault("free-twice"),
    fault("stack-overflow"),
    fault("assert"),
    fault("trap"),
    fault("barrier-deadlock"),
    fault("bulk-copy-misaligned"),
    fault("bulk-copy-out-of-bounds"),
    fault("bulk-copy-outside-shared"),
    fault("bulk-copy-of-odd-size"),
    fault("too-many-arrivals"),
    fault("wild-function-pointer"),
    fault("never-end", options=("--kernel-timeout", "1")),
    fault("wait-in-recursion", options=("--kernel-timeout", "1")),
    Case("interrupted-kernel", arguments=("never-end",), interrupt="never_end(int volatile*)"),
    Case("terminated-kernel", arguments=("never-end",), interrupt="never_end(int volatile*)", sent=signal.SIGTERM),
    Case("quit-kernel", arguments=("never-end",), interrupt="never_end(int volatile*)", sent=signal.SIGQUIT),
    # Kernels that go on, and whose results are undefined on a GPU.
    fault("absent-lanes", report=True),
    fault("unnamed-lanes", options=("--no-counters",)),
    # Programs that fail by themselves.
    fault("host-read"),
    fault("segmentation-fault"),
    fault("abort"),
    fault("exit-3"),
    fault("terminate"),
    # Output that cannot be written.
    Case("profile-on-full-disk", "one_kernel", json="/dev/full"),
    Case("profile-in-missing-folder", "one_kernel", json="missing/profile.json"),
    Case("report-on-full-disk", "one_kernel", options=("--report", "/dev/full"), report=True),
    Case("full-disk-and-failing-program", arguments=("exit-3",), json="/dev/full"),
]

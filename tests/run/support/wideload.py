# SPDX-License-Identifier: Apache-2.0
"""Runs programs under `wideload run`, for the tests of this folder."""
import dataclasses
import json
import os
import pathlib
import subprocess
import tempfile

SECONDS = 240


@dataclasses.dataclass
class Run:
    exit_code: int  # negative: ended by that signal
    output: str
    errors: str
    profile: dict | None  # None: none was written


def environment(keep=(), **changes):
    """The caller's own, without what would change how a run looks, but with the variables that `keep` names."""
    kept = {name: value for name, value in os.environ.items()
            if name in keep or not name.startswith(("WIDELOAD_", "LD_PRELOAD", "CUDA_VISIBLE"))}
    return kept | {"NO_COLOR": "1", "LC_ALL": "C.UTF-8"} | changes


def run(wideload, program, arguments=(), options=(), libraries="", folder=None, keep=(), seconds=SECONDS):
    """Runs the program to its end.

    options    more of `wideload run`
    libraries  folders where the program's shared libraries are, beside the usual ones
    folder     the working directory; a scratch folder by default
    seconds    that it may take
    keep       names of variables of the environment that the run sees although others of their kind are left out
    """
    changes = {"LD_LIBRARY_PATH": libraries} if libraries else {}
    with tempfile.TemporaryDirectory(prefix="wideload-test-") as scratch:
        kept = pathlib.Path(scratch, "profile.json")
        ended = subprocess.run(
            [wideload, "run", "--json", kept, *options, "--", program, *arguments],
            cwd=folder or scratch, env=environment(keep, **changes), stdin=subprocess.DEVNULL, capture_output=True,
            text=True, errors="replace", timeout=seconds)
        profile = json.loads(kept.read_text()) if kept.exists() else None
    return Run(ended.returncode, ended.stdout, ended.stderr, profile)

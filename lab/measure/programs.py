# SPDX-License-Identifier: Apache-2.0
"""The programs of the lab: found or built, described, run."""
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import tempfile
import typing

COMMON_FLAGS = ["-O3", "-std=c++17", "-lineinfo", "--extended-lambda", "-gencode", "arch=compute_90,code=[sm_90,compute_90]"]


class Built(typing.NamedTuple):
    files: list
    problems: list


class Run(typing.NamedTuple):
    results: typing.Optional[dict]
    problems: list


def listed(lab):
    """Names and further flags, in the order of the course, as lab/CMakeLists.txt has them."""
    text = re.sub(r"#.*", "", (lab / "CMakeLists.txt").read_text())
    for name, rest in re.findall(r"wideload_add_experiment\(\s*([\w-]+)([^)]*)\)", text):
        if (lab / (name + ".cu")).exists():
            yield name, rest.replace("${PROJECT_SOURCE_DIR}", str(lab.parent)).split()[1:]


def build(lab, nvcc, names, say):
    folder = pathlib.Path(os.environ.get("WIDELOAD_LAB_BUILD") or tempfile.mkdtemp(prefix="wideload-lab-"))
    chosen = [(name, flags) for name, flags in listed(lab) if not names or name in names]

    def compile_one(item):
        name, flags = item
        command = [nvcc, *COMMON_FLAGS, "-I" + str(lab.parent / "include"), *flags, str(lab / (name + ".cu")), "-o",
                   str(folder / name)]
        ended = subprocess.run(command, capture_output=True, text=True)
        return None if ended.returncode == 0 else "%s does not build\n%s" % (name, ended.stderr)

    say("building %d programs into %s" % (len(chosen), folder))
    with concurrent.futures.ThreadPoolExecutor(max(1, (os.cpu_count() or 2) // 2)) as pool:
        problems = [problem for problem in pool.map(compile_one, chosen) if problem]
    for problem in problems:
        say(problem)
    unknown = set(names) - {name for name, _ in chosen}
    problems += ["there is no experiment '%s'" % name for name in sorted(unknown)]
    return Built([folder / name for name, _ in chosen if (folder / name).exists()], problems)


def find(folder, names):
    files = [file for file in folder.iterdir() if os.access(file, os.X_OK) and (not names or file.name in names)]
    missing = set(names) - {file.name for file in files}
    files.sort(key=lambda file: describe(file)["chapter"])
    return Built(files, ["there is no program %s in %s" % (name, folder) for name in sorted(missing)])


def describe(program):
    return json.loads(subprocess.run([program, "--describe"], capture_output=True, text=True, check=True).stdout)


def run(command, results, timeout):
    """Runs a program that writes its results, under a profiler or not."""
    results.unlink(missing_ok=True)
    words = [str(word) for word in command]
    try:
        ended = subprocess.run(words, capture_output=True, text=True, timeout=timeout)
    except subprocess.TimeoutExpired:
        return Run(None, ["%s took longer than %d s" % (" ".join(words), timeout)])
    except OSError as error:
        return Run(None, ["cannot run %s: %s" % (words[0], error.strerror)])
    problems = []
    if ended.returncode != 0:
        problems.append("%s ended with %d\n%s" % (" ".join(words), ended.returncode, (ended.stdout + ended.stderr)[-2000:]))
    if not results.exists():
        return Run(None, problems or ["%s wrote no results" % " ".join(words)])
    return Run(json.loads(results.read_text()), problems)

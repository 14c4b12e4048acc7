# SPDX-License-Identifier: Apache-2.0
"""The hardware's counters: asked of ncu, joined to points, held to the points' formulas."""
import csv
import fnmatch
import re

# Counters as profiles spell them (docs/profile.md) -> the profiler's metrics.
METRICS = {
    **{"global_%s_%s" % (op, what): "l1tex__t_%s_pipe_lsu_mem_global_op_%s.sum" % (what, op)
       for op in ("ld", "st", "red", "atom") for what in ("requests", "sectors")},
    **{"local_%s_%s" % (op, what): "l1tex__t_%s_pipe_lsu_mem_local_op_%s.sum" % (what, op)
       for op in ("ld", "st") for what in ("requests", "sectors")},
    **{"shared_%s_inst" % op: "smsp__inst_executed_op_shared_%s.sum" % op for op in ("ld", "st")},
    **{"shared_%s_wavefronts" % op: "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_%s.sum" % op for op in ("ld", "st")},
    **{"shared_%s_conflicts" % op: "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_%s.sum" % op for op in ("ld", "st")},
    "inst": "smsp__inst_executed.sum",
    "thread_inst": "smsp__thread_inst_executed.sum",
    "l1_ld_hit_sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum",
    "dram_read_sectors": "dram__sectors_read.sum",
    "dram_write_sectors": "dram__sectors_write.sum",
}

# What machine code and PTX have alike: exactly, or within a share where the hardware adds arbitration of its own. Other
# counters are of machine instructions, of which ptxas decides.
COMPARABLE = [("global_*", 0), ("local_*", 0), ("shared_*_wavefronts", 0.12), ("shared_*_conflicts", 0.12)]

# Launched by the harness around a point, with its number in the grid: lab/harness/session.cuh.
POINT_BEGINS, POINT_ENDS = "lab::point_begins", "lab::point_ends"


def command(ncu, log):
    return [ncu, "--csv", "--page", "raw", "--print-units", "base", "--clock-control", "none", "--log-file", log, "--metrics",
            ",".join(METRICS.values())]


def launches(log):
    """Kernel, grid and counters of every launch, in order."""
    lines = log.read_text().splitlines()
    start = next((number for number, line in enumerate(lines) if line.startswith('"ID"')), None)
    if start is None:
        return
    for row in csv.DictReader(lines[start:]):
        if not row["ID"]:
            continue  # the line of units
        counted = {name: int(float(row[metric].replace(",", ""))) for name, metric in METRICS.items() if row.get(metric)}
        yield row["Kernel Name"], [int(number) for number in re.findall(r"\d+", row["Grid Size"])], counted


def join(results, log):
    """Gives each point the counters of its launches. Returns what did not fit."""
    problems, current = [], None
    for kernel, grid, counted in launches(log):
        if POINT_ENDS in kernel:
            current = None
        elif POINT_BEGINS in kernel:
            number = grid[0] - 1
            current = results["points"][number] if number < len(results["points"]) else None
            if current is None:
                problems.append("the launches of point %d were counted, but there are %d points" % (number, len(results["points"])))
        elif current is not None:
            current["launches"] = current.get("launches", 0) + 1
            totals = current.setdefault("counters", {})
            for name, value in counted.items():
                totals[name] = totals.get(name, 0) + value
    if not any(point.get("launches") for point in results["points"]):
        problems.append("no launch of a point was counted; is profiling allowed?")
    return problems


def tolerance(counter):
    """How far hardware may be off a formula, relative; None: it says nothing of it."""
    return next((share for pattern, share in COMPARABLE if fnmatch.fnmatch(counter, pattern)), None)


def compared(results):
    for number, point in enumerate(results["points"]):
        for expected in point["expected"]:
            allowed = tolerance(expected["counter"])
            found = point.get("counters", {}).get(expected["counter"])
            if allowed is not None and found is not None:
                yield number, point, expected, found, allowed


def checked(results):
    return sum(1 for _ in compared(results))


def differences(results):
    for number, point in enumerate(results["points"]):
        if not point["correct"]:
            yield "point %d, series %s, %s: the result is wrong" % (number, point["series"], point["parameters"])
    for number, point, expected, found, allowed in compared(results):
        if abs(found - expected["value"]) > allowed * expected["value"]:
            yield "point %d, series %s, %s: %s is %d, expected %d (%s)" % (
                number, point["series"], point["parameters"], expected["counter"], found, expected["value"], expected["formula"])

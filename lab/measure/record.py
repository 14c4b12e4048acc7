# SPDX-License-Identifier: Apache-2.0
"""The files that keep what was measured."""
import csv
import io
import json
import pathlib


def write(file, experiments):
    """A record as `wideload lab --json` writes it, one experiment a line; whole or not at all."""
    lines = ",\n".join(json.dumps(one, separators=(",", ":")) for one in experiments)
    replace(file, '{"schema":"wideload-lab-record/1","experiments":[\n%s\n]}\n' % lines)


def write_csv(file, experiments):
    """The times as a table, with the machine described in front."""
    text = io.StringIO()
    if experiments:
        machine = experiments[0]["results"]["machine"]
        text.write("# gpu: %s (%s), driver CUDA %s\n# cuda: %s\n" % (
            machine["gpu"], machine["compute_capability"], machine["driver"], machine["runtime"]))
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(["experiment", "series", "parameters", "bytes", "median_us", "lowest_us", "highest_us", "gbps", "copy_percent"])
    for experiment in experiments:
        results = experiment["results"]
        for point in results["points"]:
            time = point.get("us")
            if not time:
                continue
            gbps = point["bytes"] / time["median"] / 1000
            parameters = ";".join("%s=%g" % item for item in point["parameters"].items())
            rows.writerow([results["experiment"], point["series"], parameters, point["bytes"], "%.3f" % time["median"],
                           "%.3f" % time["lowest"], "%.3f" % time["highest"], "%.1f" % gbps,
                           "%.1f" % (100 * gbps / results["best_copy_gbps"])])
    replace(file, text.getvalue())


def replace(file, text):
    new = pathlib.Path(str(file) + ".new")
    new.write_text(text)
    new.replace(file)

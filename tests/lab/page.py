#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the lab's page from the records that the experiments' tests kept, and opens it in headless Chromium.

    page.py --wideload PATH RECORD...

Every experiment must have its heading, every chart must be drawn, and the console must be silent. Exits with 77 (skipped) where there
is no Chromium. That the test would notice a broken page is tried out: a page whose first chart is no specification must fail.
"""
import argparse
import html.parser
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77


class Page(html.parser.HTMLParser):
    """What a drawn page holds."""

    def __init__(self, text):
        super().__init__()
        self.headings, self.specifications, self.drawn, self.pictures = [], 0, 0, 0
        self.state = self.in_canvas = self.in_roofline = None
        self.roofline_words = []
        self.before_text = None
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        classes = (attributes.get("class") or "").split()
        if tag == "body":
            self.state = attributes.get("data-charts")
        elif tag == "section" and attributes["id"] == "kernels-under-the-roofs":
            self.in_roofline = True
        elif tag == "section" and "words" in classes:
            self.before_text = self.headings[-1]
        elif tag == "section":
            self.headings.append(attributes["id"])
        elif "chart" in classes:
            self.specifications += 1
        elif "canvas" in classes:
            self.in_canvas = True
        elif tag == "svg" and "picture" in classes:
            self.pictures += 1
        elif tag == "svg" and self.in_canvas:
            self.drawn += 1
            self.in_canvas = False

    def handle_data(self, data):
        if self.in_roofline:
            self.roofline_words.append(data.strip())


def drawn_page(chromium, file, profile):
    """The page's elements after its scripts ran, and what they said on the console."""
    ended = subprocess.run(
        [chromium, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--enable-logging=stderr",
         "--user-data-dir=" + profile, "--virtual-time-budget=20000", "--dump-dom", file.as_uri()],
        capture_output=True, text=True, timeout=240)
    console = [line for line in ended.stderr.splitlines() if "CONSOLE" in line]
    return Page(ended.stdout), console


def make_page(wideload, records, folder):
    together = {"schema": "wideload-lab-record/1", "experiments": []}
    for record in records:
        together["experiments"] += json.loads(record.read_text())["experiments"]
    record, page = folder / "all.json", folder / "lab.html"
    record.write_text(json.dumps(together))
    ended = subprocess.run([wideload, "lab", "--quiet", "--results", record, "--html", page, "--beside", record],
                           capture_output=True, text=True)
    if ended.returncode != 0 or ended.stderr:
        sys.exit("exit code %d\n%s" % (ended.returncode, ended.stderr))
    return page, [experiment["description"]["name"] for experiment in together["experiments"]]


def complaints(page, console, names):
    yield from console
    if page.state != "drawn":
        yield "the charts are %s" % page.state
    if sorted(page.headings) != sorted(names):
        yield "chapters are %s, expected %s" % (page.headings, names)
    if page.specifications == 0 or page.drawn != page.specifications:
        yield "%d of %d charts are drawn" % (page.drawn, page.specifications)
    for word in ("operations a byte of DRAM", "DRAM 4.81 TB/s", "L1 33.5 TB/s", "f32 66.9 TFLOP/s"):
        if word not in page.roofline_words:
            yield "the roofline has no '%s'" % word
    if page.before_text != "occupancy":
        yield "the chapter on registers stands after %s" % page.before_text
    if page.pictures == 0:
        yield "there is no picture"


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("records", nargs="+", type=pathlib.Path)
    arguments.add_argument("--wideload", required=True)
    options = arguments.parse_args()
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    if chromium is None:
        print("skipped: there is no chromium; tools/setup installs it where the distribution has it as a package")
        sys.exit(SKIPPED)
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        file, names = make_page(options.wideload, options.records, folder)
        page, console = drawn_page(chromium, file, str(folder / "profile"))
        found = list(complaints(page, console, names))
        print("%d chapters, %d charts, %d pictures" % (len(page.headings), page.drawn, page.pictures))
        if found:
            sys.exit("\n".join(found))

        broken = folder / "broken.html"
        broken.write_text(file.read_text().replace('"mark":', '"no_mark":', 1))
        if not list(complaints(*drawn_page(chromium, broken, str(folder / "profile")), names)):
            sys.exit("a chart that cannot be drawn was not noticed")


if __name__ == "__main__":
    main()

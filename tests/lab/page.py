#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the lab's page from the records that the experiments' tests kept, and opens it in headless Chromium.

    page.py --wideload PATH RECORD...

Every experiment must have its heading, its kernels, and each picture that it describes, of its kind; every sentence stands once; every
chart must be drawn, and the console must be silent. Exits with 77 (skipped) where there is no Chromium. That the test would notice a
broken page is tried out: one whose first chart is no specification, and one whose first picture is of another kind, must fail.
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
# The chapters of the course, in its order.
COURSE = ["vector-width", "alignment", "vector-cost", "coalescing", "stride", "offset", "broadcast", "matrix-access", "transpose",
          "thread-mapping", "divergence", "occupancy", "memory-spaces", "grid-stride", "gemm", "roofline", "float3", "aos-soa",
          "reduction", "bank-conflicts"]


class Page(html.parser.HTMLParser):
    """What a drawn page holds."""

    def __init__(self, text):
        super().__init__()
        self.headings, self.specifications, self.drawn = [], 0, 0
        self.state = self.in_canvas = self.in_roofline = None
        self.roofline_words = []
        self.pictures, self.code, self.sentences = {}, {}, {}  # by chapter
        self.figure = self.title = self.sentence = None
        self.links = []
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
        elif tag == "details" and "code" in classes:
            self.code[self.headings[-1]] = self.code.get(self.headings[-1], 0) + 1
        elif tag == "figure":
            self.figure = classes[0]
        elif tag == "b" and self.figure:
            self.title = ""
        elif tag == "svg" and "picture" in classes:
            self.pictures.setdefault(self.headings[-1], []).append((self.figure, self.title))
        elif tag == "li" and classes and classes[0] in ("holds", "fails"):
            self.sentence = ""
        elif tag == "span" and self.sentence is not None:
            self.keep_sentence()  # whose results say it is no part of it
        elif tag == "a":
            self.links.append(attributes["href"])
        elif tag == "svg" and self.in_canvas:
            self.drawn += 1
            self.in_canvas = False

    def handle_endtag(self, tag):
        if tag == "figure":
            self.figure = self.title = None
        elif tag == "figcaption":
            self.title = (self.title or "").strip()
        elif tag == "li":
            self.keep_sentence()

    def keep_sentence(self):
        if self.sentence is not None:
            self.sentences.setdefault(self.headings[-1], []).append(self.sentence.strip())
        self.sentence = None

    def handle_data(self, data):
        if self.in_roofline:
            self.roofline_words.append(data.strip())
        if self.sentence is not None:
            self.sentence += data
        if self.figure and self.title == "":
            self.title = data


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
    for record in reversed(records):  # the course has an order of its own
        together["experiments"] += json.loads(record.read_text())["experiments"]
    record, page = folder / "all.json", folder / "lab.html"
    record.write_text(json.dumps(together))
    ended = subprocess.run([wideload, "lab", "--quiet", "--results", record, "--html", page, "--beside", record],
                           capture_output=True, text=True)
    if ended.returncode != 0 or ended.stderr:
        sys.exit("exit code %d\n%s" % (ended.returncode, ended.stderr))
    return page, [experiment["description"] for experiment in together["experiments"]]


def chapter_complaints(page, description):
    name = description["name"]
    expected = [(picture["kind"], picture["title"]) for picture in description["pictures"]]
    if page.pictures.get(name, []) != expected:
        yield "the pictures of %s are %s, expected %s" % (name, page.pictures.get(name), expected)
    if not page.code.get(name):
        yield "%s shows no kernel" % name
    said = page.sentences.get(name, [])
    for sentence in sorted({sentence for sentence in said if said.count(sentence) > 1}):
        yield "%s says twice: %s" % (name, sentence)
    if not said:
        yield "%s says nothing" % name


def complaints(page, console, descriptions):
    yield from console
    if page.state != "drawn":
        yield "the charts are %s" % page.state
    if page.headings != COURSE:
        yield "chapters are %s, expected %s" % (page.headings, COURSE)
    if page.specifications == 0 or page.drawn != page.specifications:
        yield "%d of %d charts are drawn" % (page.drawn, page.specifications)
    for word in ("operations a byte of DRAM", "DRAM 4.81 TB/s", "L1 33.5 TB/s", "f32 66.9 TFLOP/s"):
        if word not in page.roofline_words:
            yield "the roofline has no '%s'" % word
    if page.before_text != "occupancy":
        yield "the chapter on registers stands after %s" % page.before_text
    if "http://ikko-debug.github.io/2025/12/24/cuda/" not in page.links:
        yield "the documents are not linked"
    for description in descriptions:
        yield from chapter_complaints(page, description)


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
        file, descriptions = make_page(options.wideload, options.records, folder)
        page, console = drawn_page(chromium, file, str(folder / "profile"))
        found = list(complaints(page, console, descriptions))
        print("%d chapters, %d charts, %d pictures, %d sentences" % (
            len(page.headings), page.drawn, sum(map(len, page.pictures.values())), sum(map(len, page.sentences.values()))))
        if found:
            sys.exit("\n".join(found))
        for whole, part in (('"mark":', '"no_mark":'), ('<figure class="lanes">', '<figure class="banks">')):
            broken = folder / "broken.html"
            broken.write_text(file.read_text().replace(whole, part, 1))
            if not list(complaints(*drawn_page(chromium, broken, str(folder / "profile")), descriptions)):
                sys.exit("a page with %s in place of %s was not noticed" % (part, whole))


if __name__ == "__main__":
    main()

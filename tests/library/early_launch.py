# SPDX-License-Identifier: Apache-2.0
"""Kernels that are launched before the stream's last one has ended wait for it before they touch memory, in machine code.

Of the library's kernels for sm_90 each must ask for the next kernel (PREEXIT) and wait for the last one (ACQBULK) in front of its
first access to global memory, which ptxas may not move before it. Those of small work, some of each family here, must bring their
input to L2 meanwhile (CCTL). The virtual GPU runs one kernel after the other.
"""
import collections
import re

ACCESS = "U?LDG|LDGSTS|STG|LD|ST|ATOMG?|RED|REDG|UBLKCP|UTMALDG|UTMASTG"
ACCESSES = re.compile("(%s)$" % ACCESS)
BRING_INPUT = ("copy_words_kernel", "copy_shifted_kernel", "transform_kernel", "interleave_kernel", "deinterleave_kernel",
               "staged_interleave_kernel", "reduce_kernel", "transpose_small_kernel", "transpose_fields_kernel",
               "move_words_kernel", "move_slipped_rows_kernel",
               "reduce_rows_kernel", "reduce_rows_in_order_kernel", "reduce_rows_by_lanes_in_order_kernel", "reduce_short_rows_kernel",
               "reduce_columns_kernel", "reduce_few_rows_kernel", "reduce_few_columns_in_order_kernel", "reduce_thin_columns_kernel",
               "transpose_small_swizzled_kernel", "transpose_small_padded_kernel",
               "transpose_packed_kernel", "transpose_in_place_swizzled_kernel", "transpose_in_place_small_swizzled_kernel",
               "transpose_in_place_small_kernel")
COOPERATIVE = "transpose_held_kernel"  # whose blocks are to be there at once: launched when all else has ended


def part_of(mangled):
    """The identifier that a mangled name goes on with, behind its length, and what follows it; none where it does not."""
    found = re.match(r"\d+", mangled)
    end = found.end() + int(found[0]) if found else 0
    return mangled[found.end():end] if found else None, mangled[end:]


def template_of(name):
    """The kernel's, where it is one of the library: wideload::detail_ARCHITECTURES::TEMPLATE<...>."""
    if not name.startswith("_ZN8wideload"):
        return None
    return part_of(part_of(name.removeprefix("_ZN8wideload"))[1])[0]


def wrong_with(code):
    """What a kernel's code does too early or not at all."""
    opcodes = [opcode for _, opcode in code]
    if "ACQBULK" not in opcodes:
        return "never waits"
    if "PREEXIT" not in opcodes:
        return "does not ask for the next kernel"
    for address, opcode in code[:opcodes.index("ACQBULK")]:
        if ACCESSES.match(opcode):
            return "%s at %s comes before it waits" % (opcode, address)
    return None


def brings_input(code):
    """Whether it asks L2 for its input in front of a wait: blocks with other work than most may wait before that."""
    opcodes = [opcode for _, opcode in code]
    waits = [i for i, opcode in enumerate(opcodes) if opcode == "ACQBULK"]
    return "CCTL" in opcodes[:waits[-1]]


class EarlyLaunch:
    OPCODES = ACCESS + "|PREEXIT|ACQBULK|CCTL"

    def __init__(self):
        self.kernels, self.bringing = collections.Counter(), collections.Counter()
        self.failures = []

    def look_at(self, name, code):
        template = template_of(name)
        if template is None or template == COOPERATIVE:
            return
        self.kernels[template] += 1
        if wrong := wrong_with(code):
            self.failures.append("%s\n    %s" % (name, wrong))
        elif brings_input(code):
            self.bringing[template] += 1

    def saw_none(self):
        return not self.kernels

    def result(self):
        failures = self.failures + ["no %s brings its input early" % template
                                    for template in BRING_INPUT if not self.bringing[template]]
        return failures, "%d kernels of %d templates, %d bring their input early, %d failures" % (
            sum(self.kernels.values()), len(self.kernels), sum(self.bringing.values()), len(failures))

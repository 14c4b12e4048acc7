// SPDX-License-Identifier: Apache-2.0
#include "profile/mismatch.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace wideload::profile {
namespace {

/// Of one source line, or where that is unknown of one PTX line.
bool same_place(const Mismatch& left, const Mismatch& right) {
    return left.kind == right.kind && left.opcode == right.opcode && left.frames == right.frames &&
           (!left.frames->empty() || left.ptx_line == right.ptx_line);
}

}  // namespace

void add_mismatches(std::vector<Mismatch>& sum, std::span<const Mismatch> part,
                    std::uint64_t times) {
    for (const Mismatch& mismatch : part) {
        const auto known = std::ranges::find_if(
            sum, [&](const Mismatch& other) { return same_place(other, mismatch); });
        const bool is_new = known == sum.end();
        Mismatch& total = is_new ? sum.emplace_back(mismatch) : *known;
        if (is_new) {
            total.occurrences = 0;
            if (total.executions) total.executions = 0;
        }
        total.occurrences += mismatch.occurrences * times;
        if (!mismatch.executions) total.executions.reset();
        if (total.executions) *total.executions += *mismatch.executions * times;
    }
}

std::string lanes_in_words(std::uint32_t lanes) {
    std::vector<std::string> runs;
    while (lanes != 0) {
        const int first = std::countr_zero(lanes);
        const int last = first + std::countr_one(lanes >> first) - 1;
        if (last > first + 1) {
            runs.push_back(fmt::format("{} to {}", first, last));
        } else {
            for (int lane = first; lane <= last; ++lane) runs.push_back(std::to_string(lane));
        }
        lanes = last == 31 ? 0 : lanes >> (last + 1) << (last + 1);
    }
    const bool one = runs.size() == 1 && runs[0].find(' ') == std::string::npos;
    std::string text = one ? "lane " : "lanes ";
    for (std::size_t i = 0; i < runs.size(); ++i) {
        if (i > 0) text += i + 1 == runs.size() ? " and " : ", ";
        text += runs[i];
    }
    return text;
}

std::string describe(const Mismatch& mismatch) {
    const bool one = std::has_single_bit(mismatch.lanes);
    const bool absent = mismatch.kind == MismatchKind::absent_lanes;
    // Groups of lanes with masks of their own may each lack some in one execution.
    const bool of_all = mismatch.executions && mismatch.occurrences <= *mismatch.executions;
    const std::string times =
        of_all ? fmt::format("{} of {} executions", mismatch.occurrences, *mismatch.executions)
               : fmt::format("{} execution{}", mismatch.occurrences,
                             mismatch.occurrences == 1 ? "" : "s");
    const std::string first = fmt::format("in {}, first in block {}, warp {}, mask 0x{:08x}", times,
                                          mismatch.block, mismatch.warp, mismatch.members);
    return absent
               ? fmt::format(
                     "{} names {}, which {} elsewhere ({}): a GPU may hang here, and "
                     "what it gives is undefined",
                     mismatch.opcode, lanes_in_words(mismatch.lanes), one ? "is" : "are", first)
               : fmt::format(
                     "{} is executed by {}, which {} mask does not name ({}): what it "
                     "gives on a GPU is undefined",
                     mismatch.opcode, lanes_in_words(mismatch.lanes), one ? "its" : "their", first);
}

std::string fix(const Mismatch& mismatch) {
    return mismatch.kind == MismatchKind::absent_lanes
               ? "call it where all lanes of its mask come, or let the mask name those that do: "
                 "__ballot_sync of the condition, before they part"
               : "let the mask name each lane that calls it, or let only those call it that the "
                 "mask names";
}

}  // namespace wideload::profile

// SPDX-License-Identifier: Apache-2.0
#include "gpu/meeting_log.h"

#include <algorithm>
#include <bit>
#include <tuple>

namespace wideload::gpu {
namespace {

/// Of a warp whose masks differ each time; those beyond count as short at once.
constexpr std::size_t kMostOpen = 256;

}  // namespace

void MeetingTally::add(const MeetingTally& other) {
    if (other.times == 0) return;
    const std::uint64_t sum = times + other.times;
    const bool is_first = times == 0 || std::tie(other.block, other.warp) < std::tie(block, warp);
    if (is_first) *this = other;
    times = sum;
}

void MeetingLog::start(std::span<const jit::Meeting> meetings) {
    meetings_ = meetings;
    absent_.assign(meetings.size(), {});
    unnamed_.assign(meetings.size(), {});
    open_.clear();
}

void MeetingLog::meet(Warp warp, std::uint32_t meeting, std::uint32_t executing,
                      std::span<const std::uint32_t, jit::kLanes> members,
                      std::uint32_t elsewhere) {
    std::uint32_t unnamed = 0;
    for (std::uint32_t rest = executing; rest != 0; rest &= rest - 1) {
        const auto lane = static_cast<std::uint32_t>(std::countr_zero(rest));
        if ((members[lane] >> lane & 1) == 0) unnamed |= 1u << lane;
    }
    if (unnamed != 0) {
        const std::uint32_t mask = members[static_cast<std::size_t>(std::countr_zero(unnamed))];
        unnamed_[meeting].add({1, warp.block, warp.number, mask, unnamed});
    }
    // Lanes of one mask are a group; each group meets by itself.
    for (std::uint32_t rest = executing & ~unnamed; rest != 0;) {
        const std::uint32_t mask = members[static_cast<std::size_t>(std::countr_zero(rest))];
        std::uint32_t group = 0;
        for (std::uint32_t lanes = rest; lanes != 0; lanes &= lanes - 1) {
            const auto lane = static_cast<std::uint32_t>(std::countr_zero(lanes));
            if (members[lane] == mask) group |= 1u << lane;
        }
        rest &= ~group;
        OpenMeetings& open = open_[warp];
        const std::uint32_t first_there = join(open, meeting, mask, group);
        const std::uint32_t absent = mask & elsewhere & ~executing;
        if (first_there == 0 || absent == 0) continue;
        Open& own = same(open, {meetings_[meeting].kind, mask, first_there, absent, {}});
        const auto known = std::ranges::find(own.meetings, meeting,
                                             &std::pair<std::uint32_t, MeetingTally>::first);
        const MeetingTally once{1, warp.block, warp.number, mask, absent};
        if (known == own.meetings.end()) {
            own.meetings.emplace_back(meeting, once);
        } else {
            known->second.add(once);
        }
        if (open.size() > kMostOpen) {
            close(open.front());
            open.erase(open.begin());
        }
    }
    if (const auto own = open_.find(warp); own != open_.end() && own->second.empty()) {
        open_.erase(own);
    }
}

MeetingLog::Open& MeetingLog::same(OpenMeetings& open, const Open& wanted) {
    const auto found = std::ranges::find_if(open, [&](const Open& candidate) {
        return std::tie(candidate.kind, candidate.members, candidate.arrived, candidate.missing) ==
               std::tie(wanted.kind, wanted.members, wanted.arrived, wanted.missing);
    });
    return found != open.end() ? *found : open.emplace_back(wanted);
}

/// Lanes come to the earliest meetings that lack them. @return those that no meeting lacks
std::uint32_t MeetingLog::join(OpenMeetings& open, std::uint32_t meeting, std::uint32_t members,
                               std::uint32_t lanes) {
    for (std::size_t i = 0; i < open.size();) {
        const bool alike = open[i].kind == meetings_[meeting].kind && open[i].members == members;
        const std::uint32_t joining = alike ? open[i].missing & lanes : 0;
        if (joining == 0) {
            ++i;
        } else if ((open[i].arrived & lanes) != 0) {
            // They come with lanes that have gone on without them.
            close(open[i]);
            open.erase(open.begin() + static_cast<std::ptrdiff_t>(i));
        } else {
            lanes &= ~joining;
            move_one(open, i, meeting, joining);
            if (open[i].meetings.empty()) {
                open.erase(open.begin() + static_cast<std::ptrdiff_t>(i));
            } else {
                ++i;
            }
        }
    }
    return lanes;
}

/// One of the meetings, of the instruction that the lanes execute where there is one, lacks these
/// no more.
void MeetingLog::move_one(OpenMeetings& open, std::size_t from, std::uint32_t meeting,
                          std::uint32_t lanes) {
    auto& meetings = open[from].meetings;
    auto moved =
        std::ranges::find(meetings, meeting, &std::pair<std::uint32_t, MeetingTally>::first);
    if (moved == meetings.end()) moved = meetings.begin();
    std::pair<std::uint32_t, MeetingTally> one = *moved;
    one.second.times = 1;
    if (--moved->second.times == 0) meetings.erase(moved);
    Open joined = open[from];
    joined.arrived |= lanes;
    joined.missing &= ~lanes;
    joined.meetings.clear();
    if (joined.missing == 0) return;
    auto& there = same(open, joined).meetings;
    const auto known =
        std::ranges::find(there, one.first, &std::pair<std::uint32_t, MeetingTally>::first);
    if (known == there.end()) {
        there.push_back(one);
    } else {
        known->second.add(one.second);
    }
}

void MeetingLog::close(const Open& open) {
    for (const auto& [meeting, tally] : open.meetings) absent_[meeting].add(tally);
}

void MeetingLog::end(Warp warp) {
    const auto found = open_.find(warp);
    if (found == open_.end()) return;
    for (const Open& open : found->second) close(open);
    open_.erase(found);
}

void MeetingLog::end_others(Warp warp) {
    std::vector<Warp> others;
    for (const auto& [other, open] : open_) {
        if (other != warp) others.push_back(other);
    }
    for (const Warp& other : others) end(other);
}

void MeetingLog::end_all() {
    for (const auto& [warp, open] : open_) {
        for (const Open& one : open) close(one);
    }
    open_.clear();
}

std::uint32_t MeetingLog::open_in(std::uint64_t block) const {
    std::uint32_t count = 0;
    for (auto at = open_.lower_bound({block, 0}); at != open_.end() && at->first.block == block;
         ++at) {
        count += static_cast<std::uint32_t>(at->second.size());
    }
    return count;
}

}  // namespace wideload::gpu

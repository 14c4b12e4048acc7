// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "jit/abi.h"
#include "jit/kernel.h"

namespace wideload::gpu {

/// How often a meeting of a kernel (KernelTables::meetings) was executed by other lanes than it
/// names, and the first time.
struct MeetingTally {
    std::uint64_t times = 0;
    std::uint64_t block = 0;  ///< of the first, the lowest
    std::uint32_t warp = 0;
    std::uint32_t members = 0;  ///< that an executing lane named
    std::uint32_t lanes = 0;    ///< that were wrong

    void add(const MeetingTally& other);
};

/// What one worker saw of meetings that not all lanes came to which they name.
///
/// A lane that did not come with the others may yet come: it executes another such instruction with
/// the same mask while those that were there before do something else. On a GPU they wait, and all
/// of them meet. So a meeting is called short only once a lane that it lacks has met again with one
/// that was there, or once the warp has ended.
class MeetingLog {
public:
    /// @param meetings live as long as they are logged
    void start(std::span<const jit::Meeting> meetings);

    struct Warp {
        std::uint64_t block = 0;
        std::uint32_t number = 0;
        auto operator<=>(const Warp&) const = default;
    };
    /// jit::Host::meet().
    void meet(Warp warp, std::uint32_t meeting, std::uint32_t executing,
              std::span<const std::uint32_t, jit::kLanes> members, std::uint32_t elsewhere);

    /// The warp has ended: nobody else comes.
    void end(Warp warp);
    /// All have, but this one.
    void end_others(Warp warp);
    void end_all();

    /// Meetings of the block's warps that may yet be joined.
    [[nodiscard]] std::uint32_t open_in(std::uint64_t block) const;

    /// By meeting: lanes were named and absent; lanes executed it and were not named.
    [[nodiscard]] const std::vector<MeetingTally>& absent() const { return absent_; }
    [[nodiscard]] const std::vector<MeetingTally>& unnamed() const { return unnamed_; }

private:
    /// Meetings that lack the same lanes, in the order of their first.
    struct Open {
        std::uint32_t kind = 0, members = 0;
        std::uint32_t arrived = 0, missing = 0;
        std::vector<std::pair<std::uint32_t, MeetingTally>> meetings;  ///< by number
    };
    using OpenMeetings = std::vector<Open>;

    std::uint32_t join(OpenMeetings& open, std::uint32_t meeting, std::uint32_t members,
                       std::uint32_t lanes);
    static void move_one(OpenMeetings& open, std::size_t from, std::uint32_t meeting,
                         std::uint32_t lanes);
    static Open& same(OpenMeetings& open, const Open& wanted);
    void close(const Open& open);

    std::span<const jit::Meeting> meetings_;
    std::vector<MeetingTally> absent_, unnamed_;
    std::map<Warp, OpenMeetings> open_;
};

}  // namespace wideload::gpu

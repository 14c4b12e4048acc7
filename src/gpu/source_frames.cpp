// SPDX-License-Identifier: Apache-2.0
#include "gpu/source_frames.h"

#include <string>

#include "profile/demangle.h"

namespace wideload::gpu {

profile::Frames SourceFrames::of(const ptx::Instruction& instruction) {
    const auto [known, is_new] = known_.try_emplace(instruction.location);
    if (is_new) known->second = frames_at(instruction.location);
    return known->second;
}

std::vector<profile::Frame> SourceFrames::frames_at(ptx::LocationId id) const {
    std::vector<profile::Frame> frames;
    constexpr std::size_t kDeepest =
        64;  // chains are acyclic by construction; hostile ones end here
    while (id != ptx::kNoLocation && id < module_.locations.size() && frames.size() < kDeepest) {
        const ptx::Location& location = module_.locations[id];
        const auto file = module_.files.find(location.file);
        frames.push_back(
            {{file == module_.files.end() ? std::string{} : file->second, location.line,
              location.column},
             location.function.empty() ? std::string{} : profile::demangle(location.function)});
        id = location.inlined_at;
    }
    return frames;
}

}  // namespace wideload::gpu

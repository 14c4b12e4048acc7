// SPDX-License-Identifier: Apache-2.0
#include "report/code_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <vector>

#include "profile/place.h"
#include "report/code_words.h"
#include "report/words.h"

namespace wideload::report {
namespace {

constexpr std::string_view kAccessIndent = "    ";
constexpr std::size_t kAccessWidth = 22, kBytes = 14, kCount = 14;

/// What the reader is shown of where an access stands: the line to blame, and the line of the
/// kernel that it was inlined at.
struct Place {
    SourceLocation own, outermost;

    bool operator==(const Place&) const = default;
};

struct Group {
    Place place;
    std::vector<sass::Access> accesses;  ///< of one opcode each
};

Place place_of(const sass::Access& access) {
    if (access.frames.empty()) return {};
    std::vector<profile::Frame> frames;
    frames.reserve(access.frames.size());
    for (const SourceLocation& where : access.frames) frames.push_back({where, {}});
    return {profile::own_frame(frames)->where, access.frames.back()};
}

void add(std::vector<sass::Access>& accesses, const sass::Access& access) {
    const auto same = std::ranges::find_if(accesses, [&](const sass::Access& other) {
        return other.opcode == access.opcode && other.spill == access.spill;
    });
    if (same == accesses.end()) {
        accesses.push_back(access);
    } else {
        same->count += access.count;
    }
}

/// In the order of the accesses, which is that of the source.
std::vector<Group> grouped_by_place(const sass::KernelCode& kernel) {
    using Key = std::tuple<std::string, std::uint32_t, std::string, std::uint32_t>;
    std::map<Key, std::size_t> known;
    std::vector<Group> groups;
    for (const sass::Access& access : kernel.accesses) {
        const Place place = place_of(access);
        const auto [entry, is_new] = known.try_emplace(
            {place.own.file, place.own.line, place.outermost.file, place.outermost.line},
            groups.size());
        if (is_new) groups.push_back({place, {}});
        add(groups[entry->second].accesses, access);
    }
    for (Group& group : groups) {
        std::ranges::stable_sort(group.accesses, {}, [](const sass::Access& access) {
            return std::tuple(access.space, access.action);
        });
    }
    return groups;
}

std::string place_lines(const Place& place, const Layout& layout, SourceText& sources) {
    if (place.own.file.empty()) return std::string(kIndent) + layout.style.bold("(no line)") + '\n';
    const std::string where =
        shortened_front(fmt::format("{}:{}", sources.shown_path(place.own.file), place.own.line),
                        layout.columns / 2);
    const std::string text = sources.line(place.own);
    std::string lines = std::string(kIndent) + layout.style.bold(where);
    const std::size_t used = kIndent.size() + display_width(where) + 2;
    if (!text.empty()) lines += "  " + shortened(text, layout.columns - used);
    lines += '\n';
    if (place.outermost == place.own) return lines;
    return lines +
           layout.style.dim(shortened(
               fmt::format("{}inlined at {}:{}", kAccessIndent,
                           sources.shown_path(place.outermost.file), place.outermost.line),
               layout.columns)) +
           '\n';
}

std::string access_line(const sass::Access& access, const Layout& layout) {
    static constexpr std::size_t kBefore =
        kAccessIndent.size() + kAccessWidth + kBytes + kCount + 2;
    const std::string words = pad_right(access_words(access), kAccessWidth);
    return fmt::format(
        "{}{}{}{}  {}\n", kAccessIndent, access.spill ? layout.style.fair(words) : words,
        pad_left(access.bytes == 0 ? "-" : fmt::format("{} B", access.bytes), kBytes),
        pad_left(grouped(access.count), kCount),
        shortened(access.opcode, layout.columns - kBefore));
}

std::string heading_line() {
    return pad_right(fmt::format("{}accesses", kIndent), kAccessIndent.size() + kAccessWidth) +
           pad_left("bytes a lane", kBytes) + pad_left("instructions", kCount) + "  opcode\n";
}

}  // namespace

std::string code_lines(const sass::KernelCode& kernel, const Layout& layout, SourceText& sources) {
    const std::vector<Group> groups = grouped_by_place(kernel);
    if (groups.empty()) return {};
    std::string text = '\n' + heading_line();
    for (const Group& group : groups) {
        const bool has_heading = groups.size() > 1 || !group.place.own.file.empty();
        if (has_heading) text += place_lines(group.place, layout, sources);
        for (const sass::Access& access : group.accesses) text += access_line(access, layout);
    }
    return text;
}

}  // namespace wideload::report

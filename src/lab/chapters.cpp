// SPDX-License-Identifier: Apache-2.0
#include "lab/chapters.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "lab/picture.h"

namespace wideload::lab {

std::vector<Chapter> chapters_of(const std::vector<Outcome>& outcomes,
                                 const std::vector<Outcome>& beside) {
    std::vector<Chapter> chapters;
    const auto find = [&](const Outcome& outcome) {
        return std::ranges::find_if(chapters, [&](const Chapter& chapter) {
            return chapter.description->name == outcome.description.name;
        });
    };
    for (const Outcome& outcome : outcomes) {
        auto chapter = find(outcome);
        if (chapter == chapters.end()) {
            chapter = chapters.insert(chapters.end(), {&outcome.description, {}, {}});
        }
        chapter->own.push_back(&outcome);
    }
    for (const Outcome& outcome : beside) {
        if (const auto chapter = find(outcome); chapter != chapters.end()) {
            chapter->beside.push_back(&outcome);
        }
    }
    return chapters;
}

std::optional<DrawnPicture> draw(const Picture& picture, const Chapter& chapter) {
    std::vector<const Outcome*> outcomes = chapter.own;
    std::ranges::copy(chapter.beside, std::back_inserter(outcomes));
    if (picture.kind == PictureKind::blocks) {
        std::ranges::stable_partition(
            outcomes, [](const Outcome* outcome) { return !outcome->results.machine.is_virtual; });
    }
    for (const Outcome* outcome : outcomes) {
        if (auto drawn = draw(picture, outcome->results)) {
            return DrawnPicture{std::move(*drawn), outcome};
        }
    }
    return std::nullopt;
}

}  // namespace wideload::lab

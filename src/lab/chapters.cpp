// SPDX-License-Identifier: Apache-2.0
#include "lab/chapters.h"

#include <algorithm>

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

std::optional<std::string> draw(const Picture& picture, const Chapter& chapter) {
    for (const std::vector<const Outcome*>* outcomes : {&chapter.own, &chapter.beside}) {
        for (const Outcome* outcome : *outcomes) {
            if (auto drawn = draw(picture, outcome->results)) return drawn;
        }
    }
    return std::nullopt;
}

}  // namespace wideload::lab

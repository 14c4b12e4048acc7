// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lab/record.h"

namespace wideload::lab {

/// An experiment with all that there is of it: a record of a real GPU has two outcomes of most, one
/// timed and one counted.
struct Chapter {
    const Description* description = nullptr;
    std::vector<const Outcome*> own;     ///< of the run or record that is shown; never empty
    std::vector<const Outcome*> beside;  ///< of the record beside it
};

/// In the order of the outcomes. Chapters point into both arguments.
[[nodiscard]] std::vector<Chapter> chapters_of(const std::vector<Outcome>& outcomes,
                                               const std::vector<Outcome>& beside);

/// A picture with the results that it shows.
struct DrawnPicture {
    std::string svg;
    const Outcome* of = nullptr;
};

/// A picture of the first outcome that can be drawn, the chapter's own before those beside; of what
/// a machine decides, as which block runs where, a real one's before a virtual one's.
[[nodiscard]] std::optional<DrawnPicture> draw(const Picture& picture, const Chapter& chapter);

}  // namespace wideload::lab

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "lab/chapters.h"

namespace wideload::lab {

/// A sentence of a chapter, and whose results say it.
struct Answer {
    bool holds = false;
    std::string sentence;
    std::vector<const Outcome*> of;  ///< of the chapter
};

/// Every claim of a chapter that some of its results can answer, in order; what several say alike
/// stands once. Results beside those that are shown come first: they are a real GPU's.
[[nodiscard]] std::vector<Answer> answers_of(const Chapter& chapter);

/// "NVIDIA H200, full sizes; virtual NVIDIA H200": whose an answer is; empty where it is
/// everyone's.
[[nodiscard]] std::string whose(const Answer& answer, const Chapter& chapter);

}  // namespace wideload::lab

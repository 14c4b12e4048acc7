// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "lab/claim.h"

/// One function for each kind of claim; lab/harness/claim.cuh says what each means.
namespace wideload::lab {

[[nodiscard]] std::optional<Evaluation> evaluate_compare(const Claim& claim,
                                                         const Description& description,
                                                         const Results& results);
[[nodiscard]] std::optional<Evaluation> evaluate_monotone(const Claim& claim,
                                                          const Description& description,
                                                          const Results& results);
[[nodiscard]] std::optional<Evaluation> evaluate_crossover(const Claim& claim,
                                                           const Description& description,
                                                           const Results& results);
[[nodiscard]] std::optional<Evaluation> evaluate_best(const Claim& claim,
                                                      const Description& description,
                                                      const Results& results);
[[nodiscard]] std::optional<Evaluation> evaluate_note(const Claim& claim,
                                                      const Description& description,
                                                      const Results& results);

}  // namespace wideload::lab

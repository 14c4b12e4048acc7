// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <random>

#include "form.h"

namespace wideload::isa {

/// One set of operands after the other, edge and random values mixed.
class OperandValues {
public:
    /// @param combine begins with all combinations of the first two operands' edge values
    OperandValues(const Form& form, bool combine);
    /// @param[out] operands one value per operand
    void take(std::vector<Bits>& operands);

private:
    Bits draw(std::size_t operand);

    const Form& form_;
    std::vector<std::vector<Bits>> edges_;
    std::mt19937_64 random_{20240717};
    bool combine_;
    std::size_t index_ = 0;
};

}  // namespace wideload::isa

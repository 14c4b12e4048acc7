// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "ptx/module.h"

namespace wideload::jit {

/// The pointer parameter that an address derives from, as PTX names it; empty where there is none,
/// or more than one. Follows the address's register back through moves, sums and conversions.
class ParameterOrigins {
public:
    explicit ParameterOrigins(const ptx::Function& function);

    /// Of a memory instruction's address.
    [[nodiscard]] std::string of(const ptx::Instruction& access) const;
    /// Of one address of an instruction that has several.
    [[nodiscard]] std::string of(const ptx::Operand& address) const;

private:
    const ptx::Function& function_;
    std::vector<std::vector<const ptx::Instruction*>> definitions_;  ///< by register
};

}  // namespace wideload::jit

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <vector>

#include "ptx/module.h"
#include "simt/liveness.h"

namespace wideload::jit {

/// By register: whether anything that may write it makes `writes(instruction, registers so far)`
/// true, or a caller gives it. Starts from none, so that values which only go around a loop stay
/// without the property.
template <class Writes>
std::vector<bool> registers_with(const ptx::Function& function, bool given_have_it, Writes writes) {
    std::vector<bool> registers(function.registers.size(), false);
    std::size_t given = function.returns.size();
    for (const ptx::Variable& parameter : function.parameters) {
        given += parameter.space == ptx::Space::reg ? 1 : 0;
    }
    std::fill_n(registers.begin(), std::min(given, registers.size()), given_have_it);
    for (bool changed = true; changed;) {
        changed = false;
        for (const ptx::Instruction& instruction : function.body) {
            if (simt::destination_count(instruction) == 0) continue;
            if (!writes(instruction, registers)) continue;
            simt::for_each_definition(instruction, [&](ptx::RegisterId id) {
                changed |= !registers[id];
                registers[id] = true;
            });
        }
    }
    return registers;
}

}  // namespace wideload::jit

// SPDX-License-Identifier: Apache-2.0
#include "sass/code_summary.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace wideload::sass {
namespace {

/// The place that a reader finds an access at, for the order of the source.
std::tuple<std::string_view, std::uint32_t> outermost(const Access& access) {
    if (access.frames.empty()) return {std::string_view(), access.ptx_line};
    return {access.frames.back().file, access.frames.back().line};
}

bool stands_before(const Access& left, const Access& right) {
    return outermost(left) < outermost(right);
}

}  // namespace

bool CodeSummary::PlaceOrder::operator()(const Place& left, const Place& right) const {
    const auto scalars = [](const Place& place) {
        return std::tie(place.ptx_line, place.spill, place.opcode);
    };
    if (scalars(left) != scalars(right)) return scalars(left) < scalars(right);
    return std::ranges::lexicographical_compare(
        left.frames, right.frames, [](const SourceLocation& a, const SourceLocation& b) {
            return std::tie(a.line, a.file) < std::tie(b.line, b.file);
        });
}

CodeSummary::CodeSummary(image::CubinKernel resources) { code_.resources = std::move(resources); }

bool CodeSummary::is_spill(std::uint64_t offset) const {
    const auto& offsets = code_.resources.spill_offsets;
    return offsets && std::ranges::binary_search(*offsets, offset);
}

void CodeSummary::add(const Instruction& instruction) {
    if (instruction.opcode == "NOP") {
        ++padding_;
        return;
    }
    const Opcode opcode = classify(instruction.opcode);
    // NOPs with code behind them are instructions like any other.
    code_.mix[static_cast<std::size_t>(Category::control)] += padding_;
    code_.instructions += 1 + std::exchange(padding_, 0);
    ++code_.mix[static_cast<std::size_t>(opcode.category)];
    if (opcode.accesses_memory() && is_listed(opcode.category)) add_access(instruction, opcode);
}

void CodeSummary::add_access(const Instruction& instruction, const Opcode& opcode) {
    const bool spill = opcode.category == Category::local && is_spill(instruction.offset);
    if (spill) add_spill(opcode);
    Place place{{instruction.frames.begin(), instruction.frames.end()},
                instruction.ptx_line,
                std::string(instruction.opcode),
                spill};
    const auto [entry, is_new] = places_.try_emplace(std::move(place), code_.accesses.size());
    if (is_new) {
        const Place& kept = entry->first;
        code_.accesses.push_back({kept.opcode, opcode.category, opcode.action, opcode.bytes,
                                  kept.frames, kept.ptx_line, spill, 0});
    }
    ++code_.accesses[entry->second].count;
}

void CodeSummary::add_spill(const Opcode& opcode) {
    if (opcode.action == Action::store) {
        ++spills_.stores;
        spills_.store_bytes += opcode.bytes;
    } else {
        ++spills_.loads;
        spills_.load_bytes += opcode.bytes;
    }
}

KernelCode CodeSummary::finish() && {
    if (code_.resources.spill_offsets || code_.of(Category::local) == 0) code_.spills = spills_;
    std::ranges::stable_sort(code_.accesses, stands_before);
    return std::move(code_);
}

}  // namespace wideload::sass

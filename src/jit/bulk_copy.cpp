// SPDX-License-Identifier: Apache-2.0
// cp.async.bulk and cp.reduce.async.bulk: each active lane copies a range of its own.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "jit/access.h"
#include "jit/lower.h"
#include "jit/memory_access.h"

namespace wideload::jit {
namespace {

using profile::SiteKind;
using ptx::Instruction;
using ptx::Operand;
using ptx::Space;

/// The site that is counted first; then the shared side and the mbarrier, which hardware's counters
/// of shared memory leave out: their rows only say where a fault was.
std::uint32_t add_rows(Emitter& e, const Instruction& instruction, bool reduces) {
    const bool to_global = instruction.space == Space::global;
    const bool from_global = instruction.to_space == Space::global;
    Site site;
    site.element_bytes = reduces ? ptx::byte_size(instruction.type()) : 16;
    site.kind = from_global            ? SiteKind::bulk_ld
                : to_global && reduces ? SiteKind::bulk_red
                : to_global            ? SiteKind::bulk_st
                                       : SiteKind::shared_ld;
    site.parameter = e.origins().of(instruction.operands[from_global ? 1 : 0]);
    const std::uint32_t row = e.add_site(site);
    site.parameter.clear();
    site.kind = to_global ? SiteKind::shared_ld : SiteKind::shared_st;
    e.add_site(site);
    site.kind = SiteKind::shared_atom;
    e.add_site(site);
    return row;
}

/// Words that change nothing a program on one block a cluster can see, and those that say what is
/// done. Others are not covered.
constexpr std::array<std::string_view, 6> kCovered = {
    "bulk", "bulk_group", "mbarrier::complete_tx::bytes", "shared::cluster", "reduce", "noftz"};

}  // namespace

std::optional<std::string> why_bulk_copy_unsupported(const Instruction& instruction) {
    if (instruction.in_form("tensor")) {
        return "the virtual GPU does not execute bulk copies of tensors";
    }
    if (is_bulk_group_operation(instruction)) return std::nullopt;
    if (instruction.space == Space::generic || instruction.to_space == Space::generic) {
        return "the virtual GPU knows bulk copies between global and shared memory only";
    }
    std::string_view rest = instruction.form;
    while (!rest.empty()) {
        const std::string_view word = rest.substr(0, rest.find('.'));
        rest.remove_prefix(std::min(rest.size(), word.size() + 1));
        if (std::find(kCovered.begin(), kCovered.end(), word) == kCovered.end()) {
            return fmt::format("the virtual GPU does not execute bulk copies with '.{}'", word);
        }
    }
    return std::nullopt;
}

bool is_bulk_group_operation(const Instruction& instruction) {
    return instruction.in_form("commit_group") || instruction.in_form("wait_group") ||
           instruction.in_form("prefetch");
}

void lower_bulk_copy(Emitter& e, const Instruction& instruction) {
    if (const auto reason = why_bulk_copy_unsupported(instruction)) return e.refuse(*reason);
    if (is_bulk_group_operation(instruction)) return;
    auto& ir = e.ir();
    const bool signals = instruction.in_form("mbarrier::complete_tx::bytes");
    const auto& operands = instruction.operands;
    if (signals && (operands.size() < 4 || operands[3].kind != Operand::Kind::address)) {
        return e.refuse("a bulk copy into shared memory names the mbarrier that it completes on");
    }
    const bool reduces = instruction.in_form("reduce");
    const std::uint32_t row = add_rows(e, instruction, reduces);
    llvm::Value* barriers = llvm::ConstantPointerNull::get(ir.getPtrTy());
    if (signals) barriers = address_lanes(e, operands[3], "barriers");
    const BulkCode code = BulkCode::of(instruction.space, instruction.to_space, reduces);
    const AtomicCode operation = reduces
                                     ? AtomicCode::of(static_cast<unsigned>(instruction.atom_op),
                                                      instruction.type(), instruction.space, 1)
                                     : AtomicCode{};
    e.call("wl_bulk_copy",
           {e.context_pointer(), e.warp(), ir.getInt32(row), ir.getInt32(code.bits),
            ir.getInt32(operation.bits), address_lanes(e, operands[0], "targets"),
            address_lanes(e, operands[1], "addresses"),
            e.spill(e.source(operands[2], ptx::Type::u32), "sizes"), barriers, e.mask_bits()});
}

}  // namespace wideload::jit

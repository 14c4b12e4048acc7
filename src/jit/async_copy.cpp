// SPDX-License-Identifier: Apache-2.0
// cp.async: the copy is made at once, which any program that waits for it as it must cannot tell.
#include "jit/lower.h"
#include "jit/memory_access.h"

namespace wideload::jit {

using ptx::Instruction;
using ptx::Operand;

void lower_async_copy(Emitter& e, const Instruction& instruction) {
    if (instruction.in_form("commit_group") || instruction.in_form("wait_group") ||
        instruction.in_form("wait_all")) {
        return;
    }
    auto& ir = e.ir();
    const Operand &to = instruction.operands[0], &from = instruction.operands[1];
    const unsigned bytes = static_cast<unsigned>(instruction.operands[2].bits);
    if (bytes != 4 && bytes != 8 && bytes != 16) {
        e.refuse("cp.async copies 4, 8 or 16 bytes");
        return;
    }
    // cp-size; src-size: the rest is zero. A predicate in its place ignores the source where it
    // holds.
    llvm::Value* source_bytes = ir.getInt32(bytes);
    const bool has_policy = instruction.mnemonic.find("L2::cache_hint") != std::string::npos;
    if (instruction.operands.size() > (has_policy ? 4 : 3)) {
        const Operand& size = instruction.operands[3];
        const bool predicate = size.kind == Operand::Kind::reg &&
                               e.function().registers[size.reg].type == ptx::Type::pred;
        if (predicate) {
            llvm::Value* ignore = e.source(size, ptx::Type::pred);
            source_bytes =
                ir.CreateSelect(ignore, e.constant(e.type_like(ir.getInt32Ty(), ignore), 0),
                                e.constant(e.type_like(ir.getInt32Ty(), ignore), bytes));
        } else {
            source_bytes = e.source(size, ptx::Type::u32);
        }
    }

    Site site;
    site.element_bytes = bytes;
    site.kind = profile::SiteKind::global_ld;
    site.parameter = e.origins().of(from);
    const std::uint32_t row = e.add_site(site);
    site.kind = profile::SiteKind::shared_st;
    site.parameter.clear();
    e.add_site(site);

    e.call("wl_async_copy", {e.context_pointer(), e.warp(), ir.getInt32(row), ir.getInt32(bytes),
                             address_lanes(e, from, "addresses"), address_lanes(e, to, "targets"),
                             e.mask_bits(), e.spill(source_bytes, "sizes")});
}

}  // namespace wideload::jit

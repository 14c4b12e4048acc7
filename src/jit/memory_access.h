// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <llvm/IR/Value.h>

#include <optional>
#include <string_view>
#include <vector>

#include "jit/access.h"
#include "jit/emitter.h"

namespace wideload::jit {

/// One load or store of a warp, as its lowering sees it.
struct MemoryAccess {
    ptx::Space space = ptx::Space::global;
    unsigned element_bytes = 4;
    unsigned width = 1;  ///< elements a lane
    bool is_store = false;
    bool is_volatile = false;

    [[nodiscard]] unsigned lane_bytes() const { return element_bytes * width; }
    [[nodiscard]] AccessCode code() const { return AccessCode::of(space, element_bytes, width); }
};

[[nodiscard]] MemoryAccess memory_access(const ptx::Instruction& instruction);

/// Element `index` of a vector operand; a plain one is its own only element.
[[nodiscard]] const ptx::Operand& element_of(const ptx::Operand& operand, unsigned index);
/// How wide the register behind an address is; 64 where there is none.
[[nodiscard]] unsigned address_bits(const Emitter& emitter, const ptx::Operand& address);
/// The lanes' addresses as Emitter::spill leaves them.
llvm::Value* address_lanes(Emitter& emitter, const ptx::Operand& address, std::string_view name);

/// Registers the rows of counters of a memory instruction: one, or kGenericRows.
std::uint32_t add_rows(Emitter& emitter, const MemoryAccess& access, const AddressValue& address,
                       Inline inline_counts);

/// The part of an access that runs inline: full warps whose lanes' distances are known when the
/// kernel is compiled. Emits the conditions under which it is right, and the counting.
class FastPath {
public:
    FastPath(Emitter& emitter, const MemoryAccess& access, const AddressValue& address)
        : e_(emitter), access_(access), address_(address) {}

    /// Whether there is one for this address shape.
    [[nodiscard]] bool exists() const;
    [[nodiscard]] Inline inline_counts() const;
    /// Branches to a fast block (left as insertion point) and a slow block, which is returned.
    llvm::BasicBlock* begin(std::uint32_t row);
    /// Loads each element of the lanes: vectors, or scalars at a uniform address.
    std::vector<llvm::Value*> load();
    void store(const std::vector<llvm::Value*>& elements);

private:
    llvm::Value* in_bounds(std::uint32_t row);
    llvm::Value* host_pointer();
    void count(std::uint32_t row);
    [[nodiscard]] const simt::LaneOffsets& offsets() const;
    [[nodiscard]] std::int64_t lowest() const;
    [[nodiscard]] std::uint64_t extent() const;

    Emitter& e_;
    const MemoryAccess& access_;
    const AddressValue& address_;
    std::uint32_t row_ = 0;  ///< the site's, once the path has begun
};

}  // namespace wideload::jit

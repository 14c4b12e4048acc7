// SPDX-License-Identifier: Apache-2.0
#include "jit/memory_access.h"

#include <algorithm>
#include <numeric>

namespace wideload::jit {
namespace {

using profile::SiteKind;
using ptx::Space;

/// A range of this many bytes is loaded whole and its lanes picked by a constant permutation.
constexpr std::uint64_t kLargestCover = 512;

SiteKind kind_in(Space space, bool is_store) {
    switch (space) {
        case Space::shared:
            return is_store ? SiteKind::shared_st : SiteKind::shared_ld;
        case Space::local:
            return is_store ? SiteKind::local_st : SiteKind::local_ld;
        case Space::constant:
            return SiteKind::constant_ld;
        default:
            return is_store ? SiteKind::global_st : SiteKind::global_ld;
    }
}

/// Vectors of 32 lanes as one, in order. LLVM shuffles two at a time.
llvm::Value* concatenate(llvm::IRBuilder<>& ir, std::vector<llvm::Value*> parts) {
    while (parts.size() > 1) {
        std::vector<llvm::Value*> joined;
        for (std::size_t i = 0; i < parts.size(); i += 2) {
            const auto count =
                llvm::cast<llvm::FixedVectorType>(parts[i]->getType())->getNumElements();
            llvm::SmallVector<int> both(2 * count);
            std::iota(both.begin(), both.end(), 0);
            joined.push_back(ir.CreateShuffleVector(parts[i], parts[i + 1], both));
        }
        parts = std::move(joined);
    }
    return parts[0];
}

}  // namespace

const ptx::Operand& element_of(const ptx::Operand& operand, unsigned index) {
    return operand.kind == ptx::Operand::Kind::vector ? operand.elements[index] : operand;
}

unsigned address_bits(const Emitter& emitter, const ptx::Operand& address) {
    if (!address.has_base_register) return 64;
    return ptx::bit_width(emitter.function().registers[address.reg].type);
}

llvm::Value* address_lanes(Emitter& emitter, const ptx::Operand& address, std::string_view name) {
    return emitter.spill(emitter.address(address, address_bits(emitter, address)).lanes(), name);
}

MemoryAccess memory_access(const ptx::Instruction& instruction) {
    MemoryAccess access;
    access.space = instruction.space;
    access.element_bytes = ptx::byte_size(instruction.type());
    access.width = instruction.vector_width;
    access.is_store = instruction.opcode == ptx::Opcode::st;
    access.is_volatile = instruction.semantics != ptx::Semantics::none &&
                         instruction.semantics != ptx::Semantics::weak;
    return access;
}

std::uint32_t add_rows(Emitter& emitter, const MemoryAccess& access, const AddressValue& address,
                       Inline inline_counts) {
    Site site;
    site.element_bytes = access.element_bytes;
    site.vector_width = access.width;
    site.uniform_address = address.shape.is_uniform();
    site.parameter = emitter.origins().of(emitter.instruction());
    site.kind = kind_in(access.space, access.is_store);
    site.inline_counts = inline_counts;
    if (inline_counts == Inline::pattern) site.offsets = emitter.pattern(address.shape.pattern);
    const std::uint32_t row = emitter.add_site(site);
    if (access.space == Space::generic) {
        site.inline_counts = Inline::none;
        for (const Space space : {Space::shared, Space::local}) {
            site.kind = kind_in(space, access.is_store);
            emitter.add_site(site);
        }
    }
    return row;
}

const simt::LaneOffsets& FastPath::offsets() const { return e_.pattern(address_.shape.pattern); }

std::int64_t FastPath::lowest() const {
    return address_.shape.is_uniform() ? 0 : *std::min_element(offsets().begin(), offsets().end());
}

std::uint64_t FastPath::extent() const {
    if (address_.shape.is_uniform()) return access_.lane_bytes();
    const auto [low, high] = std::minmax_element(offsets().begin(), offsets().end());
    return static_cast<std::uint64_t>(*high - *low) + access_.lane_bytes();
}

bool FastPath::exists() const {
    if (access_.space == Space::local) {
        return address_.shape.is_uniform() && access_.element_bytes >= 4;
    }
    if (address_.shape.is_uniform()) return !access_.is_store;
    if (!address_.shape.is_pattern()) return false;
    const bool whole_elements = std::all_of(
        offsets().begin(), offsets().end(),
        [&](std::int64_t offset) { return (offset - lowest()) % access_.lane_bytes() == 0; });
    if (!whole_elements || lowest() % static_cast<std::int64_t>(access_.lane_bytes()) != 0) {
        return false;
    }
    if (!access_.is_store) return extent() <= kLargestCover;
    // A store must write each byte of its range, once: the lanes are a permutation.
    std::array<bool, kLanes> written{};
    for (const std::int64_t offset : offsets()) {
        const auto slot = static_cast<std::uint64_t>(offset - lowest());
        if (slot % access_.lane_bytes() != 0 || slot / access_.lane_bytes() >= kLanes) return false;
        written[slot / access_.lane_bytes()] = true;
    }
    return std::all_of(written.begin(), written.end(), [](bool w) { return w; });
}

Inline FastPath::inline_counts() const {
    if (!exists()) return Inline::none;
    if (access_.space == Space::local) return Inline::uniform;
    return address_.shape.is_uniform() ? Inline::uniform : Inline::pattern;
}

/// The lanes lie inside the allocation of the site's last slow request (in shared and local memory:
/// inside the space, once the site has had a request, so that the slow path records the first).
llvm::Value* FastPath::in_bounds(std::uint32_t row) {
    auto& ir = e_.ir();
    llvm::Type* i64 = ir.getInt64Ty();
    llvm::Value* start =
        ir.CreateAdd(address_.base, ir.getInt64(static_cast<std::uint64_t>(lowest())));
    const auto field = [&](std::size_t offset) {
        return e_.tag(ir.CreateLoad(i64, e_.row_field(row, offset)), Emitter::Memory::counters);
    };
    llvm::Value* bytes = field(offsetof(counters::SiteRow, legal_bytes));
    if (access_.space != Space::shared && access_.space != Space::local) {
        start = ir.CreateSub(start, field(offsetof(counters::SiteRow, legal_begin)));
    }
    // Saturating: nothing of a smaller allocation, or of none, is in bounds.
    llvm::Value* starts =
        ir.CreateBinaryIntrinsic(llvm::Intrinsic::usub_sat, bytes, ir.getInt64(extent() - 1));
    return ir.CreateICmpULT(start, starts);
}

llvm::BasicBlock* FastPath::begin(std::uint32_t row) {
    auto& ir = e_.ir();
    row_ = row;
    llvm::Value* condition = in_bounds(row);
    const auto require = [&](llvm::Value* also) { condition = ir.CreateAnd(condition, also); };
    const bool any_mask = address_.shape.is_uniform() && access_.space != Space::local;
    if (!any_mask) {
        require(ir.CreateICmpEQ(e_.mask_bits(), ir.getInt32(~0u)));
    } else if (e_.instruction().guard) {
        require(e_.any(e_.mask()));
    }
    if (address_.wrapped != nullptr) require(ir.CreateNot(address_.wrapped));
    if (access_.lane_bytes() > 1) {
        llvm::Value* low = ir.CreateAnd(address_.base, access_.lane_bytes() - 1);
        require(ir.CreateICmpEQ(low, ir.getInt64(0)));
    }
    llvm::Function* function = ir.GetInsertBlock()->getParent();
    auto* fast = llvm::BasicBlock::Create(ir.getContext(), "fast", function);
    auto* slow = llvm::BasicBlock::Create(ir.getContext(), "slow", function);
    ir.CreateCondBr(condition, fast, slow, e_.likely());
    ir.SetInsertPoint(fast);
    if (e_.context().counters) count(row);
    return slow;
}

void FastPath::count(std::uint32_t row) {
    auto& ir = e_.ir();
    using Class = counters::SiteRow::StaticClass;
    const std::size_t classes = offsetof(counters::SiteRow, static_classes);
    const auto add = [&](llvm::Value* field, llvm::Value* amount) {
        llvm::Value* old = e_.tag(ir.CreateLoad(ir.getInt64Ty(), field), Emitter::Memory::counters);
        e_.tag(ir.CreateStore(ir.CreateAdd(old, amount), field), Emitter::Memory::counters);
    };
    if (inline_counts() == Inline::uniform) {
        add(e_.row_field(row, classes + offsetof(Class, requests)), ir.getInt64(1));
        llvm::Value* lanes = ir.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, e_.mask_bits());
        add(e_.row_field(row, classes + offsetof(Class, last_base)),
            ir.CreateZExt(lanes, ir.getInt64Ty()));
        return;
    }
    llvm::Value* index = ir.CreateAnd(address_.base, counters::kSectorBytes - 1);
    llvm::Value* entry = ir.CreateGEP(ir.getInt8Ty(), e_.row_field(row, classes),
                                      ir.CreateMul(index, ir.getInt64(sizeof(Class))));
    const auto field = [&](std::size_t offset) {
        return ir.CreateConstInBoundsGEP1_64(ir.getInt8Ty(), entry, offset);
    };
    add(field(offsetof(Class, requests)), ir.getInt64(1));
    e_.tag(ir.CreateStore(address_.base, field(offsetof(Class, last_base))),
           Emitter::Memory::counters);
}

/// Where the lowest byte of the request lies in the host's memory.
llvm::Value* FastPath::host_pointer() {
    auto& ir = e_.ir();
    llvm::Value* start =
        ir.CreateAdd(address_.base, ir.getInt64(static_cast<std::uint64_t>(lowest())));
    if (access_.space == Space::shared) {
        llvm::Value* shared = e_.context_field(offsetof(BlockContext, shared), ir.getPtrTy());
        return ir.CreateGEP(ir.getInt8Ty(), shared, start);
    }
    if (access_.space == Space::local) {
        llvm::Value* local = e_.context_field(offsetof(BlockContext, local), ir.getPtrTy());
        llvm::Value* stride =
            e_.context_field(offsetof(BlockContext, local_stride), ir.getInt64Ty());
        llvm::Value* warp = ir.CreateMul(ir.CreateZExt(e_.warp(), ir.getInt64Ty()), stride);
        // 4-byte words are interleaved by lane.
        return ir.CreateGEP(ir.getInt8Ty(), local,
                            ir.CreateAdd(warp, ir.CreateMul(start, ir.getInt64(kLanes))));
    }
    llvm::Value* displacement =
        e_.tag(ir.CreateLoad(ir.getInt64Ty(),
                             e_.row_field(row_, offsetof(counters::SiteRow, legal_displacement))),
               Emitter::Memory::counters);
    return ir.CreateIntToPtr(ir.CreateAdd(start, displacement), ir.getPtrTy());
}

std::vector<llvm::Value*> FastPath::load() {
    auto& ir = e_.ir();
    llvm::Type* element = ir.getIntNTy(access_.element_bytes * 8);
    llvm::Value* pointer = host_pointer();
    const auto load = [&](llvm::Type* type, llvm::Value* from, unsigned alignment) {
        return e_.tag(ir.CreateAlignedLoad(type, from, llvm::Align(alignment), access_.is_volatile),
                      Emitter::Memory::program);
    };
    std::vector<llvm::Value*> elements;
    if (access_.space == Space::local) {
        llvm::Type* words = llvm::FixedVectorType::get(ir.getInt32Ty(), kLanes);
        const unsigned words_per_element = access_.element_bytes / 4;
        for (unsigned i = 0; i < access_.width; ++i) {
            llvm::Value* value = nullptr;
            for (unsigned w = 0; w < words_per_element; ++w) {
                llvm::Value* from = ir.CreateConstGEP1_64(ir.getInt8Ty(), pointer,
                                                          (i * words_per_element + w) * 4 * kLanes);
                llvm::Value* word = ir.CreateZExt(load(words, from, 4),
                                                  llvm::FixedVectorType::get(element, kLanes));
                value = value == nullptr ? word : ir.CreateOr(value, ir.CreateShl(word, 32 * w));
            }
            elements.push_back(value);
        }
        return elements;
    }
    if (address_.shape.is_uniform()) {
        for (unsigned i = 0; i < access_.width; ++i) {
            llvm::Value* from =
                ir.CreateConstGEP1_64(ir.getInt8Ty(), pointer, i * access_.element_bytes);
            llvm::Value* value = load(element, from, access_.element_bytes);
            // One generic address may be each lane's own local memory: only the slow path knows.
            elements.push_back(access_.space == Space::generic ? e_.splat(value) : value);
        }
        return elements;
    }
    const auto count = static_cast<unsigned>(extent() / access_.element_bytes);
    llvm::Value* whole =
        load(llvm::FixedVectorType::get(element, count), pointer, access_.element_bytes);
    for (unsigned i = 0; i < access_.width; ++i) {
        llvm::SmallVector<int, kLanes> picked;
        for (const std::int64_t offset : offsets()) {
            picked.push_back(static_cast<int>((offset - lowest()) / access_.element_bytes + i));
        }
        elements.push_back(ir.CreateShuffleVector(whole, picked));
    }
    return elements;
}

void FastPath::store(const std::vector<llvm::Value*>& elements) {
    auto& ir = e_.ir();
    llvm::Value* pointer = host_pointer();
    const auto store = [&](llvm::Value* value, llvm::Value* to, unsigned alignment) {
        e_.tag(ir.CreateAlignedStore(value, to, llvm::Align(alignment), access_.is_volatile),
               Emitter::Memory::program);
    };
    if (access_.space == Space::local) {
        llvm::Type* words = llvm::FixedVectorType::get(ir.getInt32Ty(), kLanes);
        const unsigned words_per_element = access_.element_bytes / 4;
        for (unsigned i = 0; i < access_.width; ++i) {
            for (unsigned w = 0; w < words_per_element; ++w) {
                llvm::Value* to = ir.CreateConstGEP1_64(ir.getInt8Ty(), pointer,
                                                        (i * words_per_element + w) * 4 * kLanes);
                store(ir.CreateTrunc(ir.CreateLShr(elements[i], 32 * w), words), to, 4);
            }
        }
        return;
    }
    // Lane l's element i goes to place offset / element size + i; which lane is at each place?
    std::vector<int> source(kLanes * access_.width);
    for (unsigned lane = 0; lane < kLanes; ++lane) {
        for (unsigned i = 0; i < access_.width; ++i) {
            const auto place =
                static_cast<std::size_t>((offsets()[lane] - lowest()) / access_.element_bytes + i);
            source[place] = static_cast<int>(i * kLanes + lane);
        }
    }
    llvm::Value* all = elements[0];
    if (access_.width > 1) all = concatenate(ir, elements);
    store(ir.CreateShuffleVector(all, source), pointer, access_.element_bytes);
}

}  // namespace wideload::jit

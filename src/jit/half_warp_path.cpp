// SPDX-License-Identifier: Apache-2.0
#include "jit/half_warp_path.h"

namespace wideload::jit {
namespace {

using ptx::Space;

/// Code grows by some sixty instructions an access; kernels of more accesses than this stay with
/// host code.
constexpr std::size_t kMostSites = 96;

}  // namespace

bool HalfWarpPath::exists() const {
    const simt::ThreadLayout& layout = e_.context().layout;
    if (layout.kind != simt::ThreadLayout::Kind::columns || layout.log2_width != 4) return false;
    if (!address_.shape.is_varying() || access_.width != 1) return false;
    if (e_.tables().sites.size() > kMostSites) return false;
    switch (access_.space) {
        case Space::global:
        case Space::constant:
            return access_.element_bytes == 4 || access_.element_bytes == 8;
        case Space::shared:
            return access_.element_bytes == 4;
        default:
            return false;
    }
}

llvm::Value* HalfWarpPath::legal(std::uint32_t row, std::uint64_t extent) {
    auto& ir = e_.ir();
    llvm::Type* i64 = ir.getInt64Ty();
    const bool shared = access_.space == Space::shared;
    const auto field = [&](std::size_t offset) {
        return e_.tag(ir.CreateLoad(i64, e_.row_field(row, offset)), Emitter::Memory::counters);
    };
    llvm::Value* bytes = shared ? e_.context_field(offsetof(BlockContext, shared_bytes), i64)
                                : field(offsetof(counters::SiteRow, legal_bytes));
    llvm::Value* starts =
        ir.CreateBinaryIntrinsic(llvm::Intrinsic::usub_sat, bytes, ir.getInt64(extent - 1));
    const auto inside = [&](llvm::Value* start) {
        if (!shared) {
            start = ir.CreateSub(start, field(offsetof(counters::SiteRow, legal_begin)));
        }
        return ir.CreateICmpULT(start, starts);
    };
    llvm::Value* low_bits = ir.CreateAnd(ir.CreateOr(low_, high_), access_.element_bytes - 1);
    // Halves that share no sector, and are no continuation of each other: distance + gap is not
    // within [0, 2 × gap].
    const std::uint64_t gap = extent + 2 * counters::kSectorBytes;
    llvm::Value* distance = ir.CreateAdd(ir.CreateSub(high_, low_), ir.getInt64(gap));
    llvm::Value* apart = ir.CreateICmpUGT(distance, ir.getInt64(2 * gap));
    if (shared)
        apart = ir.CreateICmpUGT(ir.CreateAdd(ir.CreateSub(high_, low_), ir.getInt64(extent - 1)),
                                 ir.getInt64(2 * (extent - 1)));
    return ir.CreateAnd(apart, ir.CreateAnd(ir.CreateICmpEQ(low_bits, ir.getInt64(0)),
                                            ir.CreateAnd(inside(low_), inside(high_))));
}

HalfWarpPath::Blocks HalfWarpPath::branch(std::uint32_t row, bool words_too) {
    auto& ir = e_.ir();
    row_ = row;
    llvm::Function* function = ir.GetInsertBlock()->getParent();
    const auto block = [&](const char* name) {
        return llvm::BasicBlock::Create(ir.getContext(), name, function);
    };
    const Blocks blocks{block("half_rows"), words_too ? block("half_words") : nullptr,
                        block("slow"), block("done")};
    llvm::Value* lanes = address_.lanes();
    low_ = ir.CreateExtractElement(lanes, std::uint64_t{0});
    high_ = ir.CreateExtractElement(lanes, std::uint64_t{kHalf});
    llvm::SmallVector<int, kLanes> first_of_half;
    llvm::SmallVector<std::uint64_t, kLanes> steps;
    for (unsigned lane = 0; lane < kLanes; ++lane) {
        first_of_half.push_back(static_cast<int>(lane / kHalf * kHalf));
        steps.push_back(lane % kHalf * access_.element_bytes);
    }
    llvm::Value* distances = ir.CreateSub(lanes, ir.CreateShuffleVector(lanes, first_of_half));
    llvm::Value* row_steps = llvm::ConstantDataVector::get(ir.getContext(), steps);
    const auto all = [&](llvm::Value* equal) {
        return ir.CreateICmpEQ(e_.bits_of(equal), ir.getInt32(~0u));
    };
    llvm::Value* full = ir.CreateICmpEQ(e_.mask_bits(), ir.getInt32(~0u));
    const std::uint64_t row_extent = kHalf * access_.element_bytes;
    llvm::Value* rows = ir.CreateAnd(all(ir.CreateICmpEQ(distances, row_steps)),
                                     ir.CreateAnd(full, legal(row, row_extent)));
    if (!words_too) {
        ir.CreateCondBr(rows, blocks.rows, blocks.slow);
        return blocks;
    }
    llvm::Value* zero = llvm::Constant::getNullValue(distances->getType());
    llvm::Value* words = ir.CreateAnd(all(ir.CreateICmpEQ(distances, zero)),
                                      ir.CreateAnd(full, legal(row, access_.element_bytes)));
    llvm::BasicBlock* not_words = block("not_words");
    ir.CreateCondBr(words, blocks.words, not_words);
    ir.SetInsertPoint(not_words);
    ir.CreateCondBr(rows, blocks.rows, blocks.slow);
    return blocks;
}

void HalfWarpPath::count(std::uint32_t row, bool rows) {
    if (!e_.context().counters) return;
    auto& ir = e_.ir();
    llvm::Value* index = nullptr;
    if (access_.space == Space::shared) {
        // The halves' first banks: equal ones clash; rows of 16 words clash unless they lie 16
        // banks apart.
        llvm::Value* banks = ir.CreateAnd(ir.CreateLShr(ir.CreateSub(high_, low_), 2), 31);
        llvm::Value* clash = rows ? ir.CreateICmpNE(banks, ir.getInt64(kHalf))
                                  : ir.CreateICmpEQ(banks, ir.getInt64(0));
        index = ir.CreateAdd(ir.CreateZExt(clash, ir.getInt64Ty()), ir.getInt64(rows ? 2 : 0));
    } else {
        const auto sectors = [&](llvm::Value* start) -> llvm::Value* {
            if (!rows) return ir.getInt64(1);
            const std::uint64_t bytes = kHalf * access_.element_bytes;
            llvm::Value* end = ir.CreateAdd(ir.CreateAnd(start, counters::kSectorBytes - 1),
                                            ir.getInt64(bytes + counters::kSectorBytes - 1));
            return ir.CreateLShr(end, 5);
        };
        index = ir.CreateSub(ir.CreateAdd(sectors(low_), sectors(high_)), ir.getInt64(1));
    }
    using Class = counters::SiteRow::StaticClass;
    llvm::Value* entry =
        ir.CreateGEP(ir.getInt8Ty(), e_.row_field(row, offsetof(counters::SiteRow, static_classes)),
                     ir.CreateMul(index, ir.getInt64(sizeof(Class))));
    llvm::Value* old = e_.tag(ir.CreateLoad(ir.getInt64Ty(), entry), Emitter::Memory::counters);
    e_.tag(ir.CreateStore(ir.CreateAdd(old, ir.getInt64(1)), entry), Emitter::Memory::counters);
}

llvm::Value* HalfWarpPath::host_pointer(llvm::Value* start) {
    auto& ir = e_.ir();
    if (access_.space == Space::shared) {
        return ir.CreateGEP(ir.getInt8Ty(),
                            e_.context_field(offsetof(BlockContext, shared), ir.getPtrTy()), start);
    }
    llvm::Value* displacement =
        e_.tag(ir.CreateLoad(ir.getInt64Ty(),
                             e_.row_field(row_, offsetof(counters::SiteRow, legal_displacement))),
               Emitter::Memory::counters);
    return ir.CreateIntToPtr(ir.CreateAdd(start, displacement), ir.getPtrTy());
}

llvm::Value* HalfWarpPath::load_rows() {
    auto& ir = e_.ir();
    llvm::Type* half = llvm::FixedVectorType::get(ir.getIntNTy(access_.element_bytes * 8), kHalf);
    const auto load = [&](llvm::Value* start) {
        return e_.tag(ir.CreateAlignedLoad(half, host_pointer(start),
                                           llvm::Align(access_.element_bytes), access_.is_volatile),
                      Emitter::Memory::program);
    };
    llvm::SmallVector<int, kLanes> both;
    for (int lane = 0; lane < static_cast<int>(kLanes); ++lane) both.push_back(lane);
    llvm::Value* low = load(low_);
    return ir.CreateShuffleVector(low, load(high_), both);
}

llvm::Value* HalfWarpPath::load_words() {
    auto& ir = e_.ir();
    llvm::Type* element = ir.getIntNTy(access_.element_bytes * 8);
    const auto load = [&](llvm::Value* start) {
        llvm::Value* word =
            e_.tag(ir.CreateAlignedLoad(element, host_pointer(start),
                                        llvm::Align(access_.element_bytes), access_.is_volatile),
                   Emitter::Memory::program);
        return ir.CreateVectorSplat(kHalf, word);
    };
    llvm::SmallVector<int, kLanes> both;
    for (int lane = 0; lane < static_cast<int>(kLanes); ++lane) both.push_back(lane);
    llvm::Value* low = load(low_);
    return ir.CreateShuffleVector(low, load(high_), both);
}

void HalfWarpPath::store_rows(llvm::Value* value) {
    auto& ir = e_.ir();
    for (const unsigned first : {0u, kHalf}) {
        llvm::SmallVector<int, kHalf> lanes;
        for (unsigned lane = 0; lane < kHalf; ++lane)
            lanes.push_back(static_cast<int>(first + lane));
        e_.tag(ir.CreateAlignedStore(ir.CreateShuffleVector(value, lanes),
                                     host_pointer(first == 0 ? low_ : high_),
                                     llvm::Align(access_.element_bytes), access_.is_volatile),
               Emitter::Memory::program);
    }
}

}  // namespace wideload::jit

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "jit/memory_access.h"

namespace wideload::jit {

/// The inline part of an access in blocks that are 16 threads wide, where a warp is two rows: each
/// half of the warp asks for one word, or for 16 neighbouring ones, but how far the halves lie
/// apart is known only at run time. Found by comparing addresses; anything else, and halves that
/// touch or overlap, goes to host code.
///
/// Counts: in global memory static_classes by the request's sectors − 1 (two sectors: each half
/// asked for one word); in shared memory by its wavefronts − 1, plus 2 where the halves are rows of
/// words.
class HalfWarpPath {
public:
    HalfWarpPath(Emitter& emitter, const MemoryAccess& access, const AddressValue& address)
        : e_(emitter), access_(access), address_(address) {}

    [[nodiscard]] bool exists() const;
    /// Emits the whole load: elements of the lanes, from the inline paths or from `slow`.
    template <class Slow>
    llvm::Value* load(std::uint32_t row, Slow slow);
    /// Emits the whole store.
    template <class Slow>
    void store(std::uint32_t row, llvm::Value* value, Slow slow);

private:
    static constexpr unsigned kHalf = kLanes / 2;

    /// Branches to `row_block` where both halves are rows of elements, to `word_block` (if any)
    /// where each is one, else to `slow_block`.
    struct Blocks {
        llvm::BasicBlock *rows, *words, *slow, *done;
    };
    Blocks branch(std::uint32_t row, bool words_too);
    llvm::Value* legal(std::uint32_t row, std::uint64_t extent);
    void count(std::uint32_t row, bool rows);
    llvm::Value* host_pointer(llvm::Value* start);
    llvm::Value* load_rows();
    llvm::Value* load_words();
    void store_rows(llvm::Value* value);

    Emitter& e_;
    const MemoryAccess& access_;
    const AddressValue& address_;
    std::uint32_t row_ = 0;                         ///< the site's, once the path has begun
    llvm::Value *low_ = nullptr, *high_ = nullptr;  ///< first address of each half
};

template <class Slow>
llvm::Value* HalfWarpPath::load(std::uint32_t row, Slow slow) {
    auto& ir = e_.ir();
    const Blocks blocks = branch(row, true);
    std::vector<std::pair<llvm::Value*, llvm::BasicBlock*>> results;
    const auto finish = [&](llvm::Value* value) {
        results.emplace_back(value, ir.GetInsertBlock());
        ir.CreateBr(blocks.done);
    };
    ir.SetInsertPoint(blocks.rows);
    count(row, true);
    finish(load_rows());
    ir.SetInsertPoint(blocks.words);
    count(row, false);
    finish(load_words());
    ir.SetInsertPoint(blocks.slow);
    finish(slow());
    ir.SetInsertPoint(blocks.done);
    llvm::PHINode* loaded = ir.CreatePHI(results[0].first->getType(), 3);
    for (const auto& [value, block] : results) loaded->addIncoming(value, block);
    return loaded;
}

template <class Slow>
void HalfWarpPath::store(std::uint32_t row, llvm::Value* value, Slow slow) {
    auto& ir = e_.ir();
    const Blocks blocks = branch(row, false);
    ir.SetInsertPoint(blocks.rows);
    count(row, true);
    store_rows(value);
    ir.CreateBr(blocks.done);
    ir.SetInsertPoint(blocks.slow);
    slow();
    ir.CreateBr(blocks.done);
    ir.SetInsertPoint(blocks.done);
}

}  // namespace wideload::jit

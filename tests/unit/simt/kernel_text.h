// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ptx/module.h"
#include "simt/analysis.h"

/// Small kernels for tests of what is known before machine code is made.
namespace wideload::simt {

/// A kernel of parameters `in`, `out` (.u64) and `n` (.u32), with registers %p<8>, %r<16>, %rd<16>,
/// %f<8>; a parse error fails the test.
struct KernelText {
    /// @param before what stands before the kernel: functions that it calls
    explicit KernelText(std::string_view body, std::string_view before = {});
    ptx::Module module;
    [[nodiscard]] const ptx::Function& function() const { return module.functions.back(); }
    [[nodiscard]] ptx::RegisterId reg(std::string_view name) const;
    /// The block, in `blocks`, that begins with the label's instruction.
    [[nodiscard]] BlockId block_at(const std::vector<Block>& blocks, std::string_view label) const;
};

[[nodiscard]] inline ThreadLayout rows() { return ThreadLayout::of({256, 1, 1}); }
[[nodiscard]] inline Analysis analyse(const KernelText& kernel, ThreadLayout layout = rows()) {
    return analyse(kernel.function(), layout, /*is_called=*/false, /*calls_may_wait=*/false);
}

/// What tests of graphs alone need: a branch has two successors, a jump one, an end none.
[[nodiscard]] std::vector<Block> graph(const std::vector<std::vector<BlockId>>& successors);

}  // namespace wideload::simt

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <span>

#include "image/cubin.h"
#include "support/bytes.h"
#include "support/result.h"

namespace wideload::sass {

/// Some of a cubin's kernels.
using KernelSpan = std::span<const image::CubinKernel>;

/// Whether the disassembler reads them together.
using ReadsKernels = std::function<bool(KernelSpan)>;

/// Where the damage lies in a cubin of which the disassembler refused `kernels`, not none: at the
/// code of the first of them that it refuses by itself; where it refuses every one, or only all
/// together, at the table of sections. Asks some 2·log2(kernels) times.
/// @param refusal  what the disassembler said; kept behind the place
[[nodiscard]] Diagnostics locate_refusal(const ByteRange& cubin, KernelSpan kernels,
                                         const ReadsKernels& reads, const Diagnostics& refusal);

}  // namespace wideload::sass

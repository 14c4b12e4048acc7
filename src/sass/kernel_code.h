// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "image/cubin.h"
#include "sass/opcode.h"
#include "support/source_location.h"

/// What machine code says of a kernel.
namespace wideload::sass {

/// Equal memory instructions of one place.
struct Access {
    std::string opcode;  ///< "LDG.E.128"
    Category space = Category::other;
    Action action = Action::none;
    std::uint32_t bytes = 0;             ///< that a lane moves; 0 where the code does not say
    std::vector<SourceLocation> frames;  ///< innermost first; empty without -lineinfo
    std::uint32_t ptx_line = 0;          ///< 0 where it was not asked for or is unknown
    bool spill = false;                  ///< puts a register aside, or gets it back
    std::uint64_t count = 0;             ///< how many there are in the code, not how many are run
};

struct SpillTotals {
    std::uint64_t stores = 0, loads = 0;            ///< instructions
    std::uint64_t store_bytes = 0, load_bytes = 0;  ///< a thread, each instruction once

    bool operator==(const SpillTotals&) const = default;
};

struct KernelCode {
    image::CubinKernel resources;
    std::uint64_t instructions = 0;  ///< without what pads the end
    std::array<std::uint64_t, kCategories> mix{};
    /// Nothing where the cubin does not mark spills and there are local accesses that may be some.
    std::optional<SpillTotals> spills;
    /// Of global, generic, shared and local memory; in the order of the source, then of the code.
    std::vector<Access> accesses;

    [[nodiscard]] std::uint64_t of(Category category) const {
        return mix[static_cast<std::size_t>(category)];
    }
};

}  // namespace wideload::sass

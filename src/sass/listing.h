// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "support/result.h"
#include "support/source_location.h"

namespace wideload::sass {

/// One instruction of a listing. Views are valid during the call that passes it.
struct Instruction {
    std::string_view function;  ///< the section's: the kernel, also in a function called by it
    std::uint64_t offset = 0;   ///< in the section
    std::string_view opcode;    ///< with modifiers: "LDG.E.128"
    /// Where it stands, then where that was inlined; empty without line information.
    std::span<const SourceLocation> frames;
    std::uint32_t ptx_line = 0;  ///< 1-based; 0 where unknown
};

/// Reads what `nvdisasm -c -gi -gp` prints, a line at a time. The text is not trusted: lines of no
/// known form are skipped, and memory stays bounded by one instruction's line information.
class ListingReader {
public:
    using Sink = std::function<void(const Instruction&)>;
    explicit ListingReader(Sink sink) : sink_(std::move(sink)) {}

    /// @param line without its newline
    void read_line(std::string_view line);

    [[nodiscard]] std::uint64_t instructions() const { return instructions_; }

private:
    void read_location(std::string_view comment);
    void read_instruction(std::string_view line);
    void begin_section(std::string_view name);

    Sink sink_;
    std::string function_;
    bool in_code_ = false;
    std::vector<SourceLocation> frames_;
    bool chain_goes_on_ = false;  ///< the last location said that another follows
    std::uint32_t ptx_line_ = 0;
    std::uint64_t instructions_ = 0;
};

}  // namespace wideload::sass

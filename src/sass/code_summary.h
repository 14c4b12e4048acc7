// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "sass/kernel_code.h"
#include "sass/listing.h"

namespace wideload::sass {

/// Adds up the instructions of one kernel.
class CodeSummary {
public:
    explicit CodeSummary(image::CubinKernel resources);

    /// In the order of the code.
    void add(const Instruction& instruction);

    [[nodiscard]] KernelCode finish() &&;

private:
    /// What equal accesses share.
    struct Place {
        std::vector<SourceLocation> frames;
        std::uint32_t ptx_line = 0;
        std::string opcode;
        bool spill = false;
    };
    struct PlaceOrder {
        bool operator()(const Place& left, const Place& right) const;
    };

    void add_access(const Instruction& instruction, const Opcode& opcode);
    void add_spill(const Opcode& opcode);
    [[nodiscard]] bool is_spill(std::uint64_t offset) const;

    KernelCode code_;
    SpillTotals spills_;
    std::uint64_t padding_ = 0;                        ///< NOPs since the last other instruction
    std::map<Place, std::size_t, PlaceOrder> places_;  ///< into code_.accesses
};

}  // namespace wideload::sass

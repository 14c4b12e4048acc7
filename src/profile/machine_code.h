// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// What the program's own machine code says of a kernel that was launched. The virtual GPU runs
/// PTX; this is what a real one would run of it.
namespace wideload::profile {

/// Equal memory instructions of one line of the kernel's PTX.
struct MachineAccess {
    std::string opcode;          ///< "LDG.E.128"
    std::string space;           ///< "global", "generic", "shared", "local"
    std::uint32_t bytes = 0;     ///< that a lane moves; 0 where the code does not say
    std::uint64_t count = 0;     ///< instructions in the code, however often they are run
    bool spill = false;          ///< puts a register aside, or gets it back
    std::uint32_t ptx_line = 0;  ///< as Site::ptx_line; 0 where unknown

    bool operator==(const MachineAccess&) const = default;
};

/// Instructions, and the bytes that a thread moves by them, each counted once.
struct MachineSpills {
    std::uint64_t stores = 0, store_bytes = 0;
    std::uint64_t loads = 0, load_bytes = 0;

    bool operator==(const MachineSpills&) const = default;
};

struct MachineCode {
    std::string mangled;  ///< as Launch::mangled
    std::string arch;     ///< what it was compiled for: "sm_90"
    std::uint32_t registers = 0;
    std::uint64_t stack_bytes = 0;
    std::optional<MachineSpills> spills;  ///< nothing where the code does not mark them
    std::uint64_t instructions = 0;
    std::vector<MachineAccess> accesses;

    bool operator==(const MachineCode&) const = default;
};

}  // namespace wideload::profile

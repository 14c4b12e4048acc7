// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "image/elf.h"
#include "support/bytes.h"
#include "support/result.h"

namespace wideload::image {

struct CubinParameter {
    std::uint32_t offset = 0;  ///< in the parameter buffer
    std::uint32_t bytes = 0;
};

struct CubinConstantBank {
    std::uint32_t bank =
        0;  ///< c[0x0] holds parameters, c[0x3] the module's __constant__ variables
    std::uint64_t bytes = 0;
};

/// What ptxas says of one kernel.
struct CubinKernel {
    std::string name;                       ///< mangled
    std::uint32_t registers = 0;            ///< a thread
    std::uint64_t static_shared_bytes = 0;  ///< without what the system reserves
    std::uint64_t frame_bytes = 0;          ///< a thread's stack frame: local arrays and spills
    std::uint64_t stack_bytes = 0;          ///< with the frames of what it calls
    std::uint32_t parameter_bytes = 0;
    std::vector<CubinParameter> parameters;                        ///< by position
    std::optional<std::array<std::uint32_t, 3>> max_threads;       ///< __launch_bounds__, .maxntid
    std::optional<std::array<std::uint32_t, 3>> required_threads;  ///< .reqntid
    std::uint32_t barriers = 0;                                    ///< named barriers used
    std::vector<CubinConstantBank> constant_banks;  ///< by bank; the module's own too
    /// Where in its code registers are spilled and filled again, ascending; nothing where the
    /// toolkit that made the cubin (before 13.0) does not mark it.
    std::optional<std::vector<std::uint32_t>> spill_offsets;
    /// Instructions that load from global memory (LDG); nothing before sm_70, whose instructions
    /// are coded in another way.
    std::optional<std::uint32_t> global_loads;
    std::uint32_t symbol = 0;  ///< its index in the symbol table
};

/// 90 for a cubin of sm_90. The ELF header does not tell sm_90a from it.
[[nodiscard]] std::uint32_t cubin_arch(const Elf& elf);

/// The kernels of a cubin (a decompressed entry of kind `elf`, or a .cubin file), in the order of
/// its symbol table.
[[nodiscard]] Result<std::vector<CubinKernel>> read_cubin(const ByteRange& cubin);

}  // namespace wideload::image

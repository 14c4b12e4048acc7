// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "arch/device.h"
#include "lab/record.h"

namespace wideload::cli {

/// What the machine code of each point's first kernel says: the facts registers, local_bytes,
/// static_shared_bytes, spill_store_bytes, spill_load_bytes, and what follows from them on the GPU,
/// resident_blocks and occupancy_percent; the notes load_instructions and store_instructions, of
/// global memory. They replace what the program found out on a virtual GPU, which has only PTX to
/// go by; what a real GPU's driver told the program stands. Points whose kernel the file has no
/// machine code of keep what they have; without nvdisasm the instructions' share is missing.
void add_machine_code(lab::Results& results, const std::filesystem::path& program,
                      const arch::Device& device);

/// Which of the experiments lack that share, and why, in one sentence; empty where none does.
[[nodiscard]] std::string missing_machine_code(const std::vector<lab::Outcome>& outcomes);

}  // namespace wideload::cli

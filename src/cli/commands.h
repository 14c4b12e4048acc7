// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/options.h"

/// Each command carries itself out, prints what it has to say, and returns the exit code.
namespace wideload::cli {

/// Runs a program on the virtual GPU and reports. Does not return where a signal ended the program:
/// it ends itself alike.
[[nodiscard]] int execute(const RunCommand& command);
/// Prints the report of saved profiles.
[[nodiscard]] int execute(const ReportCommand& command);
/// Prints the occupancy of kernels, and where its cliffs are.
[[nodiscard]] int execute(const OccupancyCommand& command);
/// Prints what the machine code of a file says of its kernels.
[[nodiscard]] int execute(const InspectCommand& command);
/// Prints the bounds that a GPU's peak rates set to kernels' times.
[[nodiscard]] int execute(const RooflineCommand& command);
/// Prints the table of GPUs.
[[nodiscard]] int execute(const GpusCommand& command);
/// Lists, runs or shows experiments of the lab.
[[nodiscard]] int execute(const LabCommand& command);
[[nodiscard]] inline int execute(const Answered& answered) { return answered.exit_code; }

}  // namespace wideload::cli

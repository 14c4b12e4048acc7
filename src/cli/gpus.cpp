// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <string>

#include "arch/device.h"
#include "cli/commands.h"
#include "cli/exit_codes.h"
#include "cli/messages.h"
#include "cli/text_output.h"

namespace wideload::cli {

int execute(const GpusCommand& /*command*/) {
    std::string table =
        fmt::format("{:<10} {:<28} {:>6} {:>5} {:>9} {:>8} {:>10} {:>13}\n", "key", "name", "sm",
                    "SMs", "boost GHz", "L2 MiB", "memory GiB", "peak GB/s");
    for (const arch::Device& device : arch::devices()) {
        table += fmt::format(
            "{:<10} {:<28} {:>6} {:>5} {:>9.2f} {:>8} {:>10.1f} {:>13.0f}{}\n", device.key,
            device.name, fmt::format("{}.{}", device.capability.major, device.capability.minor),
            device.multiprocessors, static_cast<double>(device.sm_clock_khz) / 1e6,
            device.l2_bytes >> 20, static_cast<double>(device.global_memory_bytes) / (1 << 30),
            device.dram_peak_bytes_per_second() / 1e9,
            &device == &arch::default_device() ? "  default" : "");
    }
    const Diagnostics problems = write_text(table, "-");
    say(problems);
    return problems.empty() ? 0 : kToolFailed;
}

}  // namespace wideload::cli

// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cstdio>

#include "arch/device.h"
#include "cli/commands.h"

namespace wideload::cli {

int execute(const GpusCommand& /*command*/) {
    fmt::print("{:<10} {:<28} {:>6} {:>5} {:>9} {:>8} {:>10} {:>13}\n", "key", "name", "sm", "SMs",
               "boost GHz", "L2 MiB", "memory GiB", "peak GB/s");
    for (const arch::Device& device : arch::devices()) {
        fmt::print(
            "{:<10} {:<28} {:>6} {:>5} {:>9.2f} {:>8} {:>10.1f} {:>13.0f}{}\n", device.key,
            device.name, fmt::format("{}.{}", device.capability.major, device.capability.minor),
            device.multiprocessors, static_cast<double>(device.sm_clock_khz) / 1e6,
            device.l2_bytes >> 20, static_cast<double>(device.global_memory_bytes) / (1 << 30),
            device.dram_peak_bytes_per_second() / 1e9,
            &device == &arch::default_device() ? "  default" : "");
    }
    return 0;
}

}  // namespace wideload::cli

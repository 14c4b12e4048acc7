// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace wideload::cli {

enum class Colour : std::uint8_t { automatic, always, never };

/// How the terminal report looks; of every command that prints one.
struct ReportOptions {
    Colour colour = Colour::automatic;
    bool all_sites = false;
};

struct RunCommand {
    std::string gpu;     ///< key of arch/'s table; empty: its default
    std::string json;    ///< where the profile is kept; empty: nowhere
    std::string report;  ///< where the report goes; empty: stderr
    bool quiet = false;  ///< no report, no progress
    double kernel_timeout_s = 60;
    bool deterministic = false;
    unsigned workers = 0;  ///< 0: one per core
    bool counters = true;
    std::string host_isa;  ///< empty: what the host has
    ReportOptions look;
    std::vector<std::string> program;  ///< and its arguments; never empty
};

struct ReportCommand {
    std::vector<std::string> files;
    ReportOptions look;
};

struct GpusCommand {};

/// The command line was answered by itself: help, version or a mistake, printed already.
struct Answered {
    int exit_code = 0;
};

using Command = std::variant<RunCommand, ReportCommand, GpusCommand, Answered>;

}  // namespace wideload::cli

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
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
    bool roofline = false;  ///< count what the roofline needs of DRAM, too
    std::string host_isa;   ///< empty: what the host has
    ReportOptions look;
    std::vector<std::string> program;  ///< and its arguments; never empty

    /// Whether anybody reads what is counted.
    [[nodiscard]] bool is_profiled() const { return !quiet || !json.empty() || !report.empty(); }
};

struct ReportCommand {
    std::vector<std::string> files;
    ReportOptions look;
};

struct OccupancyCommand {
    std::string file;                      ///< that holds kernels; empty: of given figures
    std::string kernel;                    ///< regular expression over demangled names; empty: all
    std::string gpu;                       ///< key of arch/'s table or "all"; empty: its default
    std::optional<std::uint32_t> threads;  ///< a block
    std::optional<std::uint32_t> registers;  ///< a thread; has a value where there is no file
    std::uint64_t shared_bytes = 0;          ///< a block; of a file's kernels the dynamic
    std::string json;                        ///< where figures go as JSON; empty: text on stdout
    std::string svg;                         ///< where step plots are drawn; empty: nowhere
    std::vector<std::string> nvcc_flags;     ///< of a .cu
};

struct InspectCommand {
    std::string file;
    std::string gpu;       ///< key of arch/'s table; empty: its default
    std::string arch;      ///< "sm_90a"; empty: the GPU's
    std::string json;      ///< where figures go as JSON; empty: the report on stdout
    std::string kernel;    ///< regular expression; empty: all kernels
    std::string nvdisasm;  ///< empty: found
    std::vector<std::string> nvcc_flags;
    ReportOptions look;
};

struct RooflineCommand {
    std::vector<std::string> files;
    std::string gpu;   ///< key of arch/'s table; empty: what each launch ran on
    std::string json;  ///< where figures go as JSON; empty: text on stdout
    std::string svg;   ///< where the plot is drawn; empty: nowhere
};

struct GpusCommand {};

struct LabCommand {
    std::vector<std::string> names;  ///< experiments; empty and not `all`: list them
    bool all = false;
    bool device = false;   ///< on this machine's GPU instead of the virtual one
    std::string gpu;       ///< the virtual GPU; empty: the default
    std::string json;      ///< where the record is kept; empty: nowhere
    std::string only;      ///< of a real GPU: "times" or "counters"; empty: both
    std::string csv;       ///< where results go as comma-separated values; empty: nowhere
    std::string html;      ///< where the page goes; empty: nowhere
    std::string markdown;  ///< folder of the pages as Markdown with SVG figures; empty: none
    std::string beside;    ///< a kept record whose results the page shows too; empty: none
    std::vector<std::string> results;  ///< kept records to show instead of running; none: run
    bool quiet = false;                ///< print only what is wrong
    ReportOptions look;
};

/// The command line was answered by itself: help, version or a mistake, printed already.
struct Answered {
    int exit_code = 0;
};

using Command = std::variant<RunCommand, ReportCommand, InspectCommand, OccupancyCommand,
                             RooflineCommand, GpusCommand, LabCommand, Answered>;

}  // namespace wideload::cli

// SPDX-License-Identifier: Apache-2.0
#include "preload/engine/missing.h"

namespace wideload::preload {
namespace {

struct Reason {
    std::string_view part;  ///< of a function's name; the first row that fits counts
    std::string_view sentence;
};

constexpr std::string_view kGraphics =
    "the virtual GPU shares no memory with graphics and other interfaces";
constexpr std::string_view kTextures =
    "the virtual GPU has no texture units; keep what is read in linear memory (cudaMalloc)";
constexpr std::string_view kProcesses =
    "virtual GPUs of different processes share no memory; use host memory that both map";
constexpr std::string_view kDriver =
    "only the runtime API is covered, not the driver API and what leads to it";
constexpr std::string_view kClusters = "the virtual GPU does not run clusters of blocks";
constexpr std::string_view kGraphs =
    "of graphs, kernels, copies, memsets, host functions and child graphs are covered, added by "
    "functions of their own or captured";

constexpr Reason kReasons[] = {
    {"cudaGraphics", kGraphics}, {"cudaGL", kGraphics},      {"EGL", kGraphics},
    {"VDPAU", kGraphics},        {"NvSci", kGraphics},       {"External", kGraphics},
    {"Texture", kTextures},      {"Surface", kTextures},     {"Array", kTextures},
    {"ChannelDesc", kTextures},  {"cudaIpc", kProcesses},    {"Shareable", kProcesses},
    {"PoolExport", kProcesses},  {"PoolImport", kProcesses}, {"DriverEntryPoint", kDriver},
    {"cudaLibrary", kDriver},    {"ExportTable", kDriver},   {"ProcAddress", kDriver},
    {"Cluster", kClusters},      {"cudaGraph", kGraphs},     {"Capture", kGraphs},
    {"UserObject", kGraphs},
};

}  // namespace

std::string_view why_missing(std::string_view function) {
    for (const Reason& reason : kReasons) {
        if (function.find(reason.part) != std::string_view::npos) return reason.sentence;
    }
    return "not implemented";
}

}  // namespace wideload::preload

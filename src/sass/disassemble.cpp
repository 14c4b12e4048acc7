// SPDX-License-Identifier: Apache-2.0
#include "sass/disassemble.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <future>
#include <span>
#include <unordered_map>

#include "sass/code_summary.h"
#include "sass/listing.h"
#include "sass/refused_code.h"
#include "support/tool_process.h"

namespace wideload::sass {
namespace {

using Kernels = std::vector<image::CubinKernel>;

/// nvdisasm takes some 200 MB for a cubin of a thousand kernels, so that there are never more.
constexpr std::size_t kMostProcesses = 2;
constexpr std::size_t kFewestKernelsPerProcess = 100;
/// The kernel's limit on one argument is 128 KiB; a symbol's number takes up to ten.
constexpr std::size_t kMostKernelsPerCall = 10'000;

/// Disassembles a cubin restricted to some of its kernels.
Result<std::vector<KernelCode>> read_kernels(const MemoryFile& cubin, KernelSpan kernels,
                                             const DisassemblyOptions& options) {
    std::vector<CodeSummary> summaries;
    std::unordered_map<std::string_view, std::size_t> by_name;
    std::vector<std::uint32_t> symbols;
    for (const image::CubinKernel& kernel : kernels) {
        by_name.emplace(kernel.name, summaries.size());
        symbols.push_back(kernel.symbol);
        summaries.emplace_back(kernel);
    }
    CodeSummary* current = nullptr;
    std::string current_name;
    ListingReader reader([&](const Instruction& instruction) {
        if (instruction.function != current_name || current == nullptr) {
            const auto found = by_name.find(instruction.function);
            current = found == by_name.end() ? nullptr : &summaries[found->second];
            current_name = instruction.function;
        }
        if (current != nullptr) current->add(instruction);
    });
    ToolCall call;
    call.program = options.nvdisasm;
    // Without analysing where branches lead: no label is read, and it takes a tenth of the time.
    call.arguments = {"-c", "-ndf", "-gi"};
    if (options.ptx_lines) call.arguments.emplace_back("-gp");
    call.arguments.insert(call.arguments.end(),
                          {"-fun", fmt::format("{}", fmt::join(symbols, ",")), cubin.path()});
    call.descriptors = {cubin.descriptor()};
    call.on_line = [&](std::string_view line) { reader.read_line(line); };
    if (Diagnostics problems = run_tool(call); !problems.empty()) return problems;
    std::vector<KernelCode> codes;
    codes.reserve(summaries.size());
    for (CodeSummary& summary : summaries) codes.push_back(std::move(summary).finish());
    return codes;
}

std::vector<KernelSpan> parts_of(const Kernels& kernels) {
    const std::size_t processes =
        std::clamp(kernels.size() / kFewestKernelsPerProcess, std::size_t{1}, kMostProcesses);
    const std::size_t size =
        std::min((kernels.size() + processes - 1) / processes, kMostKernelsPerCall);
    std::vector<KernelSpan> parts;
    for (std::size_t at = 0; at < kernels.size(); at += size) {
        parts.push_back(std::span(kernels).subspan(at, std::min(size, kernels.size() - at)));
    }
    return parts;
}

/// What a tool said of a file in memory, said of the place in the file that the user knows; where
/// the tool does not even run, no file is to blame.
Diagnostics placed_in(const ByteRange& cubin, const MemoryFile& file, KernelSpan kernels,
                      const DisassemblyOptions& options, const Diagnostics& refusal) {
    if (!run_tool({options.nvdisasm, {"--version"}, {}, {}}).empty()) return refusal;
    return locate_refusal(
        cubin, kernels, [&](KernelSpan some) { return read_kernels(file, some, options).ok(); },
        refusal);
}

}  // namespace

Result<std::vector<KernelCode>> disassemble(const ByteRange& cubin,
                                            const DisassemblyOptions& options) {
    auto kernels = image::read_cubin(cubin);
    if (!kernels) return kernels.errors();
    if (options.wanted) {
        std::erase_if(*kernels, [&](const auto& kernel) { return !options.wanted(kernel.name); });
    }
    const auto file = MemoryFile::create(cubin.data);
    if (!file) return file.errors();
    const auto parts = parts_of(*kernels);
    std::vector<KernelCode> codes;
    for (std::size_t at = 0; at < parts.size(); at += kMostProcesses) {
        std::vector<std::future<Result<std::vector<KernelCode>>>> running;
        for (std::size_t i = at; i < std::min(parts.size(), at + kMostProcesses); ++i) {
            running.push_back(std::async(
                std::launch::async, [&, i] { return read_kernels(*file, parts[i], options); }));
        }
        for (std::size_t i = 0; i < running.size(); ++i) {
            auto read = running[i].get();
            if (!read) return placed_in(cubin, *file, parts[at + i], options, read.errors());
            std::ranges::move(*read, std::back_inserter(codes));
        }
    }
    return codes;
}

}  // namespace wideload::sass

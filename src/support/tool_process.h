// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "support/result.h"

namespace wideload {

/// Bytes in memory that a tool may be given as a file by its path. Gone with the object.
class MemoryFile {
public:
    /// @param bytes what it holds at first
    static Result<MemoryFile> create(std::span<const std::byte> bytes);
    ~MemoryFile();
    MemoryFile(MemoryFile&& other) noexcept;
    MemoryFile(const MemoryFile&) = delete;
    MemoryFile& operator=(const MemoryFile&) = delete;
    MemoryFile& operator=(MemoryFile&&) = delete;

    [[nodiscard]] int descriptor() const { return descriptor_; }
    /// As a tool that run_tool() passes it to opens it.
    [[nodiscard]] std::string path() const;
    /// What it holds now.
    [[nodiscard]] Result<std::vector<std::byte>> contents() const;

private:
    explicit MemoryFile(int descriptor) : descriptor_(descriptor) {}
    int descriptor_ = -1;
};

/// Runs a program to its end, without input.
struct ToolCall {
    std::filesystem::path program;
    std::vector<std::string> arguments;
    std::vector<int> descriptors;  ///< of MemoryFiles that it opens
    /// Each line that it prints to stdout, without its newline; may be empty.
    std::function<void(std::string_view)> on_line;
};

/// Errors: it cannot be started, or ended with a failure; the message then has what it wrote to
/// stderr.
[[nodiscard]] Diagnostics run_tool(const ToolCall& call);

}  // namespace wideload

// SPDX-License-Identifier: Apache-2.0
#include "sass/compile.h"

#include <fmt/format.h>

#include <charconv>
#include <span>

#include "image/ptx_header.h"
#include "sass/tool.h"
#include "support/tool_process.h"

namespace wideload::sass {
namespace {

using Bytes = std::vector<std::byte>;

/// Runs a compiler that writes a cubin to the file behind -o.
Result<Bytes> compile(std::string_view tool, std::vector<std::string> arguments,
                      std::vector<int> descriptors) {
    const auto program = find_tool(tool);
    if (!program) return program.errors();
    const auto output = MemoryFile::create({});
    if (!output) return output.errors();
    ToolCall call;
    call.program = *program;
    call.arguments = std::move(arguments);
    call.arguments.insert(call.arguments.end(), {"-o", output->path()});
    call.descriptors = std::move(descriptors);
    call.descriptors.push_back(output->descriptor());
    if (Diagnostics problems = run_tool(call); !problems.empty()) return problems;
    return output->contents();
}

/// PTX that uses what one GPU or one family alone has is compiled for that.
Target target_of_ptx(std::string_view ptx, Target asked) {
    if (asked.suffix != '\0') return asked;
    const auto header = image::read_ptx_header(ptx);
    if (header && header->suffix == 'a' && header->arch == asked.arch) asked.suffix = 'a';
    if (header && header->suffix == 'f' && header->arch / 10 == asked.arch / 10) asked.suffix = 'f';
    return asked;
}

}  // namespace

std::string Target::name() const {
    return fmt::format("sm_{}{}", arch, suffix == '\0' ? "" : std::string(1, suffix));
}

Result<Target> parse_target(std::string_view text) {
    std::string_view rest = text;
    if (rest.starts_with("sm_")) rest.remove_prefix(3);
    Target target;
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), target.arch);
    rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
    if (rest.size() == 2 && rest[0] == '.' && rest[1] >= '0' && rest[1] <= '9') {
        target.arch = target.arch * 10 + static_cast<std::uint32_t>(rest[1] - '0');
        rest = {};
    }
    if (rest == "a" || rest == "f") {
        target.suffix = rest.front();
        rest = {};
    }
    constexpr std::uint32_t kFirst = 10, kLast = 999;
    if (error != std::errc{} || !rest.empty() || target.arch < kFirst || target.arch > kLast) {
        return failure(fmt::format("'{}' is no architecture such as sm_90 or sm_90a", text));
    }
    return target;
}

Result<Bytes> compile_ptx(std::string_view ptx, Target target, bool relocatable,
                          const std::string& input) {
    const auto source = MemoryFile::create(std::as_bytes(std::span(ptx)));
    if (!source) return source.errors();
    std::vector<std::string> arguments = {"-arch=" + target_of_ptx(ptx, target).name(), "-lineinfo",
                                          source->path()};
    if (relocatable) arguments.emplace_back("-c");
    auto cubin = compile("ptxas", std::move(arguments), {source->descriptor()});
    if (cubin) return cubin;
    Diagnostics problems = cubin.errors();
    for (Diagnostic& problem : problems) problem.where.file = input;
    return problems;
}

Result<Bytes> compile_cuda(const std::filesystem::path& source, Target target,
                           const std::vector<std::string>& flags) {
    std::vector<std::string> arguments = {"-cubin", "-lineinfo", "-arch=" + target.name()};
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    arguments.push_back(source.string());
    auto cubin = compile("nvcc", std::move(arguments), {});
    if (cubin) return cubin;
    Diagnostics problems = cubin.errors();
    for (Diagnostic& problem : problems) problem.where.file = source.string();
    return problems;
}

}  // namespace wideload::sass

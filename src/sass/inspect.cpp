// SPDX-License-Identifier: Apache-2.0
#include "sass/inspect.h"

#include <fmt/format.h>

#include "image/mapped_file.h"
#include "sass/disassemble.h"
#include "sass/tool.h"

namespace wideload::sass {
namespace {

/// Why there is no kernel to show.
Diagnostic nothing_found(const std::filesystem::path& file, const InspectOptions& options,
                         const std::string& held) {
    const std::string target = options.target.name();
    if (options.wanted) {
        return failure_in(file.string(), "has no kernel of that name for " + target,
                          "without --kernel all are shown");
    }
    return failure_in(file.string(),
                      fmt::format("has no kernel that runs on {}; it holds {}", target, held),
                      "name one of them with --arch");
}

}  // namespace

Result<std::vector<InspectedCode>> inspect(const std::filesystem::path& file,
                                           const InspectOptions& options) {
    DisassemblyOptions disassembly;
    disassembly.wanted = options.wanted;
    disassembly.nvdisasm = options.nvdisasm;
    // Whoever mistyped a name need not install a disassembler to learn it.
    if (const auto readable = image::map_file(file); !readable) return readable.errors();
    if (disassembly.nvdisasm.empty()) {
        const auto found = find_tool("nvdisasm");
        if (!found) return found.errors();
        disassembly.nvdisasm = *found;
    }
    std::vector<InspectedCode> all;
    std::string held;
    const auto look = [&](const Cubin& cubin) -> Result<bool> {
        auto kernels = disassemble({cubin.bytes, cubin.name}, disassembly);
        if (!kernels) return kernels.errors();
        // nvcc links a cubin without any kernel into every program: that of its device runtime.
        if (kernels->empty()) return false;
        all.push_back({cubin.name, cubin.target, cubin.compiled, std::move(*kernels)});
        return true;
    };
    if (Diagnostics problems = for_each_cubin(file, options, look, held); !problems.empty())
        return problems;
    if (all.empty()) return nothing_found(file, options, held);
    return all;
}

}  // namespace wideload::sass

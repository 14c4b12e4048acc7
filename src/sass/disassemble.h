// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "sass/kernel_code.h"
#include "support/bytes.h"
#include "support/result.h"

namespace wideload::sass {

struct DisassemblyOptions {
    std::filesystem::path nvdisasm;
    /// Which kernels, by their mangled names; all where it is empty.
    std::function<bool(std::string_view)> wanted;
    bool ptx_lines =
        false;  ///< say which line of PTX an access came from: takes half as long again
};

/// The kernels of a cubin, in the order of its symbol table. Large ones are read by two processes.
/// Errors: corrupt (with the offset), or nvdisasm cannot read it.
[[nodiscard]] Result<std::vector<KernelCode>> disassemble(const ByteRange& cubin,
                                                          const DisassemblyOptions& options);

}  // namespace wideload::sass

// SPDX-License-Identifier: Apache-2.0
#include "cli/text_output.h"

#include <cerrno>
#include <cstdio>
#include <system_error>

#include "support/result.h"

namespace wideload::cli {

Diagnostics write_text(std::string_view text, const std::string& file) {
    const bool to_stdout = file == "-";
    std::FILE* out = to_stdout ? stdout : std::fopen(file.c_str(), "we");
    int error = out == nullptr ? errno : 0;
    if (out != nullptr) {
        const bool written = std::fwrite(text.data(), 1, text.size(), out) == text.size();
        if ((to_stdout ? std::fflush(out) : std::fclose(out)) != 0 || !written) error = errno;
    }
    if (error == 0) return {};
    return {failure("cannot write " + (to_stdout ? "stdout" : file) + ": " +
                    std::generic_category().message(error))};
}

}  // namespace wideload::cli

// SPDX-License-Identifier: Apache-2.0
#include "cli/standard_streams.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <system_error>

#include "cli/exit_codes.h"
#include "cli/messages.h"
#include "support/result.h"

namespace wideload::cli {

void hold_closed_streams() {
    for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; ++stream) {
        if (::fcntl(stream, F_GETFD) >= 0) continue;
        // The lowest free number, hence this one; O_PATH refuses to be read or written.
        [[maybe_unused]] const int held = ::open("/dev/null", O_PATH | O_CLOEXEC);
    }
}

void write_to_stderr(std::string_view text) {
    // std::fwrite, since fmt::print throws where a stream fails.
    [[maybe_unused]] const std::size_t written = std::fwrite(text.data(), 1, text.size(), stderr);
}

int finish_stdout(int exit_code) {
    errno = 0;
    const bool failed = std::fflush(stdout) != 0 || std::ferror(stdout) != 0;
    if (!failed || exit_code != 0) return exit_code;
    const std::error_code why(errno != 0 ? errno : EIO, std::generic_category());
    return tool_failed({failure("cannot write stdout: " + why.message())});
}

}  // namespace wideload::cli

// SPDX-License-Identifier: Apache-2.0
#include "preload/message.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstddef>
#include <cstring>

#include "preload/settings.h"

namespace wideload::preload {
namespace {

/// A line of text that drops what does not fit.
class Line {
public:
    void append(const char* text) {
        const std::size_t room = sizeof text_ - 1 - length_;
        const std::size_t bytes = std::strlen(text) < room ? std::strlen(text) : room;
        std::memcpy(text_ + length_, text, bytes);
        length_ += bytes;
    }
    void write_to(int file) {
        text_[length_] = '\n';
        // Nobody is left to tell where this fails.
        if (write(file, text_, length_ + 1) < 0) return;
    }

private:
    char text_[2048];
    std::size_t length_ = 0;
};

}  // namespace

void tell_parts(const char* const* parts, unsigned count) {
    const char* path = message_path_setting();
    const int file = *path != '\0' ? open(path, O_WRONLY | O_APPEND | O_CLOEXEC) : -1;
    Line line;
    // `wideload run` puts its own name before what it prints.
    if (file < 0) line.append("wideload: ");
    for (unsigned i = 0; i < count; ++i) line.append(parts[i]);
    line.write_to(file < 0 ? STDERR_FILENO : file);
    if (file >= 0) close(file);
}

}  // namespace wideload::preload

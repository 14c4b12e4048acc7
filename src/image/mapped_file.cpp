// SPDX-License-Identifier: Apache-2.0
#include "image/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace wideload::image {
namespace {

Diagnostic cannot_read(const std::filesystem::path& path, const std::string& why) {
    return failure_in(path.string(), "cannot be read: " + why);
}

Diagnostic cannot_read(const std::filesystem::path& path, int error) {
    return cannot_read(path, std::generic_category().message(error));
}

/// Closes at the end of the scope; a mapping outlives its descriptor.
struct Descriptor {
    int number;
    ~Descriptor() {
        if (number >= 0) ::close(number);
    }
};

}  // namespace

MappedFile::~MappedFile() {
    if (bytes_ != 0) ::munmap(const_cast<void*>(data_), bytes_);
}

Result<std::shared_ptr<const MappedFile>> map_file(const std::filesystem::path& path) {
    // Without O_NONBLOCK, opening a named pipe would wait for its writer.
    const Descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
    if (file.number < 0) return cannot_read(path, errno);
    struct stat status{};
    if (::fstat(file.number, &status) != 0) return cannot_read(path, errno);
    if (S_ISDIR(status.st_mode)) return cannot_read(path, EISDIR);
    if (!S_ISREG(status.st_mode)) return cannot_read(path, "not a regular file");
    const auto bytes = static_cast<std::size_t>(status.st_size);
    if (bytes == 0) return std::make_shared<const MappedFile>(nullptr, 0);
    const void* data = ::mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE, file.number, 0);
    if (data == MAP_FAILED) return cannot_read(path, errno);
    return std::make_shared<const MappedFile>(data, bytes);
}

}  // namespace wideload::image

// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <ostream>
#include <span>
#include <system_error>

#include "profile/json.h"
#include "profile/json_out.h"
#include "profile/launch_log.h"

namespace wideload::profile {
namespace {

/// Text of a program under test need not be UTF-8; JSON must be.
std::string text(const Json& json) {
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// The members of an object, without its braces.
std::string members(const Json& object) {
    const std::string whole = text(object);
    return whole.substr(1, whole.size() - 2);
}

/// An element at a time: as JSON values, ten thousand take many times the memory.
template <class Elements, class ToJson>
void write_list(std::ostream& out, const Elements& elements, ToJson element_to_json) {
    out << "[";
    const char* before = "\n";
    for (const auto& element : elements) {
        out << before << text(element_to_json(element));
        before = ",\n";
    }
    out << "\n]";
}

void write(std::ostream& out, const Profile& profile, std::span<const Launch> launches) {
    const PlaceTable places(launches);
    out << "{" << members(header_to_json(profile)) << ",\n\"places\":";
    write_list(out, places.places(), [](const auto* frames) { return place_to_json(*frames); });
    out << ",\n\"launches\":";
    write_list(out, launches, [&](const Launch& launch) { return to_json(launch, places); });
    out << ",\n" << members(footer_to_json(profile)) << "}\n";
}

std::string reason(int error) { return std::generic_category().message(error); }

Diagnostic cannot_write(const std::string& path, int error) {
    return failure("cannot write the profile " + path + ": " + reason(error),
                   error == ENOSPC ? "free some space, or name a file on another disk"
                                   : "name a file in a directory that can be written to");
}

/// Data must be on disk before the name points at it; some file systems report a full disk only
/// here.
int flush_to_disk(const std::string& path) {
    const int file = open(path.c_str(), O_WRONLY | O_CLOEXEC);
    if (file < 0) {
        return errno;
    }
    int error = fsync(file) == 0 || errno == EINVAL || errno == EROFS ? 0 : errno;
    if (close(file) != 0 && error == 0) {
        error = errno;
    }
    return error;
}

template <class WriteTo>
Result<Written> save_atomically(const std::string& path, WriteTo write_to) {
    namespace fs = std::filesystem;
    const std::string temporary = path + ".partial." + std::to_string(getpid());
    std::error_code ignored;
    errno = 0;
    {
        std::ofstream out(temporary, std::ios::binary | std::ios::trunc);
        if (out) {
            write_to(out);
            out.flush();
        }
        if (!out) {
            const int error = errno != 0 ? errno : EIO;
            out.close();
            fs::remove(temporary, ignored);
            return cannot_write(path, error);
        }
    }
    if (const int error = flush_to_disk(temporary); error != 0) {
        fs::remove(temporary, ignored);
        return cannot_write(path, error);
    }
    const std::uint64_t bytes = fs::file_size(temporary, ignored);
    std::error_code renamed;
    fs::rename(temporary, path, renamed);
    if (renamed) {
        fs::remove(temporary, ignored);
        return cannot_write(path, renamed.value());
    }
    return Written{bytes};
}

}  // namespace

void write(std::ostream& out, const Profile& profile) { write(out, profile, profile.launches); }

void write(std::ostream& out, const Profile& profile, const LaunchLog& log) {
    Profile header = profile;
    header.launches.clear();
    header.merged = header.merged || log.merged();
    write(out, header, log.launches());
}

Result<Written> save(const std::string& path, const Profile& profile) {
    return save_atomically(path, [&](std::ostream& out) { write(out, profile); });
}

Result<Written> save(const std::string& path, const Profile& profile, const LaunchLog& log) {
    return save_atomically(path, [&](std::ostream& out) { write(out, profile, log); });
}

}  // namespace wideload::profile

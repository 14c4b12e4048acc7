// SPDX-License-Identifier: Apache-2.0
#include "gpu/host_memory.h"

#include <algorithm>
#include <fstream>
#include <limits>
#include <optional>
#include <string>

namespace wideload::gpu {
namespace {

constexpr std::uint64_t kUnlimited = std::numeric_limits<std::uint64_t>::max();

std::uint64_t available_on_the_machine() {
    std::ifstream file("/proc/meminfo");
    std::string key, unit;
    std::uint64_t kibibytes = 0;
    while (file >> key >> kibibytes) {
        if (key == "MemAvailable:") return kibibytes * 1024;
        std::getline(file, unit);
    }
    return kUnlimited;
}

/// The file's one number; nothing where it does not exist or says "max".
std::optional<std::uint64_t> read_number(const std::string& path) {
    std::ifstream file(path);
    std::uint64_t number = 0;
    if (file >> number) return number;
    return std::nullopt;
}

/// The entry `name value` of a memory.stat.
std::uint64_t read_statistic(const std::string& path, const std::string& name) {
    std::ifstream file(path);
    std::string key;
    std::uint64_t value = 0;
    while (file >> key >> value) {
        if (key == name) return value;
    }
    return 0;
}

/// What one group leaves. Page cache that nobody uses is given up before the limit is enforced.
std::uint64_t left_by_group(const std::string& folder, const char* limit_name,
                            const char* usage_name) {
    const auto limit = read_number(folder + '/' + limit_name);
    const auto usage = read_number(folder + '/' + usage_name);
    if (!limit || !usage) return kUnlimited;
    const std::uint64_t used =
        *usage - std::min(*usage, read_statistic(folder + "/memory.stat", "inactive_file"));
    return *limit - std::min(*limit, used);
}

/// The least that the group at `path` and its ancestors leave.
std::uint64_t left_by_hierarchy(const std::string& mount, std::string path, const char* limit_name,
                                const char* usage_name) {
    std::uint64_t left = kUnlimited;
    while (true) {
        left = std::min(left, left_by_group(mount + path, limit_name, usage_name));
        const std::size_t slash = path.rfind('/');
        if (path.empty() || slash == std::string::npos) return left;
        path.resize(slash);
    }
}

std::uint64_t left_by_control_groups() {
    std::uint64_t left = kUnlimited;
    std::ifstream groups("/proc/self/cgroup");
    for (std::string line; std::getline(groups, line);) {
        const std::size_t first = line.find(':'), second = line.find(':', first + 1);
        if (second == std::string::npos) continue;
        const std::string controllers = line.substr(first + 1, second - first - 1);
        const std::string path = line.substr(second + 1);
        if (controllers.empty()) {
            left = std::min(
                left, left_by_hierarchy("/sys/fs/cgroup", path, "memory.max", "memory.current"));
        } else if (controllers.find("memory") != std::string::npos) {
            left =
                std::min(left, left_by_hierarchy("/sys/fs/cgroup/memory", path,
                                                 "memory.limit_in_bytes", "memory.usage_in_bytes"));
        }
    }
    return left;
}

}  // namespace

std::uint64_t host_memory_available() {
    return std::min(available_on_the_machine(), left_by_control_groups());
}

}  // namespace wideload::gpu

// SPDX-License-Identifier: Apache-2.0
#include "sass/tool.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <vector>

namespace wideload::sass {
namespace {

namespace fs = std::filesystem;

std::string environment(const std::string& name) {
    const char* value = std::getenv(name.c_str());
    return value == nullptr ? std::string{} : std::string(value);
}

/// "WIDELOAD_NVDISASM"
std::string variable_of(std::string_view tool) {
    std::string name = "WIDELOAD_";
    for (const char c : tool) name += static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
    return name;
}

bool is_program(const fs::path& path) {
    std::error_code error;
    return fs::is_regular_file(path, error) && ::access(path.c_str(), X_OK) == 0;
}

void add_path_folders(std::vector<fs::path>& folders) {
    const std::string path = environment("PATH");
    for (std::size_t at = 0; at < path.size();) {
        const std::size_t end = std::min(path.find(':', at), path.size());
        if (end > at) folders.emplace_back(path.substr(at, end - at));
        at = end + 1;
    }
}

/// Of a build tree: build/release/bin/wideload is served by build/cuda-toolkit.
void add_wheels_folder(std::vector<fs::path>& folders) {
    std::error_code error;
    const fs::path executable = fs::read_symlink("/proc/self/exe", error);
    if (error) return;
    const fs::path builds = executable.parent_path().parent_path().parent_path();
    folders.push_back(builds / "cuda-toolkit" / "nvidia" / "cu13" / "bin");
}

std::vector<fs::path> folders_to_search() {
    std::vector<fs::path> folders;
    if (const std::string compiler = environment("CUDACXX");
        compiler.find('/') != std::string::npos)
        folders.push_back(fs::path(compiler).parent_path());
    if (const std::string home = environment("CUDA_HOME"); !home.empty())
        folders.push_back(fs::path(home) / "bin");
    add_path_folders(folders);
    folders.emplace_back("/usr/local/cuda/bin");
    add_wheels_folder(folders);
    return folders;
}

/// nvdisasm has a wheel of its own, which puts nothing on PATH; the others come with the toolkit.
std::string way_to_get(std::string_view tool, const std::string& variable) {
    if (tool == "nvdisasm") {
        return fmt::format(
            "install the CUDA toolkit, or 'pip install nvidia-cuda-nvdisasm', and name its "
            "nvidia/cu13/bin/nvdisasm in {}",
            variable);
    }
    return fmt::format("install the CUDA toolkit's {}, or name it in {}", tool, variable);
}

}  // namespace

Result<fs::path> find_tool(std::string_view name) {
    const std::string variable = variable_of(name);
    if (const std::string named = environment(variable); !named.empty()) {
        if (is_program(named)) return fs::path(named);
        return failure(fmt::format("{} names {}, which cannot be run", variable, named));
    }
    for (const fs::path& folder : folders_to_search()) {
        if (fs::path candidate = folder / name; is_program(candidate)) return candidate;
    }
    return failure(
        fmt::format("cannot find {}: it is not beside $CUDACXX, in $CUDA_HOME/bin, on PATH, in "
                    "/usr/local/cuda/bin or, of a build, where tools/setup installs it",
                    name),
        way_to_get(name, variable));
}

}  // namespace wideload::sass

// SPDX-License-Identifier: Apache-2.0
#include "cli/runtime_stand_ins.h"

#include <dlfcn.h>

namespace wideload::cli {
namespace {

bool loader_finds(const std::string& library) {
    void* handle = ::dlopen(library.c_str(), RTLD_LAZY | RTLD_LOCAL);
    if (handle == nullptr) return false;
    ::dlclose(handle);
    return true;
}

}  // namespace

std::string library_path_with_stand_ins(std::string current,
                                        const std::filesystem::path& libraries) {
    for (const char* version : {"12", "13"}) {
        if (loader_finds(std::string("libcudart.so.") + version)) continue;
        const std::filesystem::path folder = libraries / (std::string("cudart-") + version);
        std::error_code error;
        if (!std::filesystem::exists(folder, error)) continue;
        if (!current.empty()) current += ':';
        current += folder.string();
    }
    return current;
}

}  // namespace wideload::cli

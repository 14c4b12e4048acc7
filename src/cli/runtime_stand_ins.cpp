// SPDX-License-Identifier: Apache-2.0
#include "cli/runtime_stand_ins.h"

#include <dlfcn.h>

namespace wideload::cli {
namespace {

/// A library, and the folder of lib/wideload that holds a stand-in for it.
struct StandIn {
    const char* library;
    const char* folder;
};
constexpr StandIn kStandIns[] = {
    {"libcudart.so.12", "cudart-12"},
    {"libcudart.so.13", "cudart-13"},
    {"libcuda.so.1", "cuda-driver"},
};

bool loader_finds(const char* library) {
    void* handle = ::dlopen(library, RTLD_LAZY | RTLD_LOCAL);
    if (handle == nullptr) return false;
    ::dlclose(handle);
    return true;
}

}  // namespace

std::string library_path_with_stand_ins(std::string current,
                                        const std::filesystem::path& libraries) {
    for (const StandIn& stand_in : kStandIns) {
        if (loader_finds(stand_in.library)) continue;
        const std::filesystem::path folder = libraries / stand_in.folder;
        std::error_code error;
        if (!std::filesystem::exists(folder, error)) continue;
        if (!current.empty()) current += ':';
        current += folder.string();
    }
    return current;
}

}  // namespace wideload::cli

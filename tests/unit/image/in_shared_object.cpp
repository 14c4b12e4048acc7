// SPDX-License-Identifier: Apache-2.0
// src/image/ as it lives in the engine: inside a shared object that is bound lazily. See
// shared_object_test.cpp.
#include "image/program.h"
#include "image/select.h"

/// @returns bytes of the PTX that an H200 would run, 0 where there is none
extern "C" __attribute__((visibility("default"))) std::size_t ptx_bytes_in(const char* path) {
    const auto binaries = wideload::image::read_file(path);
    if (!binaries) return 0;
    std::size_t bytes = 0;
    for (const auto& binary : *binaries) {
        if (const auto text = wideload::image::select_ptx(binary, 90)) bytes += text->size();
    }
    return bytes;
}

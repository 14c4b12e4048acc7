// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace wideload::preload {

/// A runtime function by name, and the code in this library that stands for it.
struct EntryPoint {
    const char* name;
    void* entry;     ///< as CUDA 13 declares the function
    void* entry_12;  ///< as CUDA 12 did; mostly the same
};

/// The entry point of a runtime function, or null where the runtime has no such function.
[[nodiscard]] const EntryPoint* find_entry_point(const char* name);

/// The slots that the entry points jump through, and what the engine knows each by.
[[nodiscard]] void** slots();
[[nodiscard]] const char* const* slot_names();
[[nodiscard]] unsigned slot_count();

}  // namespace wideload::preload

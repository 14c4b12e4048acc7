// SPDX-License-Identifier: Apache-2.0
#include "preload/entry_points.h"

#include <cstring>

// The assembler's side.
extern "C" {
#define HIDDEN __attribute__((visibility("hidden")))
#define CALL(name) HIDDEN void wideload_entry_##name();
#define CALL_AS(name, implementation) CALL(name)
#define CALL_PER_THREAD(name, implementation) CALL(name)
#define MISSING(name) CALL(name)
#define CALL_BY_VERSION(name) CALL(name) CALL(name##_12)
#define CALL_BY_VERSION_PER_THREAD(name, implementation) CALL_BY_VERSION(name)
#include "preload/runtime_api.def"
#undef CALL
#undef CALL_BY_VERSION
extern HIDDEN void* wideload_slots[];
}

namespace wideload::preload {
namespace {

#define CALL(name)                                          \
    {#name, reinterpret_cast<void*>(wideload_entry_##name), \
     reinterpret_cast<void*>(wideload_entry_##name)},
#define CALL_BY_VERSION(name)                               \
    {#name, reinterpret_cast<void*>(wideload_entry_##name), \
     reinterpret_cast<void*>(wideload_entry_##name##_12)},
const EntryPoint kEntryPoints[] = {
#include "preload/runtime_api.def"
};
#undef CALL
#undef CALL_BY_VERSION

#define CALL(name) #name,
#define CALL_BY_VERSION(name) #name, #name "@12",
constexpr const char* kSlotNames[] = {
#include "preload/runtime_api.def"
};

constexpr int compare(const char* a, const char* b) {
    while (*a != '\0' && *a == *b) ++a, ++b;
    return static_cast<unsigned char>(*a) - static_cast<unsigned char>(*b);
}

constexpr bool ascending() {
    for (std::size_t i = 1; i < sizeof(kSlotNames) / sizeof(*kSlotNames); ++i) {
        if (compare(kSlotNames[i - 1], kSlotNames[i]) >= 0) return false;
    }
    return true;
}
static_assert(ascending(), "runtime_api.def is searched by name");

}  // namespace

const EntryPoint* find_entry_point(const char* name) {
    std::size_t first = 0, last = sizeof(kEntryPoints) / sizeof(*kEntryPoints);
    while (first < last) {
        const std::size_t middle = first + (last - first) / 2;
        const int order = std::strcmp(kEntryPoints[middle].name, name);
        if (order == 0) return &kEntryPoints[middle];
        if (order < 0) {
            first = middle + 1;
        } else {
            last = middle;
        }
    }
    return nullptr;
}

void** slots() { return wideload_slots; }
const char* const* slot_names() { return kSlotNames; }
unsigned slot_count() { return sizeof(kSlotNames) / sizeof(*kSlotNames); }

}  // namespace wideload::preload

// SPDX-License-Identifier: Apache-2.0
#include "preload/loader_hook.h"

#include <elf.h>
#include <link.h>
#include <sys/mman.h>

#include <cstddef>
#include <cstdint>

#include "preload/message.h"
#include "preload/object.h"
#include "preload/redirect.h"

namespace wideload::preload {
namespace {

constexpr std::size_t kMostObjects = 1u << 16;

const r_debug* debug_state = nullptr;
/// The objects seen by the last look, in the loader's order. Address space only, until it is used.
const link_map** seen = nullptr;
std::size_t seen_count = 0;

bool was_seen(const link_map* object) {
    for (std::size_t i = 0; i < seen_count; ++i) {
        if (seen[i] == object) return true;
    }
    return false;
}

/// Prepares the objects that the last look did not see. Objects that went away are forgotten, since
/// another may take their place in memory.
void look_at_objects() {
    std::size_t position = 0;
    for (const link_map* object = debug_state->r_map; object != nullptr; object = object->l_next) {
        // Mostly the list has only grown at its end.
        const bool same = position < seen_count && seen[position] == object;
        if (!same && !was_seen(object)) prepare_object(object->l_addr, object->l_name);
        ++position;
    }
    seen_count = 0;
    for (const link_map* object = debug_state->r_map;
         object != nullptr && seen_count < kMostObjects; object = object->l_next) {
        seen[seen_count++] = object;
    }
}

extern "C" void objects_changed() {
    if (debug_state->r_state == r_debug::RT_CONSISTENT) look_at_objects();
}

int find_debug_state(dl_phdr_info* program, std::size_t, void*) {
    for (int i = 0; i < program->dlpi_phnum; ++i) {
        if (program->dlpi_phdr[i].p_type != PT_DYNAMIC) continue;
        const auto* entry =
            reinterpret_cast<const ElfW(Dyn)*>(program->dlpi_addr + program->dlpi_phdr[i].p_vaddr);
        for (; entry->d_tag != DT_NULL; ++entry) {
            if (entry->d_tag == DT_DEBUG)
                debug_state = reinterpret_cast<const r_debug*>(entry->d_un.d_ptr);
        }
    }
    return 1;  // the first object is the program
}

}  // namespace

void watch_loader() {
    dl_iterate_phdr(find_debug_state, nullptr);
    if (debug_state == nullptr) return;
    void* list = mmap(nullptr, kMostObjects * sizeof *seen, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (list == MAP_FAILED) return;
    seen = static_cast<const link_map**>(list);
    look_at_objects();
    const std::uintptr_t notify = debug_state->r_brk;
    if (notify == 0 || notify % 16 != 0 ||
        !redirect(notify, reinterpret_cast<void*>(objects_changed))) {
        tell(
            "libraries that the program loads later are not seen: the dynamic loader cannot be "
            "watched");
    }
}

}  // namespace wideload::preload

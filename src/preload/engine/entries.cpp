// SPDX-License-Identifier: Apache-2.0
// The engine's end of runtime_api.def: what each runtime function leads to.
#include <algorithm>
#include <array>
#include <string_view>
#include <type_traits>

#include "preload/engine/api.h"
#include "preload/engine/console.h"
#include "preload/engine/context.h"
#include "preload/engine/end_of_process.h"
#include "preload/engine/error.h"
#include "preload/engine/missing.h"
#include "preload/engine_interface.h"

namespace wideload::preload {
namespace {

/// A null stream stands for the calling thread's default stream in programs built with
/// --default-stream per-thread.
template <class Argument>
Argument per_thread_default(Argument argument) {
    if constexpr (std::is_same_v<Argument, Stream*>) {
        return argument != nullptr ? argument : kPerThreadStream;
    } else {
        return argument;
    }
}

template <auto Function>
struct PerThread;

template <class Return, class... Arguments, Return (*Function)(Arguments...)>
struct PerThread<Function> {
    static Return call(Arguments... arguments) {
        return Function(per_thread_default(arguments)...);
    }
};

enum class Missing : unsigned {
#define CALL(name)
#define CALL_AS(name, implementation)
#define CALL_PER_THREAD(name, implementation)
#define CALL_BY_VERSION(name)
#define CALL_BY_VERSION_PER_THREAD(name, implementation)
#define MISSING(name) name,
#include "preload/runtime_api.def"
#undef MISSING
};

constexpr const char* kMissingNames[] = {
#define MISSING(name) #name,
#include "preload/runtime_api.def"
#undef MISSING
};
#undef CALL
#undef CALL_AS
#undef CALL_PER_THREAD
#undef CALL_BY_VERSION
#undef CALL_BY_VERSION_PER_THREAD

/// Stands for a function that is not there yet. Whatever its arguments are, they are left alone.
template <Missing Function>
Error not_supported() {
    static const char* const name = kMissingNames[static_cast<unsigned>(Function)];
    Context& own = context();
    const std::lock_guard lock(own.mutex);
    own.note_use();
    static const std::string reason(why_missing(name));
    static const bool told =
        (say(std::string(name) + " returned cudaErrorNotSupported: " + reason), true);
    static_cast<void>(told);
    own.recorder.add_unsupported_call(name, reason);
    return remember(cudaErrorNotSupported);
}

struct Entry {
    std::string_view name;
    void* function;
};

template <class Function>
void* erased(Function* function) {
    return reinterpret_cast<void*>(function);
}

const std::vector<Entry>& entries() {
#define CALL(name) {#name, erased(api::name)},
#define CALL_AS(name, implementation) {#name, erased(api::implementation)},
#define CALL_PER_THREAD(name, implementation) \
    {#name, erased(PerThread<&api::implementation>::call)},
#define CALL_BY_VERSION(name) CALL(name){#name "@12", erased(api::name##_12)},
#define CALL_BY_VERSION_PER_THREAD(name, implementation) \
    CALL_PER_THREAD(name, implementation){#name "@12",   \
                                          erased(PerThread<&api::implementation##_12>::call)},
#define MISSING(name) {#name, erased(not_supported<Missing::name>)},
    static const std::vector<Entry> all = {
#include "preload/runtime_api.def"
    };
    return all;
}

Error unknown_function() { return remember(cudaErrorNotSupported); }

}  // namespace
}  // namespace wideload::preload

extern "C" __attribute__((visibility("default"))) void wideload_engine_attach(
    const char* const* names, void** slots, unsigned count) {
    using namespace wideload::preload;
    watch_end_of_process();
    for (unsigned i = 0; i < count; ++i) {
        // Both sides come from one table, so this only differs where the two files are of different
        // builds.
        const auto& all = entries();
        const auto entry = std::find_if(all.begin(), all.end(),
                                        [&](const Entry& one) { return one.name == names[i]; });
        slots[i] = entry != all.end() ? entry->function : erased(unknown_function);
    }
}

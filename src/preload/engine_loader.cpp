// SPDX-License-Identifier: Apache-2.0
#include "preload/engine_loader.h"

#include <dlfcn.h>
#include <linux/limits.h>
#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>

#include "preload/engine_interface.h"
#include "preload/entry_points.h"
#include "preload/message.h"
#include "preload/settings.h"

namespace wideload::preload {
namespace {

constexpr const char* kEngineName = "libwideload-engine.so";

std::atomic<EngineFinish> finish{nullptr};
pthread_mutex_t loading = PTHREAD_MUTEX_INITIALIZER;
bool loaded = false;

/// Where the engine lies: as `wideload run` says, or beside this library.
void find_engine(char* path) {
    std::strcpy(path, engine_path_setting());
    Dl_info own;
    if (*path != '\0' || dladdr(reinterpret_cast<void*>(&find_engine), &own) == 0) return;
    const char* slash = std::strrchr(own.dli_fname, '/');
    const auto folder = slash != nullptr ? static_cast<std::size_t>(slash + 1 - own.dli_fname) : 0;
    if (folder + std::strlen(kEngineName) >= PATH_MAX) return;
    std::memcpy(path, own.dli_fname, folder);
    std::strcpy(path + folder, kEngineName);
}

void load() {
    char path[PATH_MAX] = "";
    find_engine(path);
    void* engine = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (engine == nullptr) {
        tell("cannot load the engine: ", dlerror());
        _exit(kExitCannotRun);
    }
    const auto attach = reinterpret_cast<EngineAttach>(dlsym(engine, kEngineAttach));
    finish = reinterpret_cast<EngineFinish>(dlsym(engine, kEngineFinish));
    if (attach == nullptr || finish == nullptr) {
        tell(path, " is no engine of this version of Wideload");
        _exit(kExitCannotRun);
    }
    attach(slot_names(), slots(), slot_count());
}

}  // namespace

void finish_engine() {
    if (const EngineFinish call = finish) call();
}

}  // namespace wideload::preload

/// Fills the slots; called by the first entry point that is used, in whichever threads that
/// happens.
extern "C" __attribute__((visibility("hidden"))) void wideload_load_engine() {
    using namespace wideload::preload;
    const int error = errno;
    pthread_mutex_lock(&loading);
    if (!loaded) load();
    loaded = true;
    pthread_mutex_unlock(&loading);
    errno = error;
}

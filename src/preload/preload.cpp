// SPDX-License-Identifier: Apache-2.0
// libwideload-preload.so: rides into the program under test and every process below it, and does
// nothing there but point the CUDA runtime's functions at entry_points.S, until one of them is
// called.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "preload/engine_loader.h"
#include "preload/exec.h"
#include "preload/loader_hook.h"
#include "preload/protocol.h"
#include "preload/settings.h"

namespace wideload::preload {
namespace {

void count_this_process() {
    const int file = open(status_path_setting(), O_RDWR | O_CLOEXEC);
    if (file < 0) return;
    void* page = mmap(nullptr, sizeof(StatusPage), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (page == MAP_FAILED) return;
    static_cast<StatusPage*>(page)->processes_preloaded.fetch_add(1);
    munmap(page, sizeof(StatusPage));
}

/// Runs before every other constructor of the process (the library is linked with -z initfirst):
/// those of libraries register their kernels with the runtime. The C library's own come later too,
/// hence no getenv here.
__attribute__((constructor)) void start(int, char**, char** environment) {
    read_settings(environment);
    if (*status_path_setting() != '\0') count_this_process();
    find_next_exec();
    watch_loader();
}

[[noreturn]] void leave(int status) {
    finish_engine();
    while (true) syscall(SYS_exit_group, status);
}

}  // namespace
}  // namespace wideload::preload

// These end a process without its exit handlers, which would write the profile.
extern "C" {
__attribute__((visibility("default"), noreturn)) void _exit(int status) {
    wideload::preload::leave(status);
}
__attribute__((visibility("default"), noreturn)) void _Exit(int status) {
    wideload::preload::leave(status);
}
}

// SPDX-License-Identifier: Apache-2.0
// A program without CUDA that loads a library with it: plugin_host LIBRARY, several times.
#include <dlfcn.h>

#include <cstdio>

int main(int, char** arguments) {
    for (int round = 0; round < 3; ++round) {
        void* library = dlopen(arguments[1], RTLD_NOW);
        if (library == nullptr) {
            std::puts(dlerror());
            return 10;
        }
        const auto run = reinterpret_cast<int (*)()>(dlsym(library, "plugin_run"));
        if (const int status = run()) return status;
        dlclose(library);
    }
    std::puts("passed");
}

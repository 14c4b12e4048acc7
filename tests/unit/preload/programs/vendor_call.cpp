// SPDX-License-Identifier: Apache-2.0
// vendor_call FUNCTION [DESCRIPTION [LIBRARY]]: calls FUNCTION of a library that it is linked with,
// or of LIBRARY that it loads, twice, and prints what it returned; then what DESCRIPTION says. It
// exits with 3.
#include <dlfcn.h>

#include <cstdio>

namespace {

template <class Function>
Function function(const char* name) {
    return reinterpret_cast<Function>(dlsym(RTLD_DEFAULT, name));
}

}  // namespace

int main(int count, char** arguments) {
    if (count > 3 && dlopen(arguments[3], RTLD_NOW | RTLD_GLOBAL) == nullptr) {
        std::puts(dlerror());
        return 1;
    }
    const auto called = function<long (*)()>(arguments[1]);
    if (called == nullptr) {
        std::puts(dlerror());
        return 2;
    }
    for (int call = 0; call < 2; ++call) std::printf("%ld\n", called());
    if (count > 2) std::puts(function<const char* (*)()>(arguments[2])());
    return 3;
}

// SPDX-License-Identifier: Apache-2.0
// A program without CUDA of its own, linked with a library that has it: the library's constructors
// run before the program's.
#include <cstdio>

extern "C" int plugin_run();

int main() {
    if (const int status = plugin_run()) return status;
    std::puts("passed");
}

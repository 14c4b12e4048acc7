// SPDX-License-Identifier: Apache-2.0
// Is linked with the driver API's library and calls it. Declared here, so that no toolkit is
// needed.
#include <cstdio>
#include <cstring>

extern "C" {
int cuInit(unsigned flags);
int cuDeviceGetCount(int* count);
int cuGetErrorName(int error, const char** name);
}

int main() {
    constexpr int kNotSupported = 801;
    int count = -1;
    const char* name = nullptr;
    const bool refused = cuInit(0) == kNotSupported && cuInit(0) == kNotSupported &&
                         cuDeviceGetCount(&count) == kNotSupported && count == -1;
    const bool named = cuGetErrorName(kNotSupported, &name) == 0 &&
                       std::strcmp(name, "CUDA_ERROR_NOT_SUPPORTED") == 0;
    std::puts(refused && named ? "passed" : "failed");
    return refused && named ? 0 : 1;
}

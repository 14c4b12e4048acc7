// SPDX-License-Identifier: Apache-2.0
// libcuda.so.1 for machines without NVIDIA's driver. Programs that are linked with it start; those
// that call it hear that they cannot run here, since the preload library takes its functions for
// those of any library that it does not run (see vendor_libraries.cpp).
enum { kSuccess = 0, kInvalidValue = 1, kNotSupported = 801 };

#define FUNCTION(name) \
    int name(void);    \
    int name(void) { return kNotSupported; }
#include "preload/driver_api.def"

static int describe(int error, const char** text, const char* not_supported) {
    *text = error == kSuccess ? "no error" : error == kNotSupported ? not_supported : 0;
    return *text == 0 ? kInvalidValue : kSuccess;
}

int cuGetErrorName(int error, const char** name);
int cuGetErrorName(int error, const char** name) {
    return describe(error, name, "CUDA_ERROR_NOT_SUPPORTED");
}

int cuGetErrorString(int error, const char** text);
int cuGetErrorString(int error, const char** text) {
    return describe(error, text, "operation not supported");
}

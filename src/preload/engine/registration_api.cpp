// SPDX-License-Identifier: Apache-2.0
// What nvcc's constructors call before main. Nothing is loaded here: a program may never use its
// kernels.
#include "preload/engine/api.h"
#include "preload/engine/call.h"

namespace wideload::preload::api {

void** __cudaRegisterFatBinary(void* wrapper) {
    Context& own = context();
    const std::lock_guard lock(own.mutex);
    return &own.registry.add(wrapper)->handle;
}

void __cudaRegisterFatBinaryEnd(void**) {}

void __cudaUnregisterFatBinary(void** handle) {
    Context& own = context();
    own.wait_at_exit();
    const std::lock_guard lock(own.mutex);
    if (FatBinaryRegistration* binary = own.registry.find_binary(handle))
        own.registry.remove(binary);
}

void __cudaRegisterFunction(void** handle, const char* host_function, char*,
                            const char* device_name, int, void*, void*, void*, void*, int*) {
    Context& own = context();
    const std::lock_guard lock(own.mutex);
    if (FatBinaryRegistration* binary = own.registry.find_binary(handle)) {
        own.registry.add_kernel(binary, host_function, device_name);
    }
}

void __cudaRegisterVar(void** handle, char* host_variable, char*, const char* device_name, int,
                       std::size_t bytes, int, int) {
    Context& own = context();
    const std::lock_guard lock(own.mutex);
    if (FatBinaryRegistration* binary = own.registry.find_binary(handle)) {
        own.registry.add_variable(binary, host_variable, {binary, device_name, bytes, nullptr});
    }
}

void __cudaRegisterManagedVar(void** handle, void** host_pointer, char*, const char* device_name,
                              int, std::size_t bytes, int, int) {
    Context& own = context();
    const std::lock_guard lock(own.mutex);
    if (FatBinaryRegistration* binary = own.registry.find_binary(handle)) {
        own.registry.add_variable(binary, host_pointer, {binary, device_name, bytes, host_pointer});
    }
}

void __cudaRegisterHostVar(void**, const char*, char*, std::size_t) {}

char __cudaInitModule(void** handle) {
    // Host code is about to read a managed variable.
    return gpu_call([&](Context& own, gpu::Gpu&) {
               FatBinaryRegistration* binary = own.registry.find_binary(handle);
               return binary != nullptr ? load(own, *binary) : cudaErrorInvalidResourceHandle;
           }) == cudaSuccess;
}

}  // namespace wideload::preload::api

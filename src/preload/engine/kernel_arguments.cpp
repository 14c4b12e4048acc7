// SPDX-License-Identifier: Apache-2.0
#include "preload/engine/kernel_arguments.h"

#include <cstring>

namespace wideload::preload {

Error pack_arguments(Context& context, KernelRegistration* registration, void* const* arguments,
                     std::vector<std::byte>& buffer) {
    gpu::Kernel* kernel = nullptr;
    if (const Error error = find_loaded(context, registration, kernel)) return error;
    const auto slots = gpu::parameters(*kernel);
    if (slots.empty()) return cudaSuccess;
    if (arguments == nullptr) return cudaErrorInvalidValue;
    buffer.resize(slots.back().offset + slots.back().bytes);
    for (std::size_t i = 0; i < slots.size(); ++i) {
        std::memcpy(buffer.data() + slots[i].offset, arguments[i], slots[i].bytes);
    }
    return cudaSuccess;
}

Error find_arguments(Context& context, KernelWork& work, std::vector<void*>& arguments) {
    gpu::Kernel* kernel = nullptr;
    if (const Error error = find_loaded(context, work.kernel, kernel)) return error;
    for (const gpu::ParameterSlot& slot : gpu::parameters(*kernel)) {
        arguments.push_back(work.parameters.data() + slot.offset);
    }
    return cudaSuccess;
}

}  // namespace wideload::preload

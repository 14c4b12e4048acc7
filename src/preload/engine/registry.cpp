// SPDX-License-Identifier: Apache-2.0
#include "preload/engine/registry.h"

namespace wideload::preload {

FatBinaryRegistration* Registry::add(const void* wrapper) {
    auto binary = std::make_unique<FatBinaryRegistration>();
    binary->wrapper = wrapper;
    FatBinaryRegistration* added = binary.get();
    binaries_.emplace(&added->handle, std::move(binary));
    return added;
}

void Registry::remove(FatBinaryRegistration* binary) {
    for (const void* function : binary->functions) {
        const auto kernel = kernels_.find(function);
        if (kernel == kernels_.end() || kernel->second->binary != binary) continue;
        handles_.erase(kernel->second.get());
        kernels_.erase(kernel);
    }
    for (const void* host_variable : binary->variables) {
        const auto variable = variables_.find(host_variable);
        if (variable != variables_.end() && variable->second->binary == binary)
            variables_.erase(variable);
    }
    binaries_.erase(&binary->handle);
}

void Registry::add_kernel(FatBinaryRegistration* binary, const void* host_function,
                          const char* name) {
    auto kernel = std::make_unique<KernelRegistration>();
    kernel->binary = binary;
    kernel->host_function = host_function;
    kernel->name = name;
    binary->functions.push_back(host_function);
    handles_.insert(kernel.get());
    auto& place = kernels_[host_function];
    if (place) handles_.erase(place.get());
    place = std::move(kernel);
}

void Registry::add_variable(FatBinaryRegistration* binary, const void* host_variable,
                            VariableRegistration variable) {
    variable.binary = binary;
    binary->variables.push_back(host_variable);
    variables_[host_variable] = std::make_unique<VariableRegistration>(std::move(variable));
}

FatBinaryRegistration* Registry::find_binary(void** handle) const {
    const auto found = binaries_.find(handle);
    return found != binaries_.end() ? found->second.get() : nullptr;
}

KernelRegistration* Registry::find_kernel(const void* function) const {
    const auto found = kernels_.find(function);
    if (found != kernels_.end()) return found->second.get();
    if (!handles_.contains(function)) return nullptr;
    return static_cast<KernelRegistration*>(const_cast<void*>(function));
}

VariableRegistration* Registry::find_variable(const void* host_variable) const {
    const auto found = variables_.find(host_variable);
    return found != variables_.end() ? found->second.get() : nullptr;
}

void Registry::restore_variables() {
    for (const auto& [wrapper, binary] : binaries_) {
        if (binary->module) binary->module->restore_variables();
    }
}

std::vector<FatBinaryRegistration*> Registry::binaries() const {
    std::vector<FatBinaryRegistration*> all;
    for (const auto& [handle, binary] : binaries_) all.push_back(binary.get());
    return all;
}

}  // namespace wideload::preload

// SPDX-License-Identifier: Apache-2.0
#include "image/registered.h"
#include "image/select.h"
#include "preload/engine/console.h"
#include "preload/engine/context.h"
#include "preload/engine/registry.h"
#include "ptx/parser.h"

namespace wideload::preload {
namespace {

/// Remembers why a fat binary has no module, says so and puts it into the profile.
Error fail(Context& context, FatBinaryRegistration& binary, Error error,
           const Diagnostics& diagnostics) {
    say(diagnostics);
    context.recorder.add(diagnostics);
    return binary.error = error;
}

/// Variables that host code reads through a pointer of its own get that pointer now.
void publish_managed_variables(Registry& registry, const FatBinaryRegistration& binary) {
    for (const void* host_variable : binary.variables) {
        const VariableRegistration* variable = registry.find_variable(host_variable);
        if (variable == nullptr || variable->host_pointer == nullptr) continue;
        if (const gpu::Symbol* symbol = binary.module->variable(variable->name)) {
            *variable->host_pointer = reinterpret_cast<void*>(symbol->address);
        }
    }
}

}  // namespace

Error load(Context& context, FatBinaryRegistration& binary) {
    if (binary.module || binary.error != cudaSuccess) return binary.error;
    gpu::Gpu* gpu = context.gpu();
    if (gpu == nullptr) return binary.error = cudaErrorInitializationError;

    const auto images = image::read_registered(binary.wrapper, "the program");
    if (!images) return fail(context, binary, cudaErrorInvalidKernelImage, images.errors());
    const auto selected = image::select_modules(*images, gpu->device().capability.number());
    if (!selected) return fail(context, binary, cudaErrorNoKernelImageForDevice, selected.errors());

    std::vector<ptx::Module> modules;
    for (const image::PtxText& text : selected->modules) {
        auto module = ptx::parse(text.text, text.name);
        if (!module) return fail(context, binary, cudaErrorInvalidPtx, module.errors());
        modules.push_back(std::move(*module));
    }
    auto module = gpu->load(std::move(modules));
    if (!module) return fail(context, binary, cudaErrorInvalidPtx, module.errors());
    binary.module = std::move(*module);
    publish_managed_variables(context.registry, binary);
    return cudaSuccess;
}

Error find_loaded(Context& context, KernelRegistration* registration, gpu::Kernel*& kernel) {
    if (registration == nullptr) return cudaErrorInvalidDeviceFunction;
    if (const Error error = load(context, *registration->binary)) return error;
    kernel = registration->binary->module->kernel(registration->name);
    return kernel != nullptr ? cudaSuccess : cudaErrorInvalidDeviceFunction;
}

Error find_loaded(Context& context, const VariableRegistration* registration,
                  const gpu::Symbol*& symbol) {
    if (registration == nullptr) return cudaErrorInvalidSymbol;
    if (const Error error = load(context, *registration->binary)) return error;
    symbol = registration->binary->module->variable(registration->name);
    return symbol != nullptr ? cudaSuccess : cudaErrorInvalidSymbol;
}

}  // namespace wideload::preload

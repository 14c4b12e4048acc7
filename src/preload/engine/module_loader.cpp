// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "arch/device.h"
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

/// The file that holds the fat binary: the program, or one of its libraries.
std::string name_of_object(const FatBinaryRegistration& binary) {
    Dl_info object;
    if (dladdr(binary.wrapper, &object) == 0 || object.dli_fname == nullptr) return "the program";
    return std::filesystem::path(object.dli_fname).filename().string();
}

/// Managed variables, which host code reads through a pointer of its own, get that pointer now.
/// Host code that names such a variable to the runtime names it by where the pointer leads.
void publish_managed_variables(Context& context, FatBinaryRegistration& binary) {
    Registry& registry = context.registry;
    const std::vector<const void*> host_variables = binary.variables;
    for (const void* host_variable : host_variables) {
        const VariableRegistration* variable = registry.find_variable(host_variable);
        if (variable == nullptr || variable->host_pointer == nullptr) continue;
        const gpu::Symbol* symbol = binary.module->variable(variable->name);
        if (symbol == nullptr) continue;
        context.note_watcher();
        void* address = reinterpret_cast<void*>(symbol->address);
        *variable->host_pointer = address;
        registry.add_variable(&binary, address,
                              {&binary, variable->name, variable->bytes, nullptr});
    }
}

/// Kernels that cannot run here are named when their module is loaded; the program may do without
/// them, so only a launch of one is an error.
void name_unsupported_kernels(const gpu::Module& module) {
    constexpr std::size_t kMostNamed = 8;
    Diagnostics diagnostics = module.unsupported();
    if (diagnostics.empty()) return;
    const std::size_t unnamed = diagnostics.size() - std::min(diagnostics.size(), kMostNamed);
    diagnostics.resize(diagnostics.size() - unnamed);
    say(diagnostics);
    if (unnamed != 0) say(fmt::format("{} more kernels of this module cannot run here", unnamed));
}

/// Says of a program whose PTX is for newer GPUs which of the table's could run it.
Diagnostics with_choice_of_gpu(Diagnostics diagnostics, std::span<const image::FatBinary> images) {
    for (const arch::Device& device : arch::devices()) {
        if (!image::select_modules(images, device.capability.number())) continue;
        diagnostics.back().hint += fmt::format(", or choose a GPU that can: --gpu {}", device.key);
        break;
    }
    return diagnostics;
}

}  // namespace

Error load(Context& context, FatBinaryRegistration& binary) {
    if (binary.module || binary.error != cudaSuccess) return binary.error;
    gpu::Gpu* gpu = context.gpu();
    if (gpu == nullptr) return binary.error = cudaErrorInitializationError;

    auto images = image::read_registered(binary.wrapper, name_of_object(binary));
    if (!images) return fail(context, binary, cudaErrorInvalidKernelImage, images.errors());
    const auto selected = image::select_modules(*images, gpu->device().capability.number());
    if (!selected) {
        return fail(context, binary, cudaErrorNoKernelImageForDevice,
                    with_choice_of_gpu(selected.errors(), *images));
    }

    std::vector<ptx::Module> modules;
    for (const image::PtxText& text : selected->modules) {
        auto module = ptx::parse(text.text, text.name + " (PTX)");
        if (!module) return fail(context, binary, cudaErrorInvalidPtx, module.errors());
        modules.push_back(std::move(*module));
    }
    auto module = gpu->load(std::move(modules), std::move(*images));
    if (!module) return fail(context, binary, cudaErrorInvalidPtx, module.errors());
    binary.module = std::move(*module);
    name_unsupported_kernels(*binary.module);
    publish_managed_variables(context, binary);
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

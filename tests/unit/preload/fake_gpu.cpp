// SPDX-License-Identifier: Apache-2.0
// A launcher that runs nothing: with it the runtime's interface is tested by itself. A kernel whose
// name holds "fault_" and the name of a fault ends with that fault; all others succeed.
#include "gpu/gpu.h"

#include <array>
#include <map>

#include "preload/engine/error.h"

namespace wideload::gpu {

class Kernel {
public:
    std::string name;
    std::vector<ParameterSlot> slots;
    KernelAttributes attributes;
};

struct Module::State {
    std::map<std::string, Kernel, std::less<>> kernels;
    std::map<std::string, Symbol, std::less<>> variables;
};

Module::Module(std::unique_ptr<State> s) : state(std::move(s)) {}
Module::~Module() = default;

Kernel* Module::kernel(std::string_view name) {
    const auto found = state->kernels.find(name);
    return found != state->kernels.end() ? &found->second : nullptr;
}

void Module::restore_variables() {}
Diagnostics Module::unsupported() const { return {}; }
const Symbol* Module::variable(std::string_view name) const {
    const auto found = state->variables.find(name);
    return found != state->variables.end() ? &found->second : nullptr;
}

const KernelAttributes& attributes(const Kernel& kernel) { return kernel.attributes; }
const std::string& mangled_name(const Kernel& kernel) { return kernel.name; }
std::span<const ParameterSlot> parameters(const Kernel& kernel) { return kernel.slots; }

profile::Launch described(const Kernel& kernel, const LaunchConfiguration& configuration) {
    profile::Launch launch;
    launch.kernel = launch.mangled = kernel.name;
    launch.grid = configuration.grid;
    launch.block = configuration.block;
    return launch;
}

struct Gpu::State {
    const arch::Device* device;
    std::unique_ptr<Memory> memory;
    Options options;
};

Gpu::Gpu(std::unique_ptr<State> state) : state_(std::move(state)) {}
Gpu::~Gpu() = default;

Result<std::unique_ptr<Gpu>> Gpu::create(const arch::Device& device, const Options& options) {
    auto memory = Memory::create(device.global_memory_bytes);
    if (!memory) return memory.errors();
    return std::unique_ptr<Gpu>(
        new Gpu(std::make_unique<State>(State{&device, std::move(*memory), options})));
}

const arch::Device& Gpu::device() const { return *state_->device; }
const Options& Gpu::options() const { return state_->options; }
Memory& Gpu::memory() { return *state_->memory; }
void Gpu::interrupt() noexcept {}
void Gpu::set_stack_bytes(std::uint64_t) {}

Result<std::unique_ptr<Module>> Gpu::load(std::vector<ptx::Module> modules,
                                          std::vector<image::FatBinary>) {
    auto state = std::make_unique<Module::State>();
    for (const ptx::Module& module : modules) {
        for (const ptx::Variable& variable : module.variables) {
            if (variable.size == 0) continue;
            const AllocationKind kind = variable.managed ? AllocationKind::managed_variable
                                                         : AllocationKind::module_variable;
            const std::uint64_t address = *memory().allocate(variable.size, kind, variable.name);
            std::copy(variable.initial.begin(), variable.initial.end(),
                      reinterpret_cast<std::uint8_t*>(memory().engine_pointer(address)));
            state->variables[variable.name] = {address, variable.size};
        }
        for (const ptx::Function& function : module.functions) {
            if (!function.is_entry) continue;
            Kernel kernel;
            kernel.name = function.name;
            for (std::size_t i = 0; i < function.parameters.size(); ++i) {
                kernel.slots.push_back({function.parameter_offsets[i],
                                        static_cast<std::uint32_t>(function.parameters[i].size)});
            }
            kernel.attributes.registers = 32;
            kernel.attributes.ptx_target = 75;
            state->kernels.emplace(function.name, std::move(kernel));
        }
    }
    return std::make_unique<Module>(std::move(state));
}

LaunchOutcome Gpu::launch(Kernel& kernel, const LaunchConfiguration& configuration,
                          std::span<const std::byte>) {
    LaunchOutcome outcome;
    outcome.profile = described(kernel, configuration);
    const std::size_t at = kernel.name.find("fault_");
    for (int fault = 1; at != std::string::npos && fault <= static_cast<int>(Fault::internal);
         ++fault) {
        if (kernel.name.find(preload::name_of(static_cast<Fault>(fault)), at) == std::string::npos)
            continue;
        outcome.fault = static_cast<Fault>(fault);
        outcome.diagnostic = failure("the kernel was made to fail");
    }
    return outcome;
}

}  // namespace wideload::gpu

// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "gpu/kernel.h"
#include "gpu/unsupported.h"
#include "jit/build_kernel.h"
#include "profile/demangle.h"
#include "ptx/address_taken.h"
#include "simt/inline_waiting.h"

namespace wideload::gpu {
namespace {

using ptx::Instruction;
using ptx::Operand;
using ptx::Space;
using ptx::Variable;

/// Addresses of functions are only ever called: any numbers that no memory has will do.
constexpr std::uint64_t kFunctionWindow = 0x0300'0000'0000'0000;

std::uint64_t align(std::uint64_t offset, std::uint64_t alignment) {
    alignment = std::max<std::uint64_t>(alignment, 1);
    return (offset + alignment - 1) / alignment * alignment;
}

bool is_placed_in_memory(const Variable& variable) {
    return (variable.space == Space::global || variable.space == Space::constant) &&
           variable.linkage != ptx::Linkage::external;
}

template <class Visit>
void for_each_symbol(const Operand& operand, Visit& visit) {
    if (!operand.symbol.empty()) visit(operand.symbol);
    for (const Operand& element : operand.elements) for_each_symbol(element, visit);
}

bool is_place_in_reserved_memory(const Operand& operand) {
    if (operand.kind != Operand::Kind::special) return false;
    switch (operand.special) {
        case ptx::SpecialRegister::reserved_smem_offset_begin:
        case ptx::SpecialRegister::reserved_smem_offset_end:
        case ptx::SpecialRegister::reserved_smem_offset_0:
        case ptx::SpecialRegister::reserved_smem_offset_1:
            return true;
        default:
            return false;
    }
}

/// A function's own shared variables, and the module's that any reachable function names. Sized
/// ones first; what is declared without a size begins where they end. The memory that is reserved
/// for code of the toolkit (groups of cooperative_groups larger than a warp) lies before them, but
/// only where code looks for it: a stray access to it is a fault in every other kernel.
/// @param reserved_bytes the GPU's, of each block
SharedLayout lay_out_shared(const std::vector<const ptx::Function*>& functions,
                            const ptx::Module& module, std::uint64_t reserved_bytes) {
    SharedLayout layout;
    std::vector<const Variable*> sized, unsized;
    const auto add = [&](const Variable& variable) {
        if (variable.space != Space::shared) return;
        (variable.unsized || variable.size == 0 ? unsized : sized).push_back(&variable);
    };
    std::map<std::string_view, const Variable*> of_module;
    for (const Variable& variable : module.variables) of_module[variable.name] = &variable;
    std::map<std::string_view, bool> added;
    for (const ptx::Function* function : functions) {
        for (const Variable& variable : function->variables) add(variable);
        const auto visit = [&](const std::string& symbol) {
            const auto found = of_module.find(symbol);
            if (found != of_module.end() && !std::exchange(added[found->first], true)) {
                add(*found->second);
            }
        };
        for (const Instruction& instruction : function->body) {
            for (const Operand& operand : instruction.operands) {
                for_each_symbol(operand, visit);
                if (is_place_in_reserved_memory(operand)) layout.reserved_bytes = reserved_bytes;
            }
        }
    }
    layout.static_bytes = layout.reserved_bytes;
    for (const Variable* variable : sized) {
        layout.static_bytes = align(layout.static_bytes, variable->alignment);
        layout.offsets[variable->name] = layout.static_bytes;
        layout.static_bytes += variable->size;
    }
    std::uint64_t dynamic_alignment = 1;
    for (const Variable* variable : unsized) {
        dynamic_alignment = std::max<std::uint64_t>(dynamic_alignment, variable->alignment);
    }
    if (!unsized.empty()) {
        const std::uint64_t begin =
            align(layout.static_bytes, std::max<std::uint64_t>(dynamic_alignment, 16));
        for (const Variable* variable : unsized) layout.offsets[variable->name] = begin;
        layout.static_bytes = begin;
    }
    return layout;
}

/// Its first contents, pointers excepted.
void fill(Module::State& state, const Variable& variable) {
    std::byte* bytes = state.memory->engine_pointer(state.variables.at(variable.name).address);
    std::memset(bytes, 0, variable.size);
    if (variable.initial.empty()) return;
    std::memcpy(bytes, variable.initial.data(),
                std::min<std::size_t>(variable.initial.size(), variable.size));
}

/// Gives a variable its memory and its first contents, pointers excepted.
bool place_variable(Module::State& state, const Variable& variable) {
    const AllocationKind kind =
        variable.managed ? AllocationKind::managed_variable : AllocationKind::module_variable;
    const auto address = state.memory->allocate(std::max<std::uint64_t>(variable.size, 1), kind,
                                                variable.name, variable.alignment);
    if (!address) return false;
    state.variables[variable.name] = {*address, variable.size};
    fill(state, variable);
    return true;
}

void fill_relocations(Module::State& state, const Variable& variable) {
    std::byte* bytes = state.memory->engine_pointer(state.variables.at(variable.name).address);
    for (const ptx::Relocation& relocation : variable.relocations) {
        std::uint64_t value = state.function_address(relocation.symbol);
        if (const auto address = state.address_of(relocation.symbol)) value = *address;
        value = (value + static_cast<std::uint64_t>(relocation.addend)) >> relocation.shift;
        if (relocation.offset + relocation.size <= variable.size) {
            std::memcpy(bytes + relocation.offset, &value,
                        std::min<std::size_t>(relocation.size, sizeof value));
        }
    }
}

std::unique_ptr<Kernel> describe_kernel(Module::State& state, const ptx::Function& function) {
    auto kernel = std::make_unique<Kernel>();
    kernel->module = &state;
    kernel->function = &function;
    kernel->demangled = profile::demangle(function.name);
    kernel->title = profile::demangle_briefly(function.name);
    const jit::CompileContext context{state.ptx, state, {}, false};
    const auto functions = jit::reachable_functions(function, context);
    kernel->shared = lay_out_shared(functions, state.ptx,
                                    state.device->limits().shared_bytes_reserved_per_block);
    kernel->unsupported = find_unsupported(functions, state, kernel->title);
    for (std::size_t p = 0; p < function.parameters.size(); ++p) {
        kernel->parameters.push_back({function.parameter_offsets[p],
                                      static_cast<std::uint32_t>(function.parameters[p].size)});
    }
    return kernel;
}

}  // namespace

Module::State::~State() {
    for (const auto& [name, symbol] : variables) memory->free(symbol.address);
}

std::optional<std::uint64_t> Module::State::address_of(std::string_view variable) const {
    const auto found = variables.find(variable);
    if (found == variables.end()) return std::nullopt;
    return found->second.address;
}

std::optional<std::uint64_t> Module::State::shared_offset(const ptx::Function&,
                                                          std::string_view variable) const {
    if (shared == nullptr) return std::nullopt;
    const auto found = shared->offsets.find(variable);
    if (found == shared->offsets.end()) return std::nullopt;
    return found->second;
}

const ptx::Function* Module::State::function(std::string_view name) const {
    const auto found = functions.find(name);
    return found == functions.end() ? nullptr : found->second;
}

std::uint64_t Module::State::function_address(std::string_view name) const {
    const auto found = function_addresses.find(name);
    return found == function_addresses.end() ? 0 : found->second;
}

Result<std::unique_ptr<Module>> load_module(ptx::Module ptx, std::vector<image::FatBinary> binaries,
                                            const arch::Device& device, Memory& memory) {
    auto state = std::make_unique<Module::State>();
    state->device = &device;
    state->machine_code = MachineCode(std::move(binaries), device.capability.number());
    state->ptx = std::move(ptx);
    simt::inline_waiting_calls(state->ptx);
    state->memory = &memory;
    for (const ptx::Function& function : state->ptx.functions) {
        const ptx::Function*& known = state->functions[function.name];
        if (known == nullptr || known->is_declaration) known = &function;
        state->function_addresses.try_emplace(
            function.name, kFunctionWindow + 16 * (state->function_addresses.size() + 1));
    }
    for (const std::string& name : ptx::address_taken(state->ptx)) {
        const ptx::Function* function = state->function(name);
        if (function == nullptr || function->is_entry || function->is_declaration) continue;
        state->pointed.push_back(function);
    }
    for (const Variable& variable : state->ptx.variables) {
        if (!is_placed_in_memory(variable)) continue;
        if (!place_variable(*state, variable)) {
            return failure(fmt::format("no memory for variable '{}' of {} bytes", variable.name,
                                       variable.size));
        }
    }
    for (const Variable& variable : state->ptx.variables) {
        if (is_placed_in_memory(variable)) fill_relocations(*state, variable);
    }
    for (const ptx::Function& function : state->ptx.functions) {
        if (!function.is_entry || function.is_declaration) continue;
        state->kernels[function.name] = describe_kernel(*state, function);
    }
    return std::make_unique<Module>(std::move(state));
}

Module::Module(std::unique_ptr<State> s) : state(std::move(s)) {}
Module::~Module() = default;

Kernel* Module::kernel(std::string_view mangled_name) {
    const auto found = state->kernels.find(mangled_name);
    return found == state->kernels.end() ? nullptr : found->second.get();
}

const Symbol* Module::variable(std::string_view name) const {
    const auto found = state->variables.find(name);
    return found == state->variables.end() ? nullptr : &found->second;
}

void Module::restore_variables() {
    for (const Variable& variable : state->ptx.variables) {
        if (!is_placed_in_memory(variable) || variable.managed) continue;
        fill(*state, variable);
        fill_relocations(*state, variable);
    }
}

Diagnostics Module::unsupported() const {
    Diagnostics diagnostics;
    for (const auto& [name, kernel] : state->kernels) {
        if (kernel->unsupported) diagnostics.push_back(*kernel->unsupported);
    }
    return diagnostics;
}

const std::string& mangled_name(const Kernel& kernel) { return kernel.function->name; }

std::span<const ParameterSlot> parameters(const Kernel& kernel) { return kernel.parameters; }

}  // namespace wideload::gpu

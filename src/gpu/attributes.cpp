// SPDX-License-Identifier: Apache-2.0
// What the runtime's functions are told of a kernel, and what launches of it are refused by.
#include <algorithm>

#include "gpu/kernel.h"
#include "jit/build_kernel.h"
#include "simt/liveness.h"

namespace wideload::gpu {
namespace {

/// 32-bit registers that hold live values at once, at the entry of the block where they are most,
/// as ptxas might allocate them; it keeps 16 at least.
std::uint32_t estimate_registers(const ptx::Function& function) {
    const auto blocks = simt::order_blocks(simt::split_into_blocks(function));
    std::uint32_t most = 0;
    for (const simt::Bitset& live : simt::live_at_entry(function, blocks)) {
        std::uint32_t words = 0;
        live.for_each([&](std::size_t r) {
            words += (ptx::bit_width(function.registers[r].type) + 31) / 32;
        });
        most = std::max(most, words);
    }
    const std::uint32_t limit = function.max_registers.value_or(arch::kMaxRegistersPerThread);
    return std::clamp<std::uint32_t>(most + 8, 16, std::max<std::uint32_t>(limit, 16));
}

/// What the source says, and the machine code keeps to.
KernelAttributes attributes_in_any_code(const Kernel& kernel) {
    KernelAttributes result;
    result.parameter_bytes = kernel.function->parameter_bytes;
    result.ptx_target = kernel.module->ptx.target;
    const auto& limit = kernel.function->required_threads ? kernel.function->required_threads
                                                          : kernel.function->max_threads;
    if (limit) result.max_threads_per_block = (*limit)[0] * (*limit)[1] * (*limit)[2];
    return result;
}

void add_from_ptx(const Kernel& kernel, KernelAttributes& result) {
    result.static_shared_bytes = kernel.shared.static_bytes - kernel.shared.reserved_bytes;
    result.local_bytes = jit::frame_bytes(*kernel.function);
    for (const ptx::Variable& variable : kernel.module->ptx.variables) {
        if (variable.space == ptx::Space::constant) result.constant_bytes += variable.size;
    }
    result.registers = estimate_registers(*kernel.function);
}

void add_from_machine_code(const MachineKernel& machine, const arch::Device& device,
                           KernelAttributes& result) {
    constexpr std::uint32_t kBankOfVariables = 3;
    const image::CubinKernel& facts = machine.facts;
    result.binary_target = machine.arch;
    result.registers = facts.registers;
    result.local_bytes = facts.frame_bytes;
    result.static_shared_bytes = facts.static_shared_bytes;
    result.barriers = std::max(facts.barriers, 1u);
    for (const image::CubinConstantBank& bank : facts.constant_banks) {
        if (bank.bank == kBankOfVariables) result.constant_bytes += bank.bytes;
    }
    result.max_threads_per_block = std::min(
        result.max_threads_per_block, arch::most_threads_by_registers(device, facts.registers));
}

}  // namespace

const KernelAttributes& attributes(const Kernel& kernel) {
    Module::State& module = *kernel.module;
    const std::lock_guard lock(module.attributes_mutex);
    if (kernel.attributes) return *kernel.attributes;
    KernelAttributes result = attributes_in_any_code(kernel);
    if (const MachineKernel* machine = module.machine_code.find(kernel.function->name)) {
        add_from_machine_code(*machine, *module.device, result);
    } else {
        add_from_ptx(kernel, result);
    }
    return kernel.attributes.emplace(result);
}

std::optional<std::uint32_t> machine_loads(const Kernel& kernel) {
    const std::lock_guard lock(kernel.module->attributes_mutex);
    const MachineKernel* machine = kernel.module->machine_code.find(kernel.function->name);
    return machine == nullptr ? std::nullopt : machine->facts.global_loads;
}

}  // namespace wideload::gpu

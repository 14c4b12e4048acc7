// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "gpu/gpu.h"
#include "gpu/machine_code.h"
#include "gpu/source_frames.h"
#include "jit/emitter.h"
#include "jit/kernel.h"
#include "simt/shape.h"

namespace wideload::gpu {

/// Where a kernel's .shared variables lie in its blocks' shared memory.
struct SharedLayout {
    std::map<std::string, std::uint64_t, std::less<>> offsets;
    std::uint64_t reserved_bytes = 0;  ///< at the beginning, where the kernel asks for their place
    std::uint64_t static_bytes = 0;    ///< dynamic shared memory begins here
    std::uint64_t alignment = 1;
};

/// A loaded module's parts. Functions are referred to by pointer, so the module does not move.
struct Module::State final : jit::SymbolResolver {
    ptx::Module ptx;
    SourceFrames source_frames{ptx};
    Memory* memory = nullptr;
    const arch::Device* device = nullptr;
    std::mutex attributes_mutex;  ///< guards the machine code, and its kernels' attributes
    MachineCode machine_code{{}, 0};
    std::map<std::string, Symbol, std::less<>> variables;
    std::map<std::string, const ptx::Function*, std::less<>> functions;
    std::map<std::string, std::uint64_t, std::less<>> function_addresses;
    std::vector<const ptx::Function*> pointed;
    std::map<std::string, std::unique_ptr<Kernel>, std::less<>> kernels;
    const SharedLayout* shared = nullptr;  ///< of the kernel that is being compiled

    ~State() override;
    std::optional<std::uint64_t> address_of(std::string_view variable) const override;
    std::optional<std::uint64_t> shared_offset(const ptx::Function& function,
                                               std::string_view variable) const override;
    const ptx::Function* function(std::string_view name) const override;
    std::uint64_t function_address(std::string_view name) const override;
    std::span<const ptx::Function* const> pointed_functions() const override { return pointed; }
};

/// A kernel's machine code for one thread layout.
struct KernelCode {
    jit::CompiledKernel compiled;
    std::chrono::nanoseconds compiling{};  ///< what compiling took
    std::chrono::nanoseconds running{};    ///< what launches took
};

/// One entry of a loaded module, and its machine code for each thread layout that it was launched
/// with.
class Kernel {
public:
    Module::State* module = nullptr;
    const ptx::Function* function = nullptr;
    /// The function as blocks of a layout execute it, where that is not `function` itself.
    std::map<simt::ThreadLayout, ptx::Function> unrolled;
    std::string demangled;
    std::string title;  ///< the same, as messages spell it: not too long
    SharedLayout shared;
    std::vector<ParameterSlot> parameters;
    std::optional<Diagnostic>
        unsupported;  ///< the first instruction that the engine does not cover
    std::map<simt::ThreadLayout, KernelCode> codes;
    mutable std::optional<KernelAttributes> attributes;  ///< once they were asked for
};

/// Instructions of the kernel's machine code that load from global memory; nothing where there is
/// no machine code for the GPU.
[[nodiscard]] std::optional<std::uint32_t> machine_loads(const Kernel& kernel);

/// The kernel's function, with loops unrolled as its machine code has them, where that decides
/// which lanes meet. It lives as long as the kernel.
[[nodiscard]] const ptx::Function& executed_function(Kernel& kernel, simt::ThreadLayout layout);

/// Makes a module of linked PTX: its variables in memory, its kernels described, not compiled.
/// @param binaries Gpu::load()'s
[[nodiscard]] Result<std::unique_ptr<Module>> load_module(ptx::Module ptx,
                                                          std::vector<image::FatBinary> binaries,
                                                          const arch::Device& device,
                                                          Memory& memory);

}  // namespace wideload::gpu

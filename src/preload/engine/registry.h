// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "gpu/gpu.h"
#include "preload/engine/abi.h"

namespace wideload::preload {

class Context;

/// A kernel that a program's constructor registered: what a host function's address, a cudaKernel_t
/// and a cudaFunction_t stand for.
struct KernelRegistration {
    FatBinaryRegistration* binary = nullptr;
    const void* host_function = nullptr;
    std::string name;  ///< mangled
    // What cudaFuncSetAttribute sets.
    std::uint64_t max_dynamic_shared_bytes = 0;  ///< 0: not set
    int preferred_carveout = -1;
};

/// A __device__, __constant__ or __managed__ variable.
struct VariableRegistration {
    FatBinaryRegistration* binary = nullptr;
    std::string name;
    std::size_t bytes = 0;
    void** host_pointer =
        nullptr;  ///< of a managed variable: the pointer that host code goes through
};

/// The device code of one translation unit, or of several that were linked. Loaded when first
/// needed.
struct FatBinaryRegistration {
    void* handle = nullptr;  ///< what the program holds is the address of this
    const void* wrapper = nullptr;
    std::unique_ptr<gpu::Module> module;
    Error error = cudaSuccess;                      ///< why there is no module
    std::vector<const void*> functions, variables;  ///< keys of its registrations
};

/// What the program's constructors registered.
class Registry {
public:
    FatBinaryRegistration* add(const void* wrapper);
    void remove(FatBinaryRegistration* binary);
    void add_kernel(FatBinaryRegistration* binary, const void* host_function, const char* name);
    void add_variable(FatBinaryRegistration* binary, const void* host_variable,
                      VariableRegistration variable);

    [[nodiscard]] FatBinaryRegistration* find_binary(void** handle) const;
    /// @param function a host function's address or a handle that was given out for one
    [[nodiscard]] KernelRegistration* find_kernel(const void* function) const;
    [[nodiscard]] VariableRegistration* find_variable(const void* host_variable) const;
    [[nodiscard]] std::vector<FatBinaryRegistration*> binaries() const;
    /// Gives the variables of loaded modules their first contents again.
    void restore_variables();

private:
    std::unordered_map<const void*, std::unique_ptr<FatBinaryRegistration>> binaries_;
    std::unordered_map<const void*, std::unique_ptr<KernelRegistration>> kernels_;
    std::unordered_map<const void*, std::unique_ptr<VariableRegistration>> variables_;
    std::unordered_set<const void*> handles_;
};

/// The loaded module, or the error that its first load ended with (a message was printed then).
Error load(Context& context, FatBinaryRegistration& binary);

/// The registered kernel in its loaded module.
Error find_loaded(Context& context, KernelRegistration* registration, gpu::Kernel*& kernel);
/// The registered variable in its loaded module.
Error find_loaded(Context& context, const VariableRegistration* registration,
                  const gpu::Symbol*& symbol);

}  // namespace wideload::preload

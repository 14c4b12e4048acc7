// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "arch/device.h"
#include "gpu/launch.h"
#include "gpu/memory.h"
#include "ptx/module.h"
#include "support/result.h"

namespace wideload::gpu {

class Module;

struct Options {
    unsigned workers = 0;  ///< host threads that run blocks; 0: one per core
    bool counters = true;
    bool deterministic = false;  ///< one worker
    /// Count each launch's distinct sectors of global memory too, with every access out of line.
    bool touched_sectors = false;
    double kernel_timeout_s = 60;
    std::string host_isa;  ///< "", "avx512", "avx2", "baseline": the widest to use; "" takes what
                           ///< the host has
};

/// What cudaFuncGetAttributes wants to know of a kernel.
struct KernelAttributes {
    std::uint32_t max_threads_per_block = 1024;
    std::uint64_t static_shared_bytes = 0;
    std::uint64_t constant_bytes = 0;
    std::uint64_t local_bytes = 0;
    std::uint32_t registers =
        0;  ///< from the program's cubin where it has one for this GPU, else an estimate
    std::uint32_t parameter_bytes = 0;
    std::uint32_t ptx_target = 0;  ///< 80 where the PTX that runs was made for sm_80
};

/// A device variable of a loaded module.
struct Symbol {
    std::uint64_t address = 0;
    std::uint64_t bytes = 0;
};

/// A loaded module: its variables live in device memory, its kernels can be launched. Kernels are
/// compiled at their first launch, but what the engine does not cover is found here and named.
class Module {
public:
    ~Module();
    [[nodiscard]] Kernel* kernel(std::string_view mangled_name);
    [[nodiscard]] const Symbol* variable(std::string_view name) const;
    /// For each kernel that cannot run here, the first instruction that the engine does not cover.
    [[nodiscard]] Diagnostics unsupported() const;
    struct State;
    std::unique_ptr<State> state;
    explicit Module(std::unique_ptr<State> s);
};

[[nodiscard]] KernelAttributes attributes(const Kernel& kernel);
[[nodiscard]] const std::string& mangled_name(const Kernel& kernel);
/// Byte offset and size of each parameter in the parameter buffer.
struct ParameterSlot {
    std::uint32_t offset, bytes;
};
[[nodiscard]] std::span<const ParameterSlot> parameters(const Kernel& kernel);

/// The virtual GPU: memory, modules and launches. All members may be called from any host thread;
/// launches run one at a time.
class Gpu {
public:
    /// @param device a row of the table in arch/
    static Result<std::unique_ptr<Gpu>> create(const arch::Device& device, const Options& options);
    ~Gpu();

    [[nodiscard]] const arch::Device& device() const;
    [[nodiscard]] Memory& memory();

    /// Loads PTX modules that name each other's functions and variables as one (one module: a plain
    /// program; several: -rdc=true).
    Result<std::unique_ptr<Module>> load(std::vector<ptx::Module> modules);

    /// Runs the kernel to its end on the calling thread and the workers. `parameters` is the
    /// parameter buffer as CUDA lays it out.
    LaunchOutcome launch(Kernel& kernel, const LaunchConfiguration& configuration,
                         std::span<const std::byte> parameters);

    /// Ends the running kernel from inside its loops; safe in a signal handler.
    void interrupt() noexcept;

    struct State;

private:
    explicit Gpu(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
};

}  // namespace wideload::gpu

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
#include "arch/occupancy.h"
#include "gpu/launch.h"
#include "gpu/memory.h"
#include "image/fatbinary.h"
#include "ptx/module.h"
#include "support/result.h"

namespace wideload::gpu {

class Module;

/// How kernels are compiled: with little effort until running one has taken as long as that did,
/// or all of them alike.
enum class Compiling : std::uint8_t { by_need, quickly, thoroughly };

struct Options {
    unsigned workers = 0;  ///< host threads that run blocks; 0: one per core
    bool counters = true;
    bool deterministic = false;  ///< one worker
    /// Count each launch's distinct sectors of global memory too, with every access out of line.
    bool touched_sectors = false;
    double kernel_timeout_s = 60;
    std::string host_isa;  ///< "", "avx512", "avx2", "baseline": the widest to use; "" takes what
                           ///< the host has
    Compiling compiling = Compiling::by_need;
};

/// What cudaFuncGetAttributes wants to know of a kernel: of the program's machine code for this GPU
/// where it has some, else of its PTX.
struct KernelAttributes {
    std::uint32_t max_threads_per_block =
        1024;  ///< by its bounds, and by its registers where known
    std::uint64_t static_shared_bytes = 0;
    std::uint64_t constant_bytes = 0;  ///< of the module's __constant__ variables
    std::uint64_t local_bytes = 0;
    std::uint32_t registers = 0;  ///< of PTX an estimate, which nothing is refused by
    std::uint32_t barriers = 1;
    std::uint32_t parameter_bytes = 0;
    std::uint32_t ptx_target = 0;     ///< 80 where the PTX that runs was made for sm_80
    std::uint32_t binary_target = 0;  ///< of the machine code; 0: there is none for this GPU

    /// What a block of it takes of a multiprocessor.
    [[nodiscard]] arch::BlockResources block(std::uint32_t threads,
                                             std::uint64_t dynamic_shared_bytes) const {
        return {.threads = threads,
                .registers = registers,
                .static_shared_bytes = static_shared_bytes,
                .dynamic_shared_bytes = dynamic_shared_bytes,
                .max_threads = max_threads_per_block,
                .barriers = barriers};
    }
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
    /// Gives its variables their first contents again; managed ones keep what they hold.
    void restore_variables();
    /// For each kernel that cannot run here, the first instruction that the engine does not cover.
    [[nodiscard]] Diagnostics unsupported() const;
    struct State;
    std::unique_ptr<State> state;
    explicit Module(std::unique_ptr<State> s);
};

/// Worked out at the first call for a kernel, and kept.
[[nodiscard]] const KernelAttributes& attributes(const Kernel& kernel);
[[nodiscard]] const std::string& mangled_name(const Kernel& kernel);
/// What a profile says of a launch before it has run.
[[nodiscard]] profile::Launch described(const Kernel& kernel,
                                        const LaunchConfiguration& configuration);
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
    /// As asked for, with the number of workers and the instruction set that were chosen.
    [[nodiscard]] const Options& options() const;
    [[nodiscard]] Memory& memory();

    /// Loads PTX modules that name each other's functions and variables as one (one module: a plain
    /// program; several: -rdc=true).
    /// @param binaries that they are from: their machine code is read when a kernel's attributes
    /// are first asked for, so their bytes have to live as long as the module
    Result<std::unique_ptr<Module>> load(std::vector<ptx::Module> modules,
                                         std::vector<image::FatBinary> binaries = {});

    /// The local memory that each thread of later launches has for functions that call themselves,
    /// as cudaLimitStackSize sets it; small values count as 64 KiB.
    void set_stack_bytes(std::uint64_t bytes);

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

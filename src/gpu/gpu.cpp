// SPDX-License-Identifier: Apache-2.0
#include "gpu/gpu.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <mutex>
#include <optional>
#include <thread>

#include "gpu/configuration_check.h"
#include "gpu/fault_report.h"
#include "gpu/grid_workspace.h"
#include "gpu/kernel.h"
#include "gpu/kernel_compiler.h"
#include "gpu/launch_mismatches.h"
#include "gpu/launch_profile.h"
#include "gpu/watchdog.h"
#include "gpu/worker_pool.h"
#include "jit/session.h"
#include "ptx/linker.h"

namespace wideload::gpu {
namespace {

/// Fewer threads than this are not worth waking another worker for: it takes longer than running
/// them.
constexpr std::uint64_t kThreadsPerWorker = 8192;

/// CUDA's own default is 1 KiB, but what calls need of it differs from PTX to machine code.
constexpr std::uint64_t kLeastStackBytes = 64 << 10;

}  // namespace

struct Gpu::State {
    const arch::Device* device = nullptr;
    Options options;
    std::unique_ptr<Memory> memory;
    std::unique_ptr<jit::Session> session;
    std::optional<KernelCompiler> compiler;
    std::unique_ptr<WorkerPool> pool;
    std::unique_ptr<Watchdog> watchdog;
    std::mutex mutex;  ///< one launch at a time
    std::uint64_t launches = 0;
    std::atomic<std::uint64_t> stack_bytes{kLeastStackBytes};

    void run(Kernel& kernel, KernelCode& code, const LaunchConfiguration& configuration,
             std::span<const std::byte> parameters, LaunchOutcome& outcome);
};

Gpu::Gpu(std::unique_ptr<State> state) : state_(std::move(state)) {}
Gpu::~Gpu() = default;

const arch::Device& Gpu::device() const { return *state_->device; }
const Options& Gpu::options() const { return state_->options; }
Memory& Gpu::memory() { return *state_->memory; }
void Gpu::interrupt() noexcept { state_->watchdog->interrupt(); }

Result<std::unique_ptr<Gpu>> Gpu::create(const arch::Device& device, const Options& options) {
    auto state = std::make_unique<State>();
    state->device = &device;
    state->options = options;
    auto isa = jit::choose_isa(options.host_isa);
    if (!isa) return isa.errors();
    auto memory = Memory::create(device.global_memory_bytes);
    if (!memory) return memory.errors();
    state->memory = std::move(*memory);
    auto session = jit::Session::create(*isa);
    if (!session) return session.errors();
    state->session = std::move(*session);
    state->compiler.emplace(*state->session, state->options);
    unsigned& workers = state->options.workers;
    if (workers == 0) workers = std::thread::hardware_concurrency();
    if (options.deterministic) workers = 1;
    state->pool = std::make_unique<WorkerPool>(workers);
    state->options.host_isa = jit::name(*isa);
    state->watchdog = std::make_unique<Watchdog>(options.kernel_timeout_s);
    return std::unique_ptr<Gpu>(new Gpu(std::move(state)));
}

Result<std::unique_ptr<Module>> Gpu::load(std::vector<ptx::Module> modules,
                                          std::vector<image::FatBinary> binaries) {
    auto linked = ptx::link(std::move(modules));
    if (!linked) return linked.errors();
    return load_module(std::move(*linked), std::move(binaries), *state_->device, *state_->memory);
}

void Gpu::State::run(Kernel& kernel, KernelCode& code, const LaunchConfiguration& configuration,
                     std::span<const std::byte> parameters, LaunchOutcome& outcome) {
    std::optional<GridWorkspace> workspace;
    if (configuration.cooperative) workspace.emplace(*memory);
    const Memory::Reader reader(*memory);
    const jit::CompiledKernel& compiled = code.compiled;
    Grid grid{compiled, configuration, parameters, *memory, device->limits()};
    grid.stack_bytes = compiled.recursive ? stack_bytes.load() : 0;
    grid.blocks = volume(configuration.grid);
    grid.threads = static_cast<std::uint32_t>(volume(configuration.block));
    grid.warps = (grid.threads + jit::kLanes - 1) / jit::kLanes;
    grid.shared_bytes = kernel.shared.static_bytes + configuration.dynamic_shared_bytes;
    grid.asked_shared_bytes = grid.shared_bytes - kernel.shared.reserved_bytes;
    grid.multiprocessors = device->multiprocessors;
    grid.resident_blocks = resident_blocks(kernel, configuration, *device);
    grid.grid_id = launches;
    grid.counting = options.counters;
    grid.touched_sectors = options.touched_sectors && options.counters;
    if (workspace) grid.workspace = workspace->address();
    lay_out_threads(grid, configuration.block);
    const std::uint64_t useful = std::min<std::uint64_t>(
        grid.blocks, std::max<std::uint64_t>(1, grid.blocks * grid.threads / kThreadsPerWorker));
    grid.workers = static_cast<unsigned>(std::min<std::uint64_t>(pool->size(), useful));
    grid.chunk = std::clamp<std::uint64_t>(grid.blocks / (grid.workers * 32), 1, 64);
    // Blocks that wait for each other are spread evenly.
    if (configuration.cooperative) grid.chunk = 1;

    compiler->watch(grid, kernel, code);

    watchdog->begin(grid);
    const auto begin = std::chrono::steady_clock::now();
    pool->run(grid);
    const auto end = std::chrono::steady_clock::now();
    watchdog->end();
    code.running += end - begin;

    outcome.profile.host_ns =
        static_cast<std::uint64_t>((end - begin) / std::chrono::nanoseconds(1));
    // As CUDA does: what failed assertions say goes to stderr.
    if (!grid.fault.text.empty())
        std::fwrite(grid.fault.text.data(), 1, grid.fault.text.size(), stderr);
    if (!grid.printed.empty()) {
        std::fwrite(grid.printed.data(), 1, grid.printed.size(), stdout);
    }
    describe_end(kernel, grid, options.kernel_timeout_s, outcome);
    collect_mismatches(kernel, compiled, *pool, grid.workers, options.counters, outcome);
    if (options.counters) {
        collect_counters(kernel, compiled, *pool, grid.workers, outcome.profile);
        if (grid.touched_sectors) add_touched_sectors(*pool, grid.workers, outcome.profile);
    }
}

void Gpu::set_stack_bytes(std::uint64_t bytes) {
    state_->stack_bytes = std::max(bytes, kLeastStackBytes);
}

profile::Launch described(const Kernel& kernel, const LaunchConfiguration& configuration) {
    const KernelAttributes& known = attributes(kernel);
    profile::Launch launch;
    launch.kernel = kernel.demangled;
    launch.mangled = kernel.function->name;
    launch.grid = configuration.grid;
    launch.block = configuration.block;
    launch.dynamic_shared_bytes = configuration.dynamic_shared_bytes;
    launch.static_shared_bytes = known.static_shared_bytes;
    if (known.binary_target != 0) launch.registers = known.registers;
    launch.cooperative = configuration.cooperative;
    return launch;
}

LaunchOutcome Gpu::launch(Kernel& kernel, const LaunchConfiguration& configuration,
                          std::span<const std::byte> parameters) {
    const std::lock_guard lock(state_->mutex);
    state_->watchdog->prepare();
    LaunchOutcome outcome;
    profile::Launch& launch = outcome.profile;
    launch = described(kernel, configuration);
    ++state_->launches;
    if (check_configuration(kernel, configuration, *state_->device, outcome)) {
        auto code = state_->compiler->code_for(kernel, configuration);
        if (code) {
            state_->run(kernel, **code, configuration, parameters, outcome);
        } else {
            outcome.diagnostic = code.errors().front();
            // What names a line is an instruction that the compiler refuses; else LLVM failed.
            outcome.fault =
                outcome.diagnostic.where.line > 0 ? Fault::unsupported : Fault::internal;
        }
    }
    if (outcome.fault != Fault::none) {
        launch.fault = profile::LaunchFault{std::string(name(outcome.fault)), outcome.diagnostic};
    }
    return outcome;
}

}  // namespace wideload::gpu

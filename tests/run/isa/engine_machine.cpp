// SPDX-License-Identifier: Apache-2.0
// The tests' kernels on the virtual GPU.
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <stdexcept>

#include "gpu/gpu.h"
#include "machine.h"
#include "ptx/parser.h"

namespace wideload::isa {
namespace {

class EngineMachine final : public Machine {
public:
    EngineMachine() {
        gpu::Options options;
        options.workers = 1;
        // The widest vector ISA to use, so that one host tests what others run.
        if (const char* isa = std::getenv("WIDELOAD_ISA_TEST_HOST")) options.host_isa = isa;
        // With all effort, and with little in two other places: under the sanitizers, where all
        // of a test's time is the compiler's, and where the tests ask for it.
#if defined(__SANITIZE_ADDRESS__)
        options.compiling = gpu::Compiling::quickly;
#else
        options.compiling = std::getenv("WIDELOAD_ISA_TEST_QUICKLY") != nullptr
                                ? gpu::Compiling::quickly
                                : gpu::Compiling::thoroughly;
#endif
        auto created = gpu::Gpu::create(arch::default_device(), options);
        if (!created) throw std::runtime_error(format(created.errors()));
        gpu_ = std::move(*created);
    }

    [[nodiscard]] bool has_sm100() const override { return true; }
    [[nodiscard]] bool is_hardware() const override { return false; }

    std::uint64_t upload(std::span<const std::byte> bytes) override {
        const auto address = gpu_->memory().allocate(bytes.size(), gpu::AllocationKind::device);
        if (!address) throw std::runtime_error("no memory for a test's arrays");
        std::memcpy(gpu_->memory().engine_pointer(*address), bytes.data(), bytes.size());
        return *address;
    }

    void download(std::uint64_t address, std::span<std::byte> bytes) override {
        std::memcpy(bytes.data(), gpu_->memory().engine_pointer(address), bytes.size());
    }

    void free(std::uint64_t address) override { gpu_->memory().free(address); }

    std::string run(const std::string& ptx, const char* kernel, Dimensions grid, Dimensions block,
                    std::span<const std::uint64_t> parameters) override {
        auto parsed = ptx::parse(ptx, "test.ptx");
        if (!parsed) return format(parsed.errors());
        std::vector<ptx::Module> modules;
        modules.push_back(std::move(*parsed));
        auto module = gpu_->load(std::move(modules));
        if (!module) return format(module.errors());
        gpu::LaunchConfiguration configuration;
        configuration.grid = {grid.x, grid.y, grid.z};
        configuration.block = {block.x, block.y, block.z};
        gpu::Kernel* const entry = (*module)->kernel(kernel);
        if (entry == nullptr) return "the module lost its kernel";
        const gpu::LaunchOutcome outcome =
            gpu_->launch(*entry, configuration, std::as_bytes(parameters));
        return outcome.fault == gpu::Fault::none ? std::string() : format(outcome.diagnostic);
    }

private:
    std::unique_ptr<gpu::Gpu> gpu_;
};

}  // namespace

Machine& machine() {
    static EngineMachine instance;
    return instance;
}

}  // namespace wideload::isa

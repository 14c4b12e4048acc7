// SPDX-License-Identifier: Apache-2.0
// The tests' kernels on a real GPU, through the driver found at run time: what decides where a
// reference and the engine differ.
#include <dlfcn.h>

#include <array>
#include <cstdlib>
#include <stdexcept>

#include "machine.h"

namespace wideload::isa {
namespace {

/// The few calls of the CUDA driver API that are needed, so that no toolkit has to be installed.
class Driver {
public:
    Driver() {
        library_ = dlopen("libcuda.so.1", RTLD_NOW);
        if (library_ == nullptr) throw std::runtime_error("there is no NVIDIA driver here");
    }

    template <class... Arguments>
    int operator()(const char* function, Arguments... arguments) const {
        const auto call = reinterpret_cast<int (*)(Arguments...)>(dlsym(library_, function));
        if (call == nullptr) throw std::runtime_error(std::string("the driver lacks ") + function);
        return call(arguments...);
    }

    /// For calls that cannot fail in a sound test.
    template <class... Arguments>
    void must(const char* function, Arguments... arguments) const {
        if (const int error = (*this)(function, arguments...); error != 0) {
            throw std::runtime_error(std::string(function) + " failed with " +
                                     std::to_string(error));
        }
    }

private:
    void* library_;
};

/// ptxas drops guards and .ftz in some forms where it optimizes: what an instruction does is seen
/// without.
std::uintptr_t optimization_level() {
    const char* level = std::getenv("WIDELOAD_ISA_TEST_OPTIMIZATION");
    return level == nullptr ? 0 : static_cast<std::uintptr_t>(std::atoi(level));
}

class HardwareMachine final : public Machine {
public:
    HardwareMachine() {
        int device = 0;
        void* context = nullptr;
        driver_.must("cuInit", 0u);
        driver_.must("cuDeviceGet", &device, 0);
        driver_.must("cuDevicePrimaryCtxRetain", &context, device);
        driver_.must("cuCtxSetCurrent", context);
        constexpr int kMajorCapability = 75;
        driver_.must("cuDeviceGetAttribute", &major_, kMajorCapability, device);
    }

    [[nodiscard]] bool has_sm100() const override { return major_ == 10; }
    [[nodiscard]] bool is_hardware() const override { return true; }

    std::uint64_t upload(std::span<const std::byte> bytes) override {
        std::uint64_t address = 0;
        driver_.must("cuMemAlloc_v2", &address, bytes.size());
        driver_.must("cuMemcpyHtoD_v2", address, bytes.data(), bytes.size());
        return address;
    }

    void download(std::uint64_t address, std::span<std::byte> bytes) override {
        driver_.must("cuMemcpyDtoH_v2", bytes.data(), address, bytes.size());
    }

    void free(std::uint64_t address) override { driver_.must("cuMemFree_v2", address); }

    std::string run(const std::string& ptx, const char* kernel, Dimensions grid, Dimensions block,
                    std::span<const std::uint64_t> parameters) override {
        std::array<char, 4096> log{};
        constexpr int kErrorLog = 5, kErrorLogBytes = 6, kOptimizationLevel = 7;
        std::array<int, 3> options{kErrorLog, kErrorLogBytes, kOptimizationLevel};
        std::array<void*, 3> values{log.data(), reinterpret_cast<void*>(log.size()),
                                    reinterpret_cast<void*>(optimization_level())};
        void *module = nullptr, *function = nullptr;
        if (driver_("cuModuleLoadDataEx", &module, ptx.c_str(), 3u, options.data(),
                    values.data()) != 0) {
            return log.data();
        }
        driver_.must("cuModuleGetFunction", &function, module, kernel);
        std::array<void*, 8> arguments{};
        for (std::size_t i = 0; i < parameters.size(); ++i) {
            arguments.at(i) = const_cast<std::uint64_t*>(&parameters[i]);
        }
        driver_.must("cuLaunchKernel", function, grid.x, grid.y, grid.z, block.x, block.y, block.z,
                     0u, static_cast<void*>(nullptr), arguments.data(),
                     static_cast<void**>(nullptr));
        const int error = driver_("cuCtxSynchronize");
        driver_.must("cuModuleUnload", module);
        return error == 0 ? std::string() : "the launch failed with " + std::to_string(error);
    }

private:
    Driver driver_;
    int major_ = 0;
};

}  // namespace

Machine& machine() {
    static HardwareMachine instance;
    return instance;
}

}  // namespace wideload::isa

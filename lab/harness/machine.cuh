// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include "json.cuh"
#include "require.cuh"

namespace lab {

/// The GPU as figures must be quoted with it.
struct Machine {
    std::string gpu;
    int major = 0, minor = 0, multiprocessors = 0;
    std::size_t l2_bytes = 0;
    int driver = 0, runtime = 0;  ///< as CUDA versions: 13000 is 13.0

    static Machine here() {
        Machine machine;
        int devices = 0;
        const cudaError_t found = cudaGetDeviceCount(&devices);
        if (found != cudaSuccess || devices == 0) {
            give_up(std::string("no GPU answers (") + cudaGetErrorString(found) +
                        "); 'wideload lab NAME' without --device runs on the virtual GPU",
                    kExitNoGpu);
        }
        cudaDeviceProp properties{};
        LAB_REQUIRE(cudaGetDeviceProperties(&properties, 0));
        machine.gpu = properties.name;
        machine.major = properties.major;
        machine.minor = properties.minor;
        machine.multiprocessors = properties.multiProcessorCount;
        machine.l2_bytes = static_cast<std::size_t>(properties.l2CacheSize);
        LAB_REQUIRE(cudaDriverGetVersion(&machine.driver));
        LAB_REQUIRE(cudaRuntimeGetVersion(&machine.runtime));
        return machine;
    }

    int capability() const { return 10 * major + minor; }
    std::string capability_text() const {
        return std::to_string(major) + "." + std::to_string(minor);
    }

    std::string to_json() const {
        const auto version = [](int number) {
            return json::text(std::to_string(number / 1000) + "." +
                              std::to_string(number % 1000 / 10));
        };
        return json::object(
            {{"gpu", json::text(gpu)},
             {"compute_capability", json::text(capability_text())},
             {"multiprocessors", json::whole(static_cast<unsigned>(multiprocessors))},
             {"l2_bytes", json::whole(l2_bytes)},
             {"driver", version(driver)},
             {"runtime", version(runtime)}});
    }
};

}  // namespace lab

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cctype>
#include <cstddef>
#include <ctime>
#include <fstream>
#include <string>

#include "json.cuh"
#include "require.cuh"

namespace lab {

/// "580.159.04": the kernel's NVIDIA driver, as it says itself; empty where there is none.
inline std::string driver_build() {
    std::ifstream file("/proc/driver/nvidia/version");
    for (std::string word; file >> word;) {
        if (std::isdigit(static_cast<unsigned char>(word[0])) &&
            word.find('.') != std::string::npos) {
            return word;
        }
    }
    return {};
}

/// "2026-11-22", in UTC.
inline std::string date_today() {
    const std::time_t now = std::time(nullptr);
    char text[16];
    std::strftime(text, sizeof text, "%Y-%m-%d", std::gmtime(&now));
    return text;
}

/// The GPU as figures must be quoted with it.
struct Machine {
    std::string gpu;
    int major = 0, minor = 0, multiprocessors = 0;
    std::size_t l2_bytes = 0;
    int driver = 0, runtime = 0;  ///< as CUDA versions: 13000 is 13.0
    std::string build;            ///< of the driver

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
        machine.build = driver_build();
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
             {"runtime", version(runtime)},
             {"driver_build", json::text(build)}});
    }
};

}  // namespace lab

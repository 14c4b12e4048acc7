// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "gpu/gpu.h"
#include "ptx_text.h"
#include "reference.h"

namespace wideload::fuzz {

/// How a kernel's run differed from what it must do; empty where it did not.
struct Difference {
    enum class Kind : std::uint8_t { none, refused, fault, memory, warning, counts, invalid };
    Kind kind = Kind::none;
    std::string what;
    [[nodiscard]] explicit operator bool() const { return kind != Kind::none; }
};

/// Runs kernels on the virtual GPU and holds them against the reference.
class Engine {
public:
    Engine(const std::string& host_isa, unsigned workers, gpu::Compiling compiling);

    /// One module of all kernels; each is launched once. @return by kernel
    std::vector<Difference> compare(const std::vector<Kernel>& kernels);

private:
    Difference compare(const Kernel& kernel, gpu::Kernel& compiled,
                       const std::vector<unsigned>& site_lines);
    void reserve(std::uint64_t& address, std::uint64_t& size, std::uint64_t needed);

    std::unique_ptr<gpu::Gpu> gpu_;
    std::uint64_t input_ = 0, output_ = 0, totals_ = 0;
    std::uint64_t input_bytes_ = 0, output_bytes_ = 0, totals_bytes_ = 0;
};

}  // namespace wideload::fuzz

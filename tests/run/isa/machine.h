// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace wideload::isa {

/// Of a grid in blocks, or of a block in threads.
struct Dimensions {
    std::uint32_t x = 1, y = 1, z = 1;
};

/// What runs the tests' kernels: the virtual GPU, or a real one that their references are checked
/// against.
class Machine {
public:
    virtual ~Machine() = default;
    /// Whether instructions of sm_100 can be run.
    [[nodiscard]] virtual bool has_sm100() const = 0;
    [[nodiscard]] virtual bool is_hardware() const = 0;
    /// Device memory that holds `bytes`.
    virtual std::uint64_t upload(std::span<const std::byte> bytes) = 0;
    virtual void download(std::uint64_t address, std::span<std::byte> bytes) = 0;
    virtual void free(std::uint64_t address) = 0;
    /// Runs the entry `kernel` of a PTX text whose parameters are all .u64.
    /// @return what went wrong, empty where nothing did
    virtual std::string run(const std::string& ptx, const char* kernel, Dimensions grid,
                            Dimensions block, std::span<const std::uint64_t> parameters) = 0;
};

/// The one machine of this test program.
Machine& machine();

}  // namespace wideload::isa

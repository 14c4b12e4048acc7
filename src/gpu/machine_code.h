// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "image/cubin.h"
#include "image/fatbinary.h"

namespace wideload::gpu {

/// What the machine code that a program carries beside its PTX says of a kernel.
struct MachineKernel {
    image::CubinKernel facts;
    std::uint32_t arch = 0;  ///< 90 of sm_90
};

/// The kernels of the cubins that the driver would load on this GPU. They are read when one is
/// first asked for: a program that never launches a kernel, nor asks about one, does not pay for
/// them.
class MachineCode {
public:
    /// @param binaries of one registration; those that are still to be linked have no final
    /// figures. Their bytes have to live as long as this
    MachineCode(std::vector<image::FatBinary> binaries, std::uint32_t gpu);

    /// @returns null where there is no machine code for the GPU, or it cannot be read
    [[nodiscard]] const MachineKernel* find(std::string_view mangled_name);

private:
    void read();

    std::vector<image::FatBinary> binaries_;
    std::uint32_t gpu_;
    bool is_read_ = false;
    std::map<std::string, MachineKernel, std::less<>> kernels_;
};

}  // namespace wideload::gpu

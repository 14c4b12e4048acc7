// SPDX-License-Identifier: Apache-2.0
#include "gpu/machine_code.h"

#include <utility>

#include "image/decompress.h"
#include "image/select.h"

namespace wideload::gpu {
namespace {

/// Above any program's own; a made-up size must not cost the program its memory.
constexpr std::uint64_t kMostCubinBytes = std::uint64_t{256} << 20;

Result<std::vector<image::CubinKernel>> kernels_of(const image::Entry& entry) {
    if (entry.compression == image::Compression::none) return image::read_cubin(entry.payload);
    const auto bytes = image::decompress(entry, kMostCubinBytes);
    if (!bytes) return bytes.errors();
    return image::read_cubin({*bytes, entry.payload.input});
}

}  // namespace

MachineCode::MachineCode(std::vector<image::FatBinary> binaries, std::uint32_t gpu)
    : binaries_(std::move(binaries)), gpu_(gpu) {}

const MachineKernel* MachineCode::find(std::string_view mangled_name) {
    if (!std::exchange(is_read_, true)) read();
    const auto found = kernels_.find(mangled_name);
    return found == kernels_.end() ? nullptr : &found->second;
}

void MachineCode::read() {
    for (const image::FatBinary& binary : binaries_) {
        if (binary.relocatable) continue;
        const image::Entry* entry = image::select_cubin(binary, gpu_);
        if (entry == nullptr) continue;
        // What cannot be read is as good as absent: the PTX, which runs, does without it.
        auto kernels = kernels_of(*entry);
        if (!kernels) continue;
        for (image::CubinKernel& kernel : *kernels) {
            std::string name = kernel.name;
            kernels_.try_emplace(std::move(name), MachineKernel{std::move(kernel), entry->arch});
        }
    }
    binaries_.clear();
}

}  // namespace wideload::gpu

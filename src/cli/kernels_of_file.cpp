// SPDX-License-Identifier: Apache-2.0
#include "cli/kernels_of_file.h"

#include <fmt/format.h>

#include <set>
#include <utility>

#include "image/decompress.h"
#include "image/program.h"
#include "image/select.h"

namespace wideload::cli {
namespace {

/// "sm_80, compute_90"
std::string targets_words(const std::vector<image::FatBinary>& binaries) {
    std::set<std::string> targets;
    for (const image::FatBinary& binary : binaries) {
        for (const image::Entry& entry : binary.entries) targets.insert(entry.target_name());
    }
    return fmt::format("{}", fmt::join(targets, ", "));
}

Diagnostic no_machine_code(const std::filesystem::path& file, const arch::Device& device,
                           const std::vector<image::FatBinary>& binaries) {
    const std::uint32_t number = device.capability.number();
    return failure_in(file.string(),
                      fmt::format("holds no kernel as machine code for {} (sm_{}), only {}",
                                  device.name, number, targets_words(binaries)),
                      fmt::format("build it with -arch=sm_{}, or choose another --gpu", number));
}

}  // namespace

Result<std::vector<image::CubinKernel>> kernels_of_file(const std::filesystem::path& file,
                                                        const arch::Device& device) {
    const Result<std::vector<image::FatBinary>> binaries = image::read_file(file);
    if (!binaries) return binaries.errors();
    std::vector<image::CubinKernel> kernels;
    std::set<std::string> names;
    for (const image::FatBinary& binary : *binaries) {
        const image::Entry* entry = image::select_cubin(binary, device.capability.number());
        if (entry == nullptr) continue;
        const auto cubin = image::decompress(*entry);
        if (!cubin) return cubin.errors();
        Result<std::vector<image::CubinKernel>> found =
            image::read_cubin({.data = *cubin, .input = binary.name});
        if (!found) return found.errors();
        for (image::CubinKernel& kernel : *found) {
            if (names.insert(kernel.name).second) kernels.push_back(std::move(kernel));
        }
    }
    if (kernels.empty()) return no_machine_code(file, device, *binaries);
    return kernels;
}

}  // namespace wideload::cli

// SPDX-License-Identifier: Apache-2.0
#include "cli/kernels_of_file.h"

#include <fmt/format.h>

#include <set>
#include <utility>

#include "sass/cubin_of.h"

namespace wideload::cli {
namespace {

Diagnostic nothing_found(const std::filesystem::path& file, const arch::Device& device,
                         const std::string& held) {
    const std::uint32_t number = device.capability.number();
    return failure_in(file.string(),
                      fmt::format("has no kernel that runs on {} (sm_{}); it holds {}", device.name,
                                  number, held),
                      fmt::format("build it with -arch=sm_{}, or choose another --gpu", number));
}

}  // namespace

Result<std::vector<image::CubinKernel>> kernels_of_file(
    const std::filesystem::path& file, const arch::Device& device,
    const std::vector<std::string>& nvcc_flags) {
    sass::CubinOptions options;
    options.target = {device.capability.number(), '\0'};
    options.target_is_asked = true;
    options.nvcc_flags = nvcc_flags;
    std::vector<image::CubinKernel> kernels;
    std::set<std::string> names;
    const auto look = [&](const sass::Cubin& cubin) -> Result<bool> {
        auto found = image::read_cubin({cubin.bytes, cubin.name});
        if (!found) return found.errors();
        for (image::CubinKernel& kernel : *found) {
            if (names.insert(kernel.name).second) kernels.push_back(std::move(kernel));
        }
        return !found->empty();
    };
    std::string held;
    if (Diagnostics problems = sass::for_each_cubin(file, options, look, held); !problems.empty())
        return problems;
    if (kernels.empty()) return nothing_found(file, device, held);
    return kernels;
}

}  // namespace wideload::cli

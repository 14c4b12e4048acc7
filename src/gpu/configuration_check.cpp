// SPDX-License-Identifier: Apache-2.0
#include "gpu/configuration_check.h"

#include <fmt/format.h>

#include "arch/occupancy.h"

namespace wideload::gpu {
namespace {

bool refuse(LaunchOutcome& outcome, Fault fault, std::string message, std::string hint = {}) {
    outcome.fault = fault;
    outcome.diagnostic = failure(std::move(message), std::move(hint));
    return false;
}

std::string spell(const Dim3& size) { return fmt::format("({},{},{})", size[0], size[1], size[2]); }

}  // namespace

std::uint64_t resident_blocks(const Kernel& kernel, const LaunchConfiguration& configuration,
                              const arch::Device& device) {
    const KernelAttributes& known = attributes(kernel);
    arch::BlockResources resources =
        known.block(static_cast<std::uint32_t>(volume(configuration.block)),
                    configuration.dynamic_shared_bytes);
    // An estimate must not refuse what a GPU would run.
    if (known.binary_target == 0) resources.registers = 0;
    return std::uint64_t{arch::occupancy(device, resources).blocks} * device.multiprocessors;
}

bool check_configuration(const Kernel& kernel, const LaunchConfiguration& configuration,
                         const arch::Device& device, LaunchOutcome& outcome) {
    const std::string launch = fmt::format("kernel '{}' cannot be launched", kernel.title);
    if (kernel.unsupported) {
        outcome.fault = Fault::unsupported;
        outcome.diagnostic = *kernel.unsupported;
        return false;
    }
    for (std::size_t d = 0; d < 3; ++d) {
        if (configuration.grid[d] == 0 || configuration.block[d] == 0 ||
            configuration.grid[d] > arch::kMaxGridDimension[d] ||
            configuration.block[d] > arch::kMaxBlockDimension[d]) {
            return refuse(
                outcome, Fault::invalid_configuration,
                fmt::format("{}: grid {} of blocks {}", launch, spell(configuration.grid),
                            spell(configuration.block)),
                fmt::format("dimensions lie between 1 and {} for grids, {} for blocks",
                            spell({arch::kMaxGridDimension[0], arch::kMaxGridDimension[1],
                                   arch::kMaxGridDimension[2]}),
                            spell({arch::kMaxBlockDimension[0], arch::kMaxBlockDimension[1],
                                   arch::kMaxBlockDimension[2]})));
        }
    }
    const std::uint64_t threads = volume(configuration.block);
    std::uint64_t most = arch::kMaxThreadsPerBlock;
    if (kernel.function->max_threads) most = volume(*kernel.function->max_threads);
    if (kernel.function->required_threads) most = volume(*kernel.function->required_threads);
    if (threads > most) {
        return refuse(outcome, Fault::invalid_configuration,
                      fmt::format("{} with {} threads a block", launch, threads),
                      fmt::format("it takes {} at most", most));
    }
    const KernelAttributes& known = attributes(kernel);
    if (threads > known.max_threads_per_block) {
        return refuse(outcome, Fault::out_of_resources,
                      fmt::format("{} with {} threads a block of {} registers each", launch,
                                  threads, known.registers),
                      fmt::format("it takes {} threads at most; __launch_bounds__({}) has the "
                                  "compiler use fewer registers",
                                  known.max_threads_per_block, threads));
    }
    const std::uint64_t shared = known.static_shared_bytes + configuration.dynamic_shared_bytes;
    const std::uint64_t shared_limit = device.limits().shared_bytes_per_block_optin;
    if (shared > shared_limit) {
        return refuse(outcome, Fault::invalid_configuration,
                      fmt::format("{} with {} bytes of shared memory", launch, shared),
                      fmt::format("a block of this GPU has {} at most", shared_limit));
    }
    if (configuration.cooperative &&
        volume(configuration.grid) > resident_blocks(kernel, configuration, device)) {
        return refuse(
            outcome, Fault::out_of_resources,
            fmt::format("{} cooperatively with {} blocks", launch, volume(configuration.grid)),
            fmt::format("{} of them are resident at once on this GPU",
                        resident_blocks(kernel, configuration, device)));
    }
    return true;
}

}  // namespace wideload::gpu

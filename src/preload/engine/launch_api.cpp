// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <vector>

#include "preload/engine/api.h"
#include "preload/engine/call.h"
#include "preload/engine/console.h"
#include "preload/engine/kernel_arguments.h"
#include "preload/engine/work.h"
#include "profile/demangle.h"

namespace wideload::preload::api {
namespace {

/// What `<<<...>>>` says, between its evaluation and the launch stub that it calls.
struct CallConfiguration {
    Dimensions grid, block;
    std::size_t shared_bytes;
    Stream* stream;
};
thread_local std::vector<CallConfiguration> call_configurations;

Error launch(const void* function, Dimensions grid, Dimensions block, void** arguments,
             std::size_t shared_bytes, Stream* stream, bool cooperative) {
    return gpu_call([&](Context& own, gpu::Gpu&) {
        KernelWork work;
        work.kernel = own.registry.find_kernel(function);
        work.configuration.grid = {grid.x, grid.y, grid.z};
        work.configuration.block = {block.x, block.y, block.z};
        work.configuration.dynamic_shared_bytes = shared_bytes;
        work.configuration.cooperative = cooperative;
        if (const Error error = pack_arguments(own, work.kernel, arguments, work.parameters))
            return error;
        return enqueue(own, stream, std::move(work));
    });
}

/// Says so at the first such launch.
Error refuse_cluster(const void* function, const Dimensions& cluster) {
    Context& own = context();
    const std::lock_guard lock(own.mutex);
    own.note_use();
    const KernelRegistration* registration = own.registry.find_kernel(function);
    const std::string kernel =
        registration == nullptr ? "a kernel" : profile::demangle_briefly(registration->name);
    static const bool told =
        (say(fmt::format("{} was launched in clusters of {} blocks, which the virtual GPU does not "
                         "run: the launch returned cudaErrorNotSupported",
                         kernel, cluster.x * cluster.y * cluster.z)),
         true);
    static_cast<void>(told);
    own.recorder.add_unsupported_call("cudaLaunchKernelExC",
                                      "clusters of blocks do not run on the virtual GPU");
    return remember(cudaErrorNotSupported);
}

Error launch_configured(const LaunchConfig& config, Stream* stream, const void* function,
                        void** arguments) {
    bool cooperative = false;
    for (unsigned i = 0; i < config.attribute_count; ++i) {
        const LaunchAttribute& attribute = config.attributes[i];
        if (attribute.id == LaunchAttribute::kCooperative)
            cooperative = attribute.value.cooperative != 0;
        const Dimensions& cluster = attribute.value.cluster;
        // Clusters of one block are what every launch has.
        if (attribute.id == LaunchAttribute::kClusterDimension &&
            cluster.x * cluster.y * cluster.z > 1) {
            return refuse_cluster(function, cluster);
        }
    }
    return launch(function, config.grid, config.block, arguments, config.dynamic_shared_bytes,
                  stream, cooperative);
}

}  // namespace

unsigned __cudaPushCallConfiguration(Dimensions grid, Dimensions block, std::size_t shared_bytes,
                                     Stream* stream) {
    call_configurations.push_back({grid, block, shared_bytes, stream});
    return 0;
}

Error __cudaPopCallConfiguration(Dimensions* grid, Dimensions* block, std::size_t* shared_bytes,
                                 void* stream) {
    if (call_configurations.empty()) return remember(cudaErrorMissingConfiguration);
    const CallConfiguration& configuration = call_configurations.back();
    *grid = configuration.grid;
    *block = configuration.block;
    *shared_bytes = configuration.shared_bytes;
    *static_cast<Stream**>(stream) = configuration.stream;
    call_configurations.pop_back();
    return cudaSuccess;
}

Error __cudaGetKernel(KernelRegistration** kernel, const void* function) {
    Context& own = context();
    const std::lock_guard lock(own.mutex);
    *kernel = own.registry.find_kernel(function);
    return *kernel != nullptr ? cudaSuccess : remember(cudaErrorInvalidDeviceFunction);
}

Error __cudaLaunchKernel(KernelRegistration* kernel, Dimensions grid, Dimensions block,
                         void** arguments, std::size_t shared_bytes, Stream* stream) {
    return launch(kernel, grid, block, arguments, shared_bytes, stream, false);
}

Error cudaLaunchKernel(const void* function, Dimensions grid, Dimensions block, void** arguments,
                       std::size_t shared_bytes, Stream* stream) {
    return launch(function, grid, block, arguments, shared_bytes, stream, false);
}

Error cudaLaunchCooperativeKernel(const void* function, Dimensions grid, Dimensions block,
                                  void** arguments, std::size_t shared_bytes, Stream* stream) {
    return launch(function, grid, block, arguments, shared_bytes, stream, true);
}

Error cudaLaunchKernelExC(const LaunchConfig* config, const void* function, void** arguments) {
    if (config == nullptr) return remember(cudaErrorInvalidConfiguration);
    return launch_configured(*config, config->stream, function, arguments);
}

Error cudaLaunchKernelExC_ptsz(const LaunchConfig* config, const void* function, void** arguments) {
    if (config == nullptr) return remember(cudaErrorInvalidConfiguration);
    Stream* stream = config->stream != nullptr ? config->stream : kPerThreadStream;
    return launch_configured(*config, stream, function, arguments);
}

}  // namespace wideload::preload::api

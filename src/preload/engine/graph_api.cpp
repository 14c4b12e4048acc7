// SPDX-License-Identifier: Apache-2.0
#include "preload/engine/api.h"
#include "preload/engine/call.h"
#include "preload/engine/graph.h"
#include "preload/engine/kernel_arguments.h"

namespace wideload::preload::api {
namespace {

// cudaGraphNodeType, by the alternative of Work.
constexpr int kNodeTypes[] = {/*empty*/ 5, /*kernel*/ 0, /*copy*/ 1,  /*fill*/ 2,
                              /*host*/ 3,  /*event*/ 7,  /*graph*/ 4, /*free*/ 11};

/// Adds checked work to a graph.
template <class OneWork>
Error add(Context& own, GraphNode** node, Graph* graph, GraphNode* const* dependencies,
          std::size_t count, OneWork work) {
    if (node == nullptr || graph == nullptr) return cudaErrorInvalidValue;
    for (std::size_t i = 0; i < count; ++i) {
        if (!graph->contains(dependencies[i])) return cudaErrorInvalidValue;
    }
    if constexpr (requires { check(own, work); }) {
        if (const Error error = check(own, work)) return error;
    }
    *node = graph->add(std::move(work), {dependencies, dependencies + count});
    return cudaSuccess;
}

Error kernel_work(Context& own, const KernelNodeParameters& parameters, KernelWork& work) {
    work.kernel = own.registry.find_kernel(parameters.function);
    work.configuration.grid = {parameters.grid.x, parameters.grid.y, parameters.grid.z};
    work.configuration.block = {parameters.block.x, parameters.block.y, parameters.block.z};
    work.configuration.dynamic_shared_bytes = parameters.shared_bytes;
    if (const Error error = pack_arguments(own, work.kernel, parameters.arguments, work.parameters))
        return error;
    return check(own, work);
}

CopyWork linear_copy(void* destination, const void* source, std::size_t bytes, CopyKind kind) {
    CopyWork work;
    work.destination.address = reinterpret_cast<std::uint64_t>(destination);
    work.source.address = reinterpret_cast<std::uint64_t>(source);
    work.extent.width = bytes;
    work.kind = kind;
    return work;
}

Error set_kernel(Context& own, GraphNode& node, const KernelNodeParameters& parameters) {
    const auto* known = std::get_if<KernelWork>(&node.work);
    if (known == nullptr) return cudaErrorInvalidValue;
    KernelWork work;
    work.configuration.cooperative = known->configuration.cooperative;
    if (const Error error = kernel_work(own, parameters, work)) return error;
    node.work = std::move(work);
    return cudaSuccess;
}

std::vector<GraphNode*> roots_of(const Graph& graph) {
    std::vector<GraphNode*> roots;
    for (const auto& node : graph.nodes) {
        if (node->dependencies.empty()) roots.push_back(node.get());
    }
    return roots;
}

/// Fills the caller's array, or says how long it would have to be.
Error list_nodes(const std::vector<GraphNode*>& found, GraphNode** nodes, std::size_t* count) {
    if (count == nullptr) return cudaErrorInvalidValue;
    if (nodes != nullptr) {
        for (std::size_t i = 0; i < *count; ++i) nodes[i] = i < found.size() ? found[i] : nullptr;
    }
    *count = nodes != nullptr ? std::min(*count, found.size()) : found.size();
    return cudaSuccess;
}

bool same_shape(const Graph& a, const Graph& b) {
    if (a.nodes.size() != b.nodes.size()) return false;
    for (std::size_t i = 0; i < a.nodes.size(); ++i) {
        if (a.nodes[i]->work.index() != b.nodes[i]->work.index()) return false;
    }
    return true;
}

/// Returns when no launch of the executable graph is under way any more: its nodes are about to
/// change.
void leave_alone(const GraphExecutable* executable) {
    std::vector<TaskHandle> launches = context().tasks.unfinished();
    std::erase_if(launches, [&](const TaskHandle& task) {
        const auto* graph = std::get_if<GraphWork>(&task->work);
        return graph == nullptr || graph->graph != executable->graph;
    });
    context().tasks.wait(launches);
}

}  // namespace

Error cudaGraphCreate(Graph** graph, unsigned) {
    return gpu_call([&](Context&, gpu::Gpu&) {
        *graph = new Graph;
        return cudaSuccess;
    });
}

Error cudaGraphDestroy(Graph* graph) {
    return gpu_call([&](Context&, gpu::Gpu&) {
        delete graph;
        return cudaSuccess;
    });
}

Error cudaGraphClone(Graph** clone, Graph* original) {
    return gpu_call([&](Context&, gpu::Gpu&) {
        *clone = copy(*original, nullptr).release();
        return cudaSuccess;
    });
}

Error cudaGraphAddKernelNode(GraphNode** node, Graph* graph, GraphNode* const* dependencies,
                             std::size_t count, const KernelNodeParameters* parameters) {
    return gpu_call([&](Context& own, gpu::Gpu&) {
        KernelWork work;
        if (const Error error = kernel_work(own, *parameters, work)) return error;
        return add(own, node, graph, dependencies, count, std::move(work));
    });
}

Error cudaGraphAddMemcpyNode(GraphNode** node, Graph* graph, GraphNode* const* dependencies,
                             std::size_t count, const Copy3DParameters* parameters) {
    return gpu_call([&](Context& own, gpu::Gpu&) {
        if (parameters->source_array != nullptr || parameters->destination_array != nullptr) {
            return cudaErrorInvalidValue;
        }
        const auto side = [](const PitchedPointer& pointer, const Position& at) {
            const std::size_t slice = pointer.pitch * pointer.y_size;
            return CopyWork::Side{reinterpret_cast<std::uint64_t>(pointer.pointer) + at.z * slice +
                                      at.y * pointer.pitch + at.x,
                                  pointer.pitch, slice};
        };
        return add(own, node, graph, dependencies, count,
                   CopyWork{side(parameters->destination, parameters->destination_position),
                            side(parameters->source, parameters->source_position),
                            parameters->extent, parameters->kind});
    });
}

Error cudaGraphAddMemcpyNode1D(GraphNode** node, Graph* graph, GraphNode* const* dependencies,
                               std::size_t count, void* destination, const void* source,
                               std::size_t bytes, CopyKind kind) {
    return gpu_call([&](Context& own, gpu::Gpu&) {
        return add(own, node, graph, dependencies, count,
                   linear_copy(destination, source, bytes, kind));
    });
}

Error cudaGraphAddMemsetNode(GraphNode** node, Graph* graph, GraphNode* const* dependencies,
                             std::size_t count, const MemsetNodeParameters* parameters) {
    return gpu_call([&](Context& own, gpu::Gpu&) {
        const unsigned element = parameters->element_bytes;
        if (element != 1 && element != 2 && element != 4) return cudaErrorInvalidValue;
        FillWork work;
        work.destination = {reinterpret_cast<std::uint64_t>(parameters->destination),
                            parameters->pitch, 0};
        work.extent = {parameters->width * element, parameters->height, 1};
        work.value = parameters->value;
        work.element_bytes = element;
        return add(own, node, graph, dependencies, count, work);
    });
}

Error cudaGraphAddHostNode(GraphNode** node, Graph* graph, GraphNode* const* dependencies,
                           std::size_t count, const HostNodeParameters* parameters) {
    return gpu_call([&](Context& own, gpu::Gpu&) {
        const HostNodeParameters host = *parameters;
        return add(own, node, graph, dependencies, count,
                   HostWork{[host] { host.function(host.data); }});
    });
}

Error cudaGraphAddEmptyNode(GraphNode** node, Graph* graph, GraphNode* const* dependencies,
                            std::size_t count) {
    return gpu_call([&](Context& own, gpu::Gpu&) {
        return add(own, node, graph, dependencies, count, EmptyWork{});
    });
}

Error cudaGraphAddChildGraphNode(GraphNode** node, Graph* graph, GraphNode* const* dependencies,
                                 std::size_t count, Graph* child) {
    return gpu_call([&](Context& own, gpu::Gpu&) {
        if (child == nullptr) return cudaErrorInvalidValue;
        return add(own, node, graph, dependencies, count, GraphWork{copy(*child, nullptr)});
    });
}

Error cudaGraphAddDependencies(Graph* graph, GraphNode* const* from, GraphNode* const* to,
                               const void*, std::size_t count) {
    return gpu_call([&](Context&, gpu::Gpu&) {
        for (std::size_t i = 0; i < count; ++i) {
            if (!graph->contains(from[i]) || !graph->contains(to[i])) return cudaErrorInvalidValue;
        }
        for (std::size_t i = 0; i < count; ++i) to[i]->dependencies.push_back(from[i]);
        return cudaSuccess;
    });
}

Error cudaGraphAddDependencies_12(Graph* graph, GraphNode* const* from, GraphNode* const* to,
                                  std::size_t count) {
    return cudaGraphAddDependencies(graph, from, to, nullptr, count);
}

Error cudaGraphGetNodes(Graph* graph, GraphNode** nodes, std::size_t* count) {
    return gpu_call([&](Context&, gpu::Gpu&) {
        std::vector<GraphNode*> all;
        for (const auto& node : graph->nodes) all.push_back(node.get());
        return list_nodes(all, nodes, count);
    });
}

Error cudaGraphGetRootNodes(Graph* graph, GraphNode** nodes, std::size_t* count) {
    return gpu_call(
        [&](Context&, gpu::Gpu&) { return list_nodes(roots_of(*graph), nodes, count); });
}

Error cudaGraphNodeGetType(GraphNode* node, int* type) {
    return gpu_call([&](Context&, gpu::Gpu&) {
        *type = kNodeTypes[node->work.index()];
        return cudaSuccess;
    });
}

Error cudaGraphKernelNodeGetParams(GraphNode* node, KernelNodeParameters* parameters) {
    return gpu_call([&](Context& own, gpu::Gpu&) {
        auto* work = std::get_if<KernelWork>(&node->work);
        if (work == nullptr) return cudaErrorInvalidValue;
        node->arguments.clear();
        if (const Error error = find_arguments(own, *work, node->arguments)) return error;
        const gpu::LaunchConfiguration& launch = work->configuration;
        *parameters = {work->kernel->host_function,
                       {launch.grid[0], launch.grid[1], launch.grid[2]},
                       {launch.block[0], launch.block[1], launch.block[2]},
                       static_cast<unsigned>(launch.dynamic_shared_bytes),
                       node->arguments.data(),
                       nullptr};
        return cudaSuccess;
    });
}

Error cudaGraphKernelNodeSetParams(GraphNode* node, const KernelNodeParameters* parameters) {
    return gpu_call([&](Context& own, gpu::Gpu&) { return set_kernel(own, *node, *parameters); });
}

Error cudaGraphInstantiate(GraphExecutable** executable, Graph* graph, unsigned long long) {
    return gpu_call([&](Context&, gpu::Gpu&) {
        if (executable == nullptr || graph == nullptr) return cudaErrorInvalidValue;
        auto created = std::make_unique<GraphExecutable>();
        created->graph = copy(*graph, &created->originals);
        if (created->graph->nodes.size() != graph->nodes.size()) return cudaErrorInvalidValue;
        *executable = created.release();
        return cudaSuccess;
    });
}

Error cudaGraphInstantiateWithFlags(GraphExecutable** executable, Graph* graph,
                                    unsigned long long flags) {
    return cudaGraphInstantiate(executable, graph, flags);
}

Error cudaGraphInstantiateWithParams(GraphExecutable** executable, Graph* graph,
                                     GraphInstantiateParameters* parameters) {
    if (parameters == nullptr) return remember(cudaErrorInvalidValue);
    const Error error = cudaGraphInstantiate(executable, graph, parameters->flags);
    parameters->error_node = nullptr;
    parameters->result =
        error == cudaSuccess ? 0 : 1;  // cudaGraphInstantiateSuccess, cudaGraphInstantiateError
    return error;
}

Error cudaGraphExecDestroy(GraphExecutable* executable) {
    return gpu_call([&](Context&, gpu::Gpu&) {
        delete executable;
        return cudaSuccess;
    });
}

Error cudaGraphExecKernelNodeSetParams(GraphExecutable* executable, GraphNode* node,
                                       const KernelNodeParameters* parameters) {
    leave_alone(executable);
    return gpu_call([&](Context& own, gpu::Gpu&) {
        GraphNode* copied = executable->copy_of(node);
        return copied != nullptr ? set_kernel(own, *copied, *parameters) : cudaErrorInvalidValue;
    });
}

Error cudaGraphExecMemcpyNodeSetParams1D(GraphExecutable* executable, GraphNode* node,
                                         void* destination, const void* source, std::size_t bytes,
                                         CopyKind kind) {
    leave_alone(executable);
    return gpu_call([&](Context& own, gpu::Gpu&) {
        GraphNode* copied = executable->copy_of(node);
        if (copied == nullptr || !std::holds_alternative<CopyWork>(copied->work))
            return cudaErrorInvalidValue;
        const CopyWork work = linear_copy(destination, source, bytes, kind);
        if (const Error error = check(own, work)) return error;
        copied->work = work;
        return cudaSuccess;
    });
}

Error cudaGraphExecUpdate(GraphExecutable* executable, Graph* graph, GraphUpdateResult* result) {
    return gpu_call([&](Context&, gpu::Gpu&) {
        std::vector<const GraphNode*> originals;
        std::shared_ptr<Graph> updated = copy(*graph, &originals);
        constexpr int kSuccess = 0, kTopologyChanged = 2;
        const bool same = same_shape(*executable->graph, *updated);
        if (result != nullptr) *result = {same ? kSuccess : kTopologyChanged, nullptr, nullptr};
        if (!same) return cudaErrorGraphExecUpdateFailure;
        executable->graph = std::move(updated);
        executable->originals = std::move(originals);
        return cudaSuccess;
    });
}

Error cudaGraphUpload(GraphExecutable*, Stream*) {
    return gpu_call([](Context&, gpu::Gpu&) { return cudaSuccess; });
}

Error cudaGraphLaunch(GraphExecutable* executable, Stream* stream) {
    return gpu_call([&](Context& own, gpu::Gpu&) {
        if (executable == nullptr) return cudaErrorInvalidValue;
        return enqueue(own, stream, GraphWork{executable->graph});
    });
}

}  // namespace wideload::preload::api

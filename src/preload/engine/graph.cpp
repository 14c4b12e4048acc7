// SPDX-License-Identifier: Apache-2.0
#include "preload/engine/graph.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "preload/engine/context.h"

namespace wideload::preload {

GraphNode* Graph::add(Work work, std::vector<GraphNode*> dependencies) {
    nodes.push_back(std::make_unique<GraphNode>());
    GraphNode* node = nodes.back().get();
    node->graph = this;
    node->work = std::move(work);
    node->dependencies = std::move(dependencies);
    return node;
}

bool Graph::contains(const GraphNode* node) const {
    return std::any_of(nodes.begin(), nodes.end(),
                       [&](const auto& own) { return own.get() == node; });
}

std::vector<GraphNode*> Graph::in_order() const {
    std::vector<GraphNode*> order;
    std::unordered_set<const GraphNode*> done;
    const auto ready = [&](const GraphNode& node) {
        return std::all_of(node.dependencies.begin(), node.dependencies.end(),
                           [&](const GraphNode* other) { return done.contains(other); });
    };
    for (bool progress = true; progress;) {
        progress = false;
        for (const auto& node : nodes) {
            if (done.contains(node.get()) || !ready(*node)) continue;
            done.insert(node.get());
            order.push_back(node.get());
            progress = true;
        }
    }
    return order;
}

GraphNode* GraphExecutable::copy_of(const GraphNode* original) const {
    const auto found = std::find(originals.begin(), originals.end(), original);
    return found == originals.end()
               ? nullptr
               : graph->nodes[static_cast<std::size_t>(found - originals.begin())].get();
}

std::unique_ptr<Graph> copy(const Graph& graph, std::vector<const GraphNode*>* originals) {
    auto result = std::make_unique<Graph>();
    std::unordered_map<const GraphNode*, GraphNode*> copies;
    for (const GraphNode* node : graph.in_order()) {
        std::vector<GraphNode*> dependencies;
        for (const GraphNode* other : node->dependencies) dependencies.push_back(copies.at(other));
        copies.emplace(node, result->add(node->work, std::move(dependencies)));
        if (originals != nullptr) originals->push_back(node);
    }
    return result;
}

Error run(Context& context, const Stream& stream, const GraphWork& work) {
    for (const auto& node : work.graph->nodes) {
        if (const Error error = run(context, stream, node->work)) return error;
    }
    return cudaSuccess;
}

}  // namespace wideload::preload

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "preload/engine/work.h"

namespace wideload::preload {

struct GraphNode {
    Graph* graph = nullptr;
    Work work;
    std::vector<GraphNode*> dependencies;
    std::vector<void*> arguments;  ///< in `work`, once cudaGraphKernelNodeGetParams was asked
};

/// Work and the order that it needs.
struct Graph {
    std::vector<std::unique_ptr<GraphNode>> nodes;

    GraphNode* add(Work work, std::vector<GraphNode*> dependencies);
    [[nodiscard]] bool contains(const GraphNode* node) const;
    /// Every node after those that it depends on, otherwise as added; shorter than `nodes` where
    /// dependencies form a cycle.
    [[nodiscard]] std::vector<GraphNode*> in_order() const;
};

/// A copy of a graph, so that the original may change. `originals` are its nodes, in the order of
/// the copy's.
struct GraphExecutable {
    std::shared_ptr<Graph> graph;
    std::vector<const GraphNode*> originals;

    /// The node that was copied from `original`, or null.
    [[nodiscard]] GraphNode* copy_of(const GraphNode* original) const;
};

/// A graph with copies of the nodes, in order of execution; `originals`, where wanted, gets what
/// each was copied from.
[[nodiscard]] std::unique_ptr<Graph> copy(const Graph& graph,
                                          std::vector<const GraphNode*>* originals);

}  // namespace wideload::preload

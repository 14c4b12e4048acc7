// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <functional>
#include <queue>

#include "simt/blocks.h"

namespace wideload::simt {
namespace {

constexpr std::uint32_t kNone = ~0u;

/// One strongly connected component, lowest block first.
using Component = std::vector<BlockId>;

class Orderer {
public:
    explicit Orderer(const std::vector<Block>& blocks)
        : blocks_(blocks), is_header_(blocks.size(), 0), region_(blocks.size(), 0) {}

    std::vector<BlockId> run() {
        std::vector<BlockId> all(blocks_.size());
        for (BlockId b = 0; b < all.size(); ++b) all[b] = b;
        is_header_[0] = 1;  // the entry comes first even where a loop leads back to it
        order(all);
        return std::move(order_);
    }

private:
    /// Edges that count inside the region: not out of it, and not back to a header already taken.
    template <class Visit>
    void for_each_edge(BlockId from, std::uint32_t region, Visit visit) const {
        for (const BlockId to : blocks_[from].successors) {
            if (region_[to] == region && !is_header_[to]) visit(to);
        }
    }

    void order(const std::vector<BlockId>& nodes) {
        const std::uint32_t region = ++last_region_;
        for (const BlockId node : nodes) region_[node] = region;
        const std::vector<Component> components = find_components(nodes, region);
        for (const std::uint32_t c : sort_topologically(components, region)) {
            const Component& component = components[c];
            if (component.size() == 1) {
                order_.push_back(component[0]);
            } else {
                is_header_[find_header(component)] = 1;
                order(component);
            }
        }
    }

    /// The block through which the component is entered; of several the first in the text.
    BlockId find_header(const Component& component) const {
        std::vector<char> inside(blocks_.size(), 0);
        for (const BlockId b : component) inside[b] = 1;
        BlockId header = kNone;
        for (BlockId from = 0; from < blocks_.size(); ++from) {
            if (inside[from]) continue;
            for (const BlockId to : blocks_[from].successors) {
                if (inside[to] && !is_header_[to]) header = std::min(header, to);
            }
        }
        return header == kNone ? component[0] : header;
    }

    /// Tarjan's algorithm with a stack of its own: kernels of thousands of blocks must not overflow
    /// the host's.
    std::vector<Component> find_components(const std::vector<BlockId>& nodes,
                                           std::uint32_t region) {
        std::vector<Component> components;
        std::vector<std::uint32_t> index(blocks_.size(), kNone), low(blocks_.size(), kNone);
        std::vector<char> on_stack(blocks_.size(), 0);
        std::vector<BlockId> stack;
        struct Frame {
            BlockId node;
            std::size_t next;
            std::vector<BlockId> edges;
        };
        std::vector<Frame> frames;
        std::uint32_t counter = 0;
        component_of_.assign(blocks_.size(), kNone);

        const auto open = [&](BlockId node) {
            index[node] = low[node] = counter++;
            stack.push_back(node);
            on_stack[node] = 1;
            Frame frame{node, 0, {}};
            for_each_edge(node, region, [&](BlockId to) { frame.edges.push_back(to); });
            frames.push_back(std::move(frame));
        };
        const auto close = [&](BlockId node) {
            if (low[node] != index[node]) return;
            Component component;
            BlockId member = kNone;
            do {
                member = stack.back();
                stack.pop_back();
                on_stack[member] = 0;
                component_of_[member] = static_cast<std::uint32_t>(components.size());
                component.push_back(member);
            } while (member != node);
            std::sort(component.begin(), component.end());
            components.push_back(std::move(component));
        };

        for (const BlockId root : nodes) {
            if (index[root] != kNone) continue;
            open(root);
            while (!frames.empty()) {
                Frame& frame = frames.back();
                if (frame.next < frame.edges.size()) {
                    const BlockId to = frame.edges[frame.next++];
                    if (index[to] == kNone) {
                        open(to);
                    } else if (on_stack[to]) {
                        low[frame.node] = std::min(low[frame.node], index[to]);
                    }
                } else {
                    const BlockId node = frame.node;
                    close(node);
                    frames.pop_back();
                    if (!frames.empty()) {
                        BlockId parent = frames.back().node;
                        low[parent] = std::min(low[parent], low[node]);
                    }
                }
            }
        }
        return components;
    }

    /// Kahn's algorithm; of the components that are ready, the one that stands first in the text.
    std::vector<std::uint32_t> sort_topologically(const std::vector<Component>& components,
                                                  std::uint32_t region) const {
        std::vector<std::uint32_t> incoming(components.size(), 0);
        const auto for_each_outgoing = [&](std::uint32_t c, auto visit) {
            for (const BlockId from : components[c]) {
                for_each_edge(from, region, [&](BlockId to) {
                    if (component_of_[to] != c) visit(component_of_[to]);
                });
            }
        };
        for (std::uint32_t c = 0; c < components.size(); ++c) {
            for_each_outgoing(c, [&](std::uint32_t to) { ++incoming[to]; });
        }
        using Ready = std::pair<BlockId, std::uint32_t>;
        std::priority_queue<Ready, std::vector<Ready>, std::greater<>> ready;
        for (std::uint32_t c = 0; c < components.size(); ++c) {
            if (incoming[c] == 0) ready.emplace(components[c][0], c);
        }
        std::vector<std::uint32_t> sorted;
        while (!ready.empty()) {
            const std::uint32_t c = ready.top().second;
            ready.pop();
            sorted.push_back(c);
            for_each_outgoing(c, [&](std::uint32_t to) {
                if (--incoming[to] == 0) ready.emplace(components[to][0], to);
            });
        }
        return sorted;
    }

    const std::vector<Block>& blocks_;
    std::vector<char> is_header_;
    std::vector<std::uint32_t> region_;  ///< the innermost region that a block was put into
    std::uint32_t last_region_ = 0;
    std::vector<std::uint32_t> component_of_;
    std::vector<BlockId> order_;
};

}  // namespace

std::vector<Block> order_blocks(std::vector<Block> blocks) {
    const std::vector<BlockId> order = Orderer(blocks).run();
    std::vector<BlockId> number(blocks.size());
    for (BlockId position = 0; position < order.size(); ++position) {
        number[order[position]] = position;
    }
    std::vector<Block> ordered(blocks.size());
    for (BlockId b = 0; b < blocks.size(); ++b) {
        for (BlockId& next : blocks[b].successors) next = number[next];
        ordered[number[b]] = std::move(blocks[b]);
    }
    return ordered;
}

}  // namespace wideload::simt

// SPDX-License-Identifier: Apache-2.0
#include "gpu/launch_profile.h"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "counters/record.h"
#include "counters/row_sum.h"
#include "counters/rules.h"
#include "counters/static_pattern.h"
#include "profile/counter_names.h"
#include "profile/site_figures.h"
#include "ptx/operations.h"

namespace wideload::gpu {
namespace {

using counters::SiteRow;
using profile::SiteKind;

counters::Rule rule_of(SiteKind kind) {
    switch (kind) {
        case SiteKind::shared_ld:
            return counters::Rule::shared_load;
        case SiteKind::shared_st:
            return counters::Rule::shared_store;
        case SiteKind::local_ld:
        case SiteKind::local_st:
            return counters::Rule::local;
        default:
            return counters::Rule::global;
    }
}

/// Requests at one address that machine code counted, and the active lanes of them all. In global
/// and shared memory one lane's figures are every request's; in local memory each lane has its own
/// words there, and all lanes took part.
void fold_uniform(SiteRow& row, const jit::Site& site) {
    const std::uint64_t requests = row.static_classes[0].requests;
    const std::uint64_t lanes = row.static_classes[0].last_base;
    row.static_classes[0] = {};
    if (requests == 0) return;
    const counters::Rule rule = rule_of(site.kind);
    counters::Request request;
    request.mask = ~0u;
    request.bytes_per_lane = site.element_bytes * site.vector_width;
    const counters::Figures figures = counters::measure(request, rule);
    counters::add_figures(row, figures, requests);
    row.active_lanes += lanes - requests * figures.active_lanes;
}

/// Requests of full warps in two halves that machine code counted by their cost. Halves that lie
/// apart are no pattern.
void fold_halves(SiteRow& row, const jit::Site& site) {
    const bool shared = site.kind == SiteKind::shared_ld || site.kind == SiteKind::shared_st;
    for (std::uint32_t c = 0; c < row.static_classes.size(); ++c) {
        const std::uint64_t requests = std::exchange(row.static_classes[c].requests, 0);
        if (requests == 0) continue;
        const bool rows = shared ? c >= 2 : c + 1 > 2;
        counters::Figures figures;
        figures.active_lanes = jit::kLanes;
        figures.pattern.kind = counters::PatternKind::irregular;
        figures.distinct_bytes = (rows ? jit::kLanes : 2) * site.element_bytes;
        if (shared) {
            figures.wavefronts = c % 2 + 1;
            figures.ideal_wavefronts = 1;
        } else {
            figures.sectors = c + 1;
            figures.ideal_sectors = counters::ideal_sectors(figures.distinct_bytes);
        }
        counters::add_figures(row, figures, requests);
    }
}

bool is_shared(SiteKind kind) {
    return kind == SiteKind::shared_ld || kind == SiteKind::shared_st ||
           kind == SiteKind::shared_atom;
}

profile::Site describe_site(const Kernel& kernel, const jit::Site& site) {
    profile::Site out;
    out.opcode = site.instruction->mnemonic;
    out.kind = site.kind;
    out.element_bytes = site.element_bytes;
    out.vector_width = site.vector_width;
    out.ptx_line = site.instruction->ptx_line;
    out.frames = kernel.module->source_frames.of(*site.instruction);
    out.parameter = site.parameter;
    return out;
}

/// Copies of an instruction, where a function was inlined at several places, are one site, as the
/// instruction of a called function is.
class CopiesOfInstructions {
public:
    /// @param index that the instruction's figures would have
    /// @return the index of its first copy's
    std::size_t first_copy(const ptx::Function& function, const ptx::Instruction& instruction,
                           SiteKind kind, std::size_t index) {
        const Key key{&function,
                      instruction.ptx_line,
                      instruction.ptx_column,
                      instruction.location,
                      instruction.mnemonic,
                      kind};
        const auto first = first_.try_emplace(key, &instruction, index).first->second;
        // Several sites of one instruction are no copies.
        return first.first == &instruction ? index : first.second;
    }

private:
    using Key = std::tuple<const ptx::Function*, std::uint32_t, std::uint32_t, ptx::LocationId,
                           std::string_view, SiteKind>;
    std::map<Key, std::pair<const ptx::Instruction*, std::size_t>> first_;
};

void add_memory_sites(const Kernel& kernel, const jit::CompiledKernel& compiled,
                      const WorkerPool& pool, unsigned workers, profile::Launch& launch) {
    CopiesOfInstructions copies;
    std::vector<std::pair<const jit::Site*, SiteRow>> counted;
    for (std::size_t s = 0; s < compiled.tables.sites.size(); ++s) {
        const jit::Site& site = compiled.tables.sites[s];
        SiteRow total;
        for (unsigned w = 0; w < workers; ++w) {
            SiteRow row = pool.worker(w).sites()[s];
            // Before they are added up: where a class of other sites keeps a base, it keeps a sum.
            if (site.inline_counts == jit::Inline::uniform) fold_uniform(row, site);
            counters::add(total, row);
        }
        if (site.inline_counts == jit::Inline::pattern) {
            counters::fold(total, site.offsets, site.element_bytes * site.vector_width,
                           rule_of(site.kind));
        } else if (site.inline_counts == jit::Inline::halves) {
            fold_halves(total, site);
        }
        // A generic access has a site for each space; those it never reached are left out.
        const bool generic = site.instruction->space == ptx::Space::generic;
        if (generic && total.requests == 0) continue;
        // Hardware counts no shared access for an asynchronous copy.
        if (site.instruction->opcode == ptx::Opcode::cp && is_shared(site.kind)) continue;
        const std::size_t first =
            copies.first_copy(*site.function, *site.instruction, site.kind, counted.size());
        if (first == counted.size()) {
            counted.emplace_back(&site, total);
        } else {
            counters::add(counted[first].second, total);
        }
    }
    for (const auto& [site, total] : counted) {
        profile::Site out = describe_site(kernel, *site);
        profile::set_figures(out, total);
        launch.sites.own().push_back(std::move(out));
    }
}

/// Instructions by category of one basic block.
struct BlockMix {
    std::uint64_t instructions = 0;
    std::map<ptx::Category, std::uint64_t> by_category;
    std::array<std::uint64_t, ptx::kOperationTypes.size()> operations{};  ///< of one lane
};

BlockMix mix_of(const jit::BlockInfo& block) {
    BlockMix mix;
    for (std::uint32_t i = block.first; i < block.last; ++i) {
        const ptx::Instruction& instruction = block.function->body[i];
        if (instruction.added) continue;
        ++mix.instructions;
        ++mix.by_category[ptx::category(instruction)];
        const ptx::Operations done = ptx::operations(instruction);
        mix.operations[static_cast<std::size_t>(done.type)] += done.per_lane;
    }
    return mix;
}

void add_blocks(const Kernel& kernel, const jit::CompiledKernel& compiled, const WorkerPool& pool,
                unsigned workers, profile::Launch& launch) {
    profile::Counters& counters = launch.counters.own();
    std::vector<profile::Site>& sites = launch.sites.own();
    std::uint64_t instructions = 0, thread_instructions = 0, branches = 0, parted = 0;
    std::array<std::uint64_t, ptx::kOperationTypes.size()> operations{};
    CopiesOfInstructions copies;
    for (std::size_t b = 0; b < compiled.tables.blocks.size(); ++b) {
        const jit::BlockInfo& block = compiled.tables.blocks[b];
        jit::BlockRow total;
        for (unsigned w = 0; w < workers; ++w) {
            const jit::BlockRow& row = pool.worker(w).blocks()[b];
            total.executions += row.executions;
            total.lanes += row.lanes;
            total.parted += row.parted;
        }
        const BlockMix mix = mix_of(block);
        instructions += total.executions * mix.instructions;
        thread_instructions += total.lanes * mix.instructions;
        for (const auto& [category, count] : mix.by_category) {
            counters[std::string(profile::kThreadInstructionsPrefix) +
                     std::string(ptx::name(category))] += total.lanes * count;
        }
        for (const ptx::OperationType type : ptx::kOperationTypes) {
            operations[static_cast<std::size_t>(type)] +=
                total.lanes * mix.operations[static_cast<std::size_t>(type)];
        }
        if (!block.has_branch) continue;
        branches += total.executions;
        parted += total.parted;
        const ptx::Instruction& branch = block.function->body[block.last - 1];
        const std::size_t first =
            copies.first_copy(*block.function, branch, SiteKind::branch, sites.size());
        if (first == sites.size()) {
            profile::Site site;
            site.opcode = branch.mnemonic;
            site.kind = SiteKind::branch;
            site.ptx_line = branch.ptx_line;
            site.frames = kernel.module->source_frames.of(branch);
            sites.push_back(std::move(site));
        }
        profile::Site& site = sites[first];
        site.executions += total.executions;
        site.active_lanes = site.active_lanes.value_or(0) + total.lanes;
        site.divergent_executions = site.divergent_executions.value_or(0) + total.parted;
    }
    for (const ptx::OperationType type : ptx::kOperationTypes) {
        counters[std::string(ptx::name(type)) + std::string(profile::kOperationsSuffix)] =
            operations[static_cast<std::size_t>(type)];
    }
    counters[std::string(profile::kInstructions)] = instructions;
    counters[std::string(profile::kThreadInstructions)] = thread_instructions;
    counters[std::string(profile::kBranchExecutions)] = branches;
    counters[std::string(profile::kBranchDivergent)] = parted;
}

}  // namespace

void collect_counters(const Kernel& kernel, const jit::CompiledKernel& compiled,
                      const WorkerPool& pool, unsigned workers, profile::Launch& launch) {
    add_memory_sites(kernel, compiled, pool, workers, launch);
    profile::add_site_totals(launch.counters.own(), *launch.sites);
    add_blocks(kernel, compiled, pool, workers, launch);
    std::ranges::stable_sort(launch.sites.own(), {}, &profile::Site::ptx_line);
}

void add_touched_sectors(const WorkerPool& pool, unsigned workers, profile::Launch& launch) {
    counters::TouchedSectors all;
    for (unsigned w = 0; w < workers; ++w) all.add(pool.worker(w).touched());
    const counters::TouchedSectors::Totals totals = all.totals();
    profile::Counters& counters = launch.counters.own();
    counters[std::string(profile::kTouchedReadSectors)] = totals.read;
    counters[std::string(profile::kTouchedWriteSectors)] = totals.written;
}

}  // namespace wideload::gpu

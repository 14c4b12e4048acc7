// SPDX-License-Identifier: Apache-2.0
#include "gpu/worker.h"

#include <algorithm>
#include <cstring>
#include <thread>

namespace wideload::gpu {
namespace {

constexpr std::size_t kStackBytes = std::size_t{1} << 20;
/// Of the host's stack for a byte of a kernel's: the least frame of PTX, 32 bytes, is a call of
/// compiled code, which keeps a warp's registers.
constexpr std::size_t kStackBytesPerLocalByte = 1024;

std::size_t round_up(std::size_t bytes, std::size_t unit) {
    return (bytes + unit - 1) / unit * unit;
}

}  // namespace

/// A warp on a stack of its own.
struct Worker::WarpFiber {
    enum class State : std::uint8_t { ready, spinning, waiting, finished };

    ResidentBlock* block = nullptr;
    std::uint32_t warp = 0;
    State state = State::ready;
    std::uint32_t barrier = 0;  ///< waiting: at which
    std::uint64_t round = 0;    ///< waiting: until it has gone on from this one
    std::unique_ptr<Fiber> fiber;
};

/// A block whose warps run on fibers, and may wait for each other.
struct Worker::ResidentBlock {
    jit::BlockContext context;
    BlockBarriers barriers;
    std::vector<WarpFiber> warps;
    std::uint32_t live = 0;
    Buffer shared, local;
    Worker* worker = nullptr;
    StackPool* stacks = nullptr;  ///< that its fibers' are of
};

Worker::Worker() = default;
Worker::~Worker() = default;

StackPool& Worker::stacks() {
    const std::size_t bytes = kStackBytes +
                              round_up(grid_->stack_bytes * kStackBytesPerLocalByte, kStackBytes) +
                              round_up(grid_->kernel.host_stack_bytes, kStackBytes / 2);
    return stacks_.try_emplace(bytes, bytes).first->second;
}

bool Worker::prepare(Grid& grid) {
    grid_ = &grid;
    chunk_begin_ = chunk_end_ = 0;
    touched_.clear();
    const jit::KernelTables& tables = grid.kernel.tables;
    meetings_.start(tables.meetings);
    const std::size_t site_bytes = tables.sites.size() * sizeof(counters::SiteRow);
    const std::size_t block_bytes = tables.blocks.size() * sizeof(jit::BlockRow);
    sites_ = reinterpret_cast<counters::SiteRow*>(site_buffer_.at_least(site_bytes));
    blocks_ = reinterpret_cast<jit::BlockRow*>(block_buffer_.at_least(block_bytes));
    if (sites_ == nullptr || blocks_ == nullptr) return false;
    std::memset(static_cast<void*>(sites_), 0, site_bytes);
    std::memset(static_cast<void*>(blocks_), 0, block_bytes);
    return true;
}

/// All of a context that stays the same from block to block.
void Worker::fill(jit::BlockContext& context) {
    const LaunchConfiguration& configuration = grid_->configuration;
    context.parameters = grid_->parameters.data();
    context.parameter_bytes = grid_->parameters.size();
    context.sites = sites_;
    context.blocks = blocks_;
    context.poll = reinterpret_cast<const volatile std::uint32_t*>(&grid_->poll);
    context.shared_bytes = grid_->shared_bytes;
    context.local_bytes = grid_->local_bytes();
    context.origins = grid_->origins.data();
    context.tids = grid_->tids.data();
    context.tid_stride = grid_->warps * jit::kLanes;
    context.thread_count = grid_->threads;
    context.warp_count = grid_->warps;
    context.ntid = configuration.block;
    context.nctaid = configuration.grid;
    context.multiprocessor_count = grid_->multiprocessors;
    context.grid_id = grid_->grid_id;
    context.grid_workspace = grid_->workspace;
    context.dynamic_shared_bytes = static_cast<std::uint32_t>(configuration.dynamic_shared_bytes);
    context.total_shared_bytes = static_cast<std::uint32_t>(
        round_up(grid_->asked_shared_bytes, grid_->limits.shared_allocation_unit));
    context.reserved_shared_bytes = grid_->limits.shared_bytes_reserved_per_block;
    context.aggregate_shared_bytes =
        context.reserved_shared_bytes + static_cast<std::uint32_t>(grid_->asked_shared_bytes);
    context.exclusive = grid_->workers == 1;
    context.counting = grid_->counting;
    context.worker = static_cast<jit::Host*>(this);
}

void Worker::enter_block(jit::BlockContext& context, std::uint64_t linear) {
    context.linear_block = linear;
    context.short_meetings = 0;
    context.ctaid = block_index(linear, grid_->configuration.grid);
    context.multiprocessor = static_cast<std::uint32_t>(linear % grid_->multiprocessors);
}

bool Worker::next_block(std::uint64_t& linear) {
    if (chunk_begin_ == chunk_end_) {
        chunk_begin_ = grid_->next_block.fetch_add(grid_->chunk, std::memory_order_relaxed);
        if (chunk_begin_ >= grid_->blocks) {
            chunk_end_ = chunk_begin_;
            return false;
        }
        chunk_end_ = std::min(chunk_begin_ + grid_->chunk, grid_->blocks);
    }
    linear = chunk_begin_++;
    return true;
}

void Worker::run(Grid& grid, unsigned index) {
    index_ = index;
    if (!prepare(grid)) {
        grid.end(Stop::no_memory);
        return;
    }
    if (grid.kernel.needs_fibers) {
        run_with_fibers();
    } else {
        while (run_in_sequence()) grid.improve();
    }
    // Of warps that the launch's end cut off, lanes might have come yet.
    if (grid.stop.load(std::memory_order_relaxed) == Stop::none) meetings_.end_all();
    grid_ = nullptr;
}

bool Worker::improvement_is_due() const {
    return index_ == 0 && grid_->stop.load(std::memory_order_relaxed) == Stop::none &&
           grid_->improvement_is_due();
}

/// Warps that never wait run one after the other, block after block, on one fiber: it can be left
/// from anywhere. It ends early where better code is to be asked for: compiling takes a thread's
/// own stack. @return whether it did; blocks of the worker's chunk may be left then, even where no
/// other is
bool Worker::run_in_sequence() {
    const auto body = [](void* argument) {
        auto& worker = *static_cast<Worker*>(argument);
        Grid& grid = *worker.grid_;
        jit::BlockContext context;
        worker.fill(context);
        context.shared = worker.shared_buffer_.at_least(grid.shared_bytes + 64);
        // A warp's local memory is dead when the next one begins, so that all may use one place.
        context.local = worker.local_buffer_.at_least(grid.local_bytes() * jit::kLanes + 64);
        if (context.shared == nullptr || context.local == nullptr) {
            grid.end(Stop::no_memory);
            return;
        }
        std::uint64_t linear = 0;
        while (grid.stop.load(std::memory_order_relaxed) == Stop::none &&
               worker.next_block(linear)) {
            worker.enter_block(context, linear);
            grid.entry.load()(&context, 0, grid.warps);
            if (worker.improvement_is_due()) {
                worker.leaves_blocks_ = true;
                break;
            }
        }
    };
    leaves_blocks_ = false;
    Fiber fiber(stacks(), body, this);
    if (!fiber.valid()) {
        grid_->end(Stop::no_memory);
        return false;
    }
    running_ = &fiber;
    fiber.resume();
    running_ = nullptr;
    return leaves_blocks_;
}

/// Makes one more block resident. @return false where none is left, or there is no room
bool Worker::admit_block() {
    std::uint64_t linear = 0;
    if (!next_block(linear)) return false;
    std::unique_ptr<ResidentBlock> block;
    for (auto& candidate : idle_) {
        if (candidate->warps.size() == grid_->warps && candidate->stacks == &stacks()) {
            block = std::move(candidate);
            std::swap(candidate, idle_.back());
            idle_.pop_back();
            break;
        }
    }
    const auto body = [](void* argument) {
        auto& warp = *static_cast<WarpFiber*>(argument);
        ResidentBlock& own = *warp.block;
        own.worker->grid_->entry.load()(&own.context, warp.warp, warp.warp + 1);
    };
    if (block == nullptr) {
        idle_.clear();
        block = std::make_unique<ResidentBlock>();
        block->worker = this;
        block->stacks = &stacks();
        block->warps.resize(grid_->warps);
        for (std::uint32_t w = 0; w < grid_->warps; ++w) {
            WarpFiber& warp = block->warps[w];
            warp.block = block.get();
            warp.warp = w;
            warp.fiber = std::make_unique<Fiber>(stacks(), body, &warp);
            if (!warp.fiber->valid()) {
                grid_->end(Stop::no_memory);
                return false;
            }
        }
    }
    fill(block->context);
    block->context.local_stride = round_up(grid_->local_bytes(), 64) * jit::kLanes;
    block->context.shared = block->shared.at_least(grid_->shared_bytes + 64);
    block->context.local = block->local.at_least(block->context.local_stride * grid_->warps + 64);
    block->context.block_state = block.get();
    if (block->context.shared == nullptr || block->context.local == nullptr) {
        grid_->end(Stop::no_memory);
        return false;
    }
    enter_block(block->context, linear);
    block->barriers.reset(grid_->warps);
    block->live = grid_->warps;
    for (WarpFiber& warp : block->warps) {
        warp.state = WarpFiber::State::ready;
        warp.fiber->restart();
    }
    resident_.push_back(std::move(block));
    return true;
}

/// Runs every warp of a block that can run, once. @return whether any got further
bool Worker::turn(ResidentBlock& block) {
    bool progress = false;
    for (WarpFiber& warp : block.warps) {
        if (warp.state == WarpFiber::State::finished) continue;
        if (warp.state == WarpFiber::State::waiting &&
            block.barriers[warp.barrier].round == warp.round) {
            continue;
        }
        warp.state = WarpFiber::State::ready;
        running_ = warp.fiber.get();
        warp.fiber->resume();
        if (grid_->stop.load(std::memory_order_relaxed) != Stop::none) return false;
        if (warp.fiber->finished()) {
            warp.state = WarpFiber::State::finished;
            --block.live;
            block.barriers.leave();
            meetings_.end({block.context.linear_block, warp.warp});
        }
        progress |= warp.state != WarpFiber::State::spinning;
    }
    return progress;
}

/// One block at a time; more become resident when the warps of those at hand only wait for others.
void Worker::run_with_fibers() {
    const std::uint64_t share =
        std::max<std::uint64_t>(1, (grid_->resident_blocks + grid_->workers - 1) / grid_->workers);
    if (grid_->configuration.cooperative) {
        while (resident_.size() < share && admit_block()) {
        }
    }
    while (grid_->stop.load(std::memory_order_relaxed) == Stop::none) {
        if (improvement_is_due()) grid_->improve();
        if (resident_.empty() && !admit_block()) break;
        bool progress = false;
        bool spins = false;
        for (std::size_t b = 0; b < resident_.size();) {
            ResidentBlock& block = *resident_[b];
            progress |= turn(block);
            if (grid_->stop.load(std::memory_order_relaxed) != Stop::none) break;
            if (block.live == 0) {
                idle_.push_back(std::move(resident_[b]));
                resident_.erase(resident_.begin() + static_cast<std::ptrdiff_t>(b));
                progress = true;
                continue;
            }
            for (const WarpFiber& warp : block.warps) {
                spins |= warp.state == WarpFiber::State::spinning;
            }
            ++b;
        }
        if (progress || grid_->stop.load(std::memory_order_relaxed) != Stop::none) continue;
        if (!spins) {
            // Every warp waits at a barrier that no other will reach: a GPU would hang.
            grid_->end(Stop::deadlock);
        } else if (resident_.size() >= share || !admit_block()) {
            std::this_thread::yield();
        }
    }
    for (auto& block : resident_) idle_.push_back(std::move(block));
    resident_.clear();
    running_ = nullptr;
}

void Worker::abandon() {
    running_->suspend();
    __builtin_unreachable();  // nobody resumes a warp of a launch that has ended
}

bool Worker::find(std::uint64_t address, jit::LegalRange& range) {
    const Allocation* allocation = grid_->memory.find(address);
    if (allocation == nullptr) return false;
    range.begin = allocation->begin;
    range.bytes = allocation->bytes;
    range.displacement = allocation->displacement;
    return true;
}

counters::TouchedSectors* Worker::touched_sectors() {
    return grid_->touched_sectors ? &touched_ : nullptr;
}

void Worker::fail(jit::BlockContext& block, jit::FaultReport report) {
    if (grid_->end(Stop::fault)) {
        const std::lock_guard lock(grid_->fault_mutex);
        grid_->fault = std::move(report);
        grid_->fault_block = block.ctaid;
    }
    abandon();
}

void Worker::poll(jit::BlockContext&, std::uint32_t) {
    if (grid_->stop.load() != Stop::none) abandon();
}

void Worker::yield(jit::BlockContext& block, std::uint32_t warp) {
    if (grid_->stop.load(std::memory_order_relaxed) != Stop::none) abandon();
    if (block.block_state == nullptr) return;
    auto& own = static_cast<ResidentBlock*>(block.block_state)->warps[warp];
    own.state = WarpFiber::State::spinning;
    own.fiber->suspend();
}

void Worker::meet(jit::BlockContext& block, std::uint32_t warp, std::uint32_t meeting,
                  std::uint32_t executing, std::span<const std::uint32_t, jit::kLanes> members,
                  std::uint32_t elsewhere) {
    const MeetingLog::Warp own{block.linear_block, warp};
    // Warps in sequence: those before have ended.
    if (block.block_state == nullptr) meetings_.end_others(own);
    meetings_.meet(own, meeting, executing, members, elsewhere);
    block.short_meetings = meetings_.open_in(block.linear_block);
}

Worker::Votes Worker::wait_and_count(jit::BlockContext& block, std::uint32_t warp,
                                     std::uint32_t number, std::uint32_t threads, Votes votes) {
    auto& resident = *static_cast<ResidentBlock*>(block.block_state);
    Barrier& barrier = resident.barriers[number];
    WarpFiber& own = resident.warps[warp];
    own.round = barrier.round;
    own.barrier = number;
    if (!resident.barriers.arrive(number, threads, votes)) {
        own.state = WarpFiber::State::waiting;
        own.fiber->suspend();
    }
    return barrier.last_votes;
}

void Worker::wait(jit::BlockContext& block, std::uint32_t warp, std::uint32_t barrier,
                  std::uint32_t threads) {
    wait_and_count(block, warp, barrier, threads, {});
}

void Worker::arrive(jit::BlockContext& block, std::uint32_t, std::uint32_t barrier,
                    std::uint32_t threads) {
    static_cast<ResidentBlock*>(block.block_state)->barriers.arrive(barrier, threads, {});
}

void Worker::print(std::string_view text) {
    const std::lock_guard lock(grid_->print_mutex);
    grid_->printed += text;
}

std::uint64_t Worker::allocate(std::uint64_t bytes) {
    return grid_->memory.allocate(bytes, AllocationKind::heap, {}, 16).value_or(0);
}

bool Worker::free(std::uint64_t address) {
    const Allocation* allocation = grid_->memory.find(address);
    return allocation != nullptr && allocation->kind == AllocationKind::heap &&
           grid_->memory.free(address);
}

}  // namespace wideload::gpu

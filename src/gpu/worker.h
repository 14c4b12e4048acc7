// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <vector>

#include "counters/site_row.h"
#include "counters/touched_sectors.h"
#include "gpu/barrier.h"
#include "gpu/buffer.h"
#include "gpu/fiber.h"
#include "gpu/grid.h"
#include "gpu/meeting_log.h"
#include "jit/abi.h"
#include "jit/runtime/host.h"

namespace wideload::gpu {

/// One host thread's share of a launch: runs blocks and counts what they do.
class Worker final : public jit::Host {
public:
    Worker();
    ~Worker() override;

    /// Takes blocks of the grid until none is left or the launch ends. Rows of counters are cleared
    /// first.
    void run(Grid& grid, unsigned index);

    [[nodiscard]] const counters::SiteRow* sites() const { return sites_; }
    [[nodiscard]] const jit::BlockRow* blocks() const { return blocks_; }
    /// Empty where the launch did not ask for them.
    [[nodiscard]] const counters::TouchedSectors& touched() const { return touched_; }
    [[nodiscard]] const MeetingLog& meetings() const { return meetings_; }

    // What kernels ask for.
    bool find(std::uint64_t address, jit::LegalRange& range) override;
    counters::TouchedSectors* touched_sectors() override;
    void fail(jit::BlockContext& block, jit::FaultReport report) override;
    void poll(jit::BlockContext& block, std::uint32_t warp) override;
    void yield(jit::BlockContext& block, std::uint32_t warp) override;
    void meet(jit::BlockContext& block, std::uint32_t warp, std::uint32_t meeting,
              std::uint32_t executing, std::span<const std::uint32_t, jit::kLanes> members,
              std::uint32_t elsewhere) override;
    void wait(jit::BlockContext& block, std::uint32_t warp, std::uint32_t barrier,
              std::uint32_t threads) override;
    void arrive(jit::BlockContext& block, std::uint32_t warp, std::uint32_t barrier,
                std::uint32_t threads) override;
    Votes wait_and_count(jit::BlockContext& block, std::uint32_t warp, std::uint32_t barrier,
                         std::uint32_t threads, Votes own) override;
    void print(std::string_view text) override;
    std::uint64_t allocate(std::uint64_t bytes) override;
    bool free(std::uint64_t address) override;

private:
    struct WarpFiber;
    struct ResidentBlock;

    bool prepare(Grid& grid);
    void fill(jit::BlockContext& context);
    void enter_block(jit::BlockContext& context, std::uint64_t linear);
    bool next_block(std::uint64_t& linear);
    [[nodiscard]] bool improvement_is_due() const;
    bool run_in_sequence();
    void run_with_fibers();
    bool admit_block();
    bool turn(ResidentBlock& block);
    StackPool& stacks();
    [[noreturn]] void abandon();

    Grid* grid_ = nullptr;
    unsigned index_ = 0;
    Buffer site_buffer_, block_buffer_, shared_buffer_, local_buffer_;
    counters::SiteRow* sites_ = nullptr;
    jit::BlockRow* blocks_ = nullptr;
    counters::TouchedSectors touched_;
    MeetingLog meetings_;
    std::uint64_t chunk_begin_ = 0, chunk_end_ = 0;
    std::map<std::size_t, StackPool> stacks_;  ///< by the bytes of a stack
    Fiber* running_ = nullptr;
    bool leaves_blocks_ = false;  ///< of the sequence, which ended for better code
    std::vector<std::unique_ptr<ResidentBlock>> resident_, idle_;
};

}  // namespace wideload::gpu

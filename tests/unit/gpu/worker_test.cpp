// SPDX-License-Identifier: Apache-2.0
#include "gpu/worker.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "arch/device.h"
#include "gpu/grid.h"

namespace wideload::gpu {
namespace {

constexpr std::uint64_t kBlocks = 8, kChunk = 4;
std::atomic<bool> executed[kBlocks];
std::atomic<bool> begun, contended;

// A worker that goes for better code has blocks of its chunk left. Others may claim the last ones
// meanwhile, here by turns with giving them back, so that it sees both between any two looks.
TEST(Worker, FinishesItsChunkWhenNoOtherBlockIsLeft) {
    const auto memory = Memory::create(std::uint64_t{1} << 30);
    ASSERT_TRUE(memory);
    const arch::MultiprocessorLimits& limits = arch::default_device().limits();
    jit::CompiledKernel kernel;
    kernel.entry = [](jit::BlockContext* context, std::uint32_t, std::uint32_t) {
        executed[context->linear_block] = true;
        begun = true;
        while (!contended) std::this_thread::yield();
    };
    LaunchConfiguration configuration;
    configuration.grid = {static_cast<std::uint32_t>(kBlocks), 1, 1};
    configuration.block = {32, 1, 1};
    Worker worker;
    for (int round = 0; round < 500; ++round) {
        for (auto& block : executed) block = false;
        Grid grid{kernel, configuration, {}, **memory, limits};
        grid.blocks = kBlocks;
        grid.threads = 32;
        grid.workers = 2;
        grid.chunk = kChunk;
        lay_out_threads(grid, configuration.block);
        grid.improvement_due = std::chrono::steady_clock::time_point::min();
        grid.improve = [&] { grid.improvement_due = Grid::kNever; };
        begun = contended = false;
        std::atomic<bool> ended{false};
        std::thread other([&] {
            while (!begun) std::this_thread::yield();
            while (!ended) {
                grid.next_block = kBlocks;
                grid.next_block = kChunk;
                contended = true;
            }
        });
        worker.run(grid, 0);
        ended = true;
        other.join();
        for (std::uint64_t block = 0; block < kChunk; ++block) {
            EXPECT_TRUE(executed[block]) << "block " << block << " of round " << round;
        }
    }
}

}  // namespace
}  // namespace wideload::gpu

// SPDX-License-Identifier: Apache-2.0
#include "gpu/memory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstring>
#include <thread>
#include <vector>

namespace wideload::gpu {
namespace {

constexpr std::uint64_t kDeviceBytes = 1u << 30;
constexpr std::uint64_t kMebibyte = 1u << 20;

class MemoryTest : public testing::Test {
protected:
    void SetUp() override {
        auto created = Memory::create(kDeviceBytes);
        ASSERT_TRUE(created);
        memory_ = std::move(*created);
    }
    std::unique_ptr<Memory> memory_;
};

// Sector counts of a program depend on the alignment that cudaMalloc gives.
TEST_F(MemoryTest, AlignsAsCudaMalloc) {
    for (const std::uint64_t bytes : {1u, 3u, 256u, 513u, 100'000u}) {
        EXPECT_EQ(*memory_->allocate(bytes, AllocationKind::device) % 512, 0u);
    }
    EXPECT_EQ(*memory_->allocate(3 * kMebibyte, AllocationKind::device) % (2 * kMebibyte), 0u);
    EXPECT_EQ(*memory_->allocate(4, AllocationKind::internal, {}, 4096) % 4096, 0u);
}

TEST_F(MemoryTest, EngineReachesTheBytesThatTheProgramSees) {
    const std::uint64_t address = *memory_->allocate(4096, AllocationKind::managed);
    std::memcpy(reinterpret_cast<void*>(address), "from the host", 14);
    EXPECT_STREQ(reinterpret_cast<const char*>(memory_->engine_pointer(address)), "from the host");
    EXPECT_EQ(reinterpret_cast<std::uint64_t>(memory_->engine_pointer(address)),
              address + static_cast<std::uint64_t>(memory_->displacement()));
}

// With a GPU the host cannot read device memory either: a program that tries must not seem to work.
TEST_F(MemoryTest, HostAccessToDeviceMemoryIsASegmentationFault) {
    const std::uint64_t address = *memory_->allocate(4096, AllocationKind::device);
    *memory_->engine_pointer(address) = std::byte{42};
    EXPECT_EXIT(
        {
            std::signal(SIGSEGV, SIG_DFL);
            static_cast<void>(*reinterpret_cast<volatile char*>(address));
        },
        testing::KilledBySignal(SIGSEGV), "");
}

TEST_F(MemoryTest, FindsTheWholeAllocationAndNothingBeside) {
    const std::uint64_t address = *memory_->allocate(1000, AllocationKind::device);
    const std::uint64_t other = *memory_->allocate(1000, AllocationKind::device);
    const Memory::Reader reader(*memory_);
    const Allocation* found = memory_->find(address);
    ASSERT_NE(found, nullptr);
    EXPECT_EQ(found->begin, address);
    EXPECT_EQ(memory_->find(address + 999), found);
    EXPECT_EQ(memory_->find(address + 1000), nullptr);
    EXPECT_EQ(memory_->find(address - 1), nullptr);
    EXPECT_NE(memory_->find(other), found);
    EXPECT_EQ(memory_->find(0), nullptr);
    EXPECT_EQ(memory_->find(~0ull), nullptr);
}

// cudaDeviceReset: variables keep their places, kernels were compiled with their addresses.
TEST_F(MemoryTest, FreesAllThatTheProgramAskedFor) {
    std::vector<std::uint64_t> of_program, others;
    for (const AllocationKind kind :
         {AllocationKind::device, AllocationKind::managed, AllocationKind::pinned}) {
        of_program.push_back(*memory_->allocate(4096, kind));
    }
    for (const AllocationKind kind :
         {AllocationKind::module_variable, AllocationKind::managed_variable, AllocationKind::heap,
          AllocationKind::internal}) {
        others.push_back(*memory_->allocate(4096, kind));
    }
    static char own[4096];
    of_program.push_back(reinterpret_cast<std::uint64_t>(own));
    ASSERT_TRUE(memory_->register_host(of_program.back(), sizeof own));
    memory_->free_all_of_program();
    for (const std::uint64_t address : of_program) EXPECT_FALSE(memory_->lookup(address));
    for (const std::uint64_t address : others) EXPECT_TRUE(memory_->lookup(address));
    EXPECT_EQ(memory_->nearest(of_program[0])->distance, 0) << "a use after it is seen as one";
}

// What launches find is kept up to date by each change, not looked up anew at each launch.
TEST_F(MemoryTest, FindsWhatEachChangeBetweenLaunchesLeft) {
    std::vector<std::uint64_t> live;
    for (unsigned step = 0; step < 200; ++step) {
        if (step % 3 == 2) {
            const auto freed = live.begin() + step * 7 % static_cast<unsigned>(live.size());
            const std::uint64_t address = *freed;
            ASSERT_TRUE(memory_->free(address));
            live.erase(freed);
            const Memory::Reader reader(*memory_);
            EXPECT_EQ(memory_->find(address), nullptr);
        } else {
            live.push_back(*memory_->allocate(100 + step, AllocationKind::device));
        }
        const Memory::Reader reader(*memory_);
        for (const std::uint64_t address : live) {
            const Allocation* found = memory_->find(address + 99);
            ASSERT_NE(found, nullptr);
            EXPECT_EQ(found->begin, address);
        }
    }
}

TEST_F(MemoryTest, NamesTheNearestAllocationOfAnOverrun) {
    const std::uint64_t address =
        *memory_->allocate(1000, AllocationKind::module_variable, "table");
    const auto past = memory_->nearest(address + 1003);
    ASSERT_TRUE(past);
    EXPECT_EQ(past->distance, 4);
    EXPECT_THAT(describe(*past), testing::HasSubstr("4 bytes past the end of `table`"));
    const auto before = memory_->nearest(address - 8);
    ASSERT_TRUE(before);
    EXPECT_EQ(before->distance, -8);
}

TEST_F(MemoryTest, RemembersWhatWasFreed) {
    const std::uint64_t address = *memory_->allocate(4096, AllocationKind::device);
    ASSERT_TRUE(memory_->free(address));
    EXPECT_FALSE(memory_->free(address)) << "a double free is an error";
    EXPECT_FALSE(memory_->lookup(address));
    const std::uint64_t next = *memory_->allocate(4096, AllocationKind::device);
    EXPECT_NE(next, address);
    const auto inside = memory_->nearest(address + 10);
    ASSERT_TRUE(inside);
    EXPECT_TRUE(inside->allocation.freed);
    EXPECT_THAT(describe(*inside), testing::HasSubstr("which was freed"));
}

TEST_F(MemoryTest, FreesOnlyAtTheBegin) {
    const std::uint64_t address = *memory_->allocate(4096, AllocationKind::device);
    EXPECT_FALSE(memory_->free(address + 512));
    EXPECT_TRUE(memory_->free(address));
}

TEST_F(MemoryTest, GivesPagesOfFreedMemoryBack) {
    const std::uint64_t bytes = 64 * kMebibyte;
    const std::uint64_t address = *memory_->allocate(bytes, AllocationKind::device);
    std::memset(memory_->engine_pointer(address), 1, bytes);
    ASSERT_TRUE(memory_->free(address));
    // A page that exists again is a fresh one, and a fresh page is zero.
    EXPECT_EQ(*memory_->engine_pointer(address), std::byte{0});
    EXPECT_EQ(*memory_->engine_pointer(address + bytes - 1), std::byte{0});
}

TEST_F(MemoryTest, RefusesMoreThanTheGpuHas) {
    EXPECT_FALSE(memory_->allocate(kDeviceBytes + 1, AllocationKind::device));
    EXPECT_FALSE(memory_->allocate(~0ull, AllocationKind::device));
    const auto half = memory_->allocate(kDeviceBytes / 2, AllocationKind::device);
    ASSERT_TRUE(half);
    EXPECT_FALSE(memory_->allocate(kDeviceBytes / 2 + 1, AllocationKind::device));
    EXPECT_LE(memory_->free_bytes(), kDeviceBytes / 2);
    ASSERT_TRUE(memory_->free(*half));
    EXPECT_TRUE(memory_->allocate(kDeviceBytes / 2 + 1, AllocationKind::device));
}

// A GPU has 140 GB where this host may have 8: what cudaMemGetInfo promises must be there when it
// is touched.
TEST(Memory, PromisesNoMoreThanTheHostHas) {
    auto memory = Memory::create(1ull << 50);
    ASSERT_TRUE(memory);
    EXPECT_EQ((*memory)->total_bytes(), 1ull << 50);
    EXPECT_LT((*memory)->free_bytes(), 1ull << 48);
    EXPECT_FALSE((*memory)->allocate(1ull << 49, AllocationKind::device));
}

// "Out of memory" alone would send the user to look for a mistake in the program.
TEST(Memory, SaysThatItIsTheHostThatLacksWhatTheGpuWouldHave) {
    auto memory = Memory::create(1ull << 50);
    ASSERT_TRUE(memory);
    const auto lack = (*memory)->what_the_host_lacks(1ull << 49);
    ASSERT_TRUE(lack);
    EXPECT_NE(lack->message.find("562949953421312 bytes"), std::string::npos) << lack->message;
    EXPECT_FALSE((*memory)->what_the_host_lacks((1ull << 50) + 1)) << "the GPU lacks it, too";
    ASSERT_TRUE((*memory)->allocate(4096, AllocationKind::device));
    EXPECT_FALSE((*memory)->what_the_host_lacks(1ull << 50)) << "some is taken";
}

TEST_F(MemoryTest, KernelsMayUseRegisteredHostMemory) {
    std::vector<char> buffer(10'000);
    const auto address = reinterpret_cast<std::uint64_t>(buffer.data());
    ASSERT_TRUE(memory_->register_host(address, buffer.size()));
    EXPECT_FALSE(memory_->register_host(address + 100, 10)) << "registered already";
    const auto found = memory_->lookup(address + 9'999);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->displacement, 0);
    EXPECT_FALSE(memory_->free(address)) << "cudaFree does not unregister";
    EXPECT_TRUE(memory_->unregister_host(address));
    EXPECT_FALSE(memory_->lookup(address));
}

// Workers look addresses up while another host thread allocates and frees.
TEST_F(MemoryTest, FindIsSafeBesideChanges) {
    const std::uint64_t address = *memory_->allocate(4096, AllocationKind::device);
    std::atomic<bool> done = false;
    std::atomic<unsigned> misses = 0;
    std::vector<std::thread> workers;
    for (int worker = 0; worker < 2; ++worker) {
        workers.emplace_back([&] {
            const Memory::Reader reader(*memory_);
            while (!done) {
                const Allocation* found = memory_->find(address + 1);
                if (found == nullptr || found->begin != address) ++misses;
            }
        });
    }
    for (int i = 0; i < 2000; ++i) {
        const auto other = memory_->allocate(4096, AllocationKind::device);
        memory_->free(*other);
    }
    done = true;
    for (std::thread& worker : workers) worker.join();
    EXPECT_EQ(misses, 0u);
}

// As with a GPU, a forked child does not share its parent's device memory.
TEST_F(MemoryTest, AForkedChildInheritsNothing) {
    const std::uint64_t address = *memory_->allocate(4096, AllocationKind::managed);
    *reinterpret_cast<char*>(address) = 1;
    const pid_t child = fork();
    if (child == 0) {
        std::signal(SIGSEGV, SIG_DFL);
        *reinterpret_cast<volatile char*>(address) = 2;
        _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_TRUE(WIFSIGNALED(status));
    EXPECT_EQ(*reinterpret_cast<char*>(address), 1);
}

}  // namespace
}  // namespace wideload::gpu

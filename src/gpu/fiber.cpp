// SPDX-License-Identifier: Apache-2.0
#include "gpu/fiber.h"

#include <sys/mman.h>
#include <unistd.h>

#include <boost/context/detail/fcontext.hpp>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#endif

namespace wideload::gpu {

namespace context = boost::context::detail;

StackPool::~StackPool() {
    const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    for (void* top : all_) {
        ::munmap(static_cast<std::byte*>(top) - bytes_ - page, bytes_ + page);
    }
}

void* StackPool::take() {
    if (!free_.empty()) {
        void* top = free_.back();
        free_.pop_back();
        return top;
    }
    const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    void* base = ::mmap(nullptr, bytes_ + page, PROT_NONE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (base == MAP_FAILED) return nullptr;
    std::byte* stack = static_cast<std::byte*>(base) + page;
    if (::mprotect(stack, bytes_, PROT_READ | PROT_WRITE) != 0) {
        ::munmap(base, bytes_ + page);
        return nullptr;
    }
    all_.push_back(stack + bytes_);
    return stack + bytes_;
}

namespace {

/// A warp that faulted left its frames for good: what AddressSanitizer marked around their
/// variables must not be held against the next flow on this stack.
void forget_frames([[maybe_unused]] void* top, [[maybe_unused]] std::size_t bytes) {
#if defined(__SANITIZE_ADDRESS__)
    __asan_unpoison_memory_region(static_cast<std::byte*>(top) - bytes, bytes);
#endif
}

}  // namespace

struct FiberEntry {
    static void run(context::transfer_t transfer) {
        auto* fiber = static_cast<Fiber*>(transfer.data);
        fiber->caller_ = transfer.fctx;
        fiber->body_(fiber->argument_);
        fiber->finished_ = true;
        context::jump_fcontext(fiber->caller_, nullptr);
    }
};

Fiber::Fiber(StackPool& stacks, Body body, void* argument)
    : stacks_(stacks), body_(body), argument_(argument), stack_(stacks.take()) {
    if (stack_ != nullptr) restart();
}

Fiber::~Fiber() {
    if (stack_ != nullptr) stacks_.give_back(stack_);
}

void Fiber::restart() {
    finished_ = false;
    forget_frames(stack_, stacks_.bytes());
    context_ = context::make_fcontext(stack_, stacks_.bytes(), &FiberEntry::run);
}

void Fiber::resume() {
    const context::transfer_t back = context::jump_fcontext(context_, this);
    context_ = back.fctx;
}

void Fiber::suspend() {
    const context::transfer_t again = context::jump_fcontext(caller_, nullptr);
    caller_ = again.fctx;
}

}  // namespace wideload::gpu

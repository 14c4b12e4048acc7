// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

namespace wideload::gpu {

/// Stacks for fibers, each below a page that may not be touched. Kept for the next launch.
class StackPool {
public:
    explicit StackPool(std::size_t bytes) : bytes_(bytes) {}
    ~StackPool();
    StackPool(const StackPool&) = delete;
    StackPool& operator=(const StackPool&) = delete;

    /// @return one past the stack's highest byte, or null where the host has no memory left
    void* take();
    void give_back(void* top) { free_.push_back(top); }
    [[nodiscard]] std::size_t bytes() const { return bytes_; }

private:
    std::size_t bytes_;
    std::vector<void*> free_, all_;
};

/// A flow of control with a stack of its own, which runs on whatever thread resumes it until it
/// suspends itself.
class Fiber {
public:
    using Body = void (*)(void*);

    Fiber(StackPool& stacks, Body body, void* argument);
    ~Fiber();
    Fiber(const Fiber&) = delete;
    Fiber& operator=(const Fiber&) = delete;

    /// False where there was no memory for a stack.
    [[nodiscard]] bool valid() const { return stack_ != nullptr; }
    /// Runs the fiber until it suspends or its body returns. Not from inside it.
    void resume();
    /// Back to whoever resumed the fiber that is running.
    void suspend();
    [[nodiscard]] bool finished() const { return finished_; }
    /// Forgets what the fiber was doing and begins its body anew. What its frames owned is not
    /// destroyed.
    void restart();

private:
    StackPool& stacks_;
    Body body_;
    void* argument_;
    void* stack_ = nullptr;
    void* context_ = nullptr;  ///< where the fiber goes on
    void* caller_ = nullptr;   ///< where resume() was called
    bool finished_ = false;

    friend struct FiberEntry;
};

}  // namespace wideload::gpu

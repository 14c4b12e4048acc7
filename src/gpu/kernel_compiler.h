// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu/grid.h"
#include "gpu/kernel.h"
#include "jit/session.h"

namespace wideload::gpu {

/// Compiles kernels for launches, each as thoroughly as pays. Nobody knows beforehand how long a
/// kernel will run, so it is compiled quickly, and again as soon as what it has run exceeds what
/// that took: then neither can have cost much more than the better of the two. A launch of very
/// many threads is worth the effort at once.
class KernelCompiler {
public:
    KernelCompiler(jit::Session& session, const Options& options)
        : session_(session), options_(options) {}

    /// The kernel's code for a launch; it lives as long as the kernel.
    Result<KernelCode*> code_for(Kernel& kernel, const LaunchConfiguration& configuration);

    /// Has the launch ask for better code where it comes to take long.
    void watch(Grid& grid, Kernel& kernel, KernelCode& code);

private:
    Result<KernelCode> compile(Kernel& kernel, simt::ThreadLayout layout, jit::Effort effort);
    void improve(Kernel& kernel, simt::ThreadLayout layout, KernelCode& code);
    [[nodiscard]] bool may_improve(const KernelCode& code) const;

    jit::Session& session_;
    const Options& options_;
};

}  // namespace wideload::gpu

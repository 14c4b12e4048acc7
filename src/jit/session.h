// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "jit/effort.h"
#include "jit/emitter.h"
#include "jit/kernel.h"
#include "support/result.h"

namespace wideload::jit {

/// The instruction set that kernels are compiled for.
enum class HostIsa : std::uint8_t { baseline, avx2, avx512 };

/// The widest that this machine runs, or the named one ("avx512", "avx2", "baseline") if it runs
/// it.
[[nodiscard]] Result<HostIsa> choose_isa(std::string_view name);
[[nodiscard]] std::string_view name(HostIsa isa);

/// LLVM's just-in-time compiler with the host functions of runtime/. One per process; compile() may
/// be called from one thread at a time.
class Session {
public:
    static Result<std::unique_ptr<Session>> create(HostIsa isa);
    ~Session();

    /// Compiles a kernel and every function that it calls. Code lives as long as the session.
    /// However much effort it takes, tables and counts are the same; recursive kernels, whose
    /// frames have to be small, get all of it.
    Result<CompiledKernel> compile(const ptx::Function& kernel, const CompileContext& context,
                                   Effort effort);
    [[nodiscard]] HostIsa isa() const;

private:
    struct State;
    explicit Session(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
};

}  // namespace wideload::jit

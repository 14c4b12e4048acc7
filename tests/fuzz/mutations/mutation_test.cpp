// SPDX-License-Identifier: Apache-2.0
// Damaged PTX all the way: what the parser lets pass is loaded, compiled and run. Whatever it does,
// the program gets an error or a result; the engine neither crashes nor finds itself at fault.
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <memory>

#include "gpu/gpu.h"
#include "mutator.h"
#include "ptx/parser.h"

namespace wideload::fuzz {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kMutants = 10'000;
/// Of compiling: enough for hundreds on an idle machine. The first ones are always compiled, and
/// all with WIDELOAD_MUTATION_SECONDS=3600, which is some minutes.
std::chrono::seconds time_to_compile() {
    const char* asked = std::getenv("WIDELOAD_MUTATION_SECONDS");
    return std::chrono::seconds(asked == nullptr ? 20 : std::strtol(asked, nullptr, 10));
}
constexpr int kLeastCompiled = 60;

struct Parameters {
    std::uint64_t out;
    std::array<std::uint32_t, 4> numbers;
    std::uint32_t n;
};

std::string read_kernel() {
    std::ifstream file(WIDELOAD_MUTATED_KERNEL);
    EXPECT_TRUE(file.good()) << WIDELOAD_MUTATED_KERNEL;
    return {std::istreambuf_iterator<char>(file), {}};
}

class Engine {
public:
    Engine() {
        gpu::Options options;
        options.workers = 1;
        options.kernel_timeout_s = 0.5;
        gpu_ = std::move(gpu::Gpu::create(arch::default_device(), options)).value();
        out_ = gpu_->memory().allocate(64 * 16, gpu::AllocationKind::device).value();
    }

    /// @return why the engine is to blame, or ""
    std::string run(ptx::Module parsed) {
        std::vector<ptx::Module> modules;
        modules.push_back(std::move(parsed));
        const auto module = gpu_->load(std::move(modules));
        if (!module) return module.errors().empty() ? "refused without a word" : "";
        gpu::Kernel* kernel = (*module)->kernel("kernel");
        if (kernel == nullptr) return "";
        gpu::LaunchConfiguration configuration;
        configuration.grid = {2, 1, 1};
        configuration.block = {40, 1, 1};
        const Parameters parameters{out_, {1, 2, 3, 4}, 64};
        const gpu::LaunchOutcome outcome = gpu_->launch(
            *kernel, configuration,
            std::as_bytes(std::span(&parameters, 1)).first(offsetof(Parameters, n) + sizeof(int)));
        ++runs[outcome.fault == gpu::Fault::none];
        return outcome.fault == gpu::Fault::internal ? format(outcome.diagnostic) : "";
    }

    std::array<int, 2> runs{};  ///< that ended in a fault, and well

private:
    std::unique_ptr<gpu::Gpu> gpu_;
    std::uint64_t out_ = 0;
};

TEST(Mutation, OfPtxGivesAnErrorOrARun) {
    const std::string text = read_kernel();
    Engine engine;
    auto whole = ptx::parse(text, "kernel.ptx");
    ASSERT_TRUE(whole.ok()) << format(whole.errors());
    ASSERT_EQ(engine.run(std::move(whole).value()), "");
    ASSERT_EQ(engine.runs[1], 1) << "the kernel itself must run well";

    Mutator mutator(text, 20240607);
    int compiled = 0;
    const Clock::time_point end = Clock::now() + time_to_compile();
    for (int i = 0; i < kMutants && (compiled < kLeastCompiled || Clock::now() < end); ++i) {
        const std::string mutant = mutator.next();
        auto parsed = ptx::parse(mutant, "mutant.ptx");
        if (!parsed.ok()) continue;
        ++compiled;
        const std::string blame = engine.run(std::move(parsed).value());
        ASSERT_EQ(blame, "") << "mutant " << i << ":\n" << mutant;
    }
    // Both happen, or the damage would be too small or too great to tell anything.
    EXPECT_GT(engine.runs[0], 1);
    EXPECT_GT(engine.runs[1], 10);
    RecordProperty("compiled", compiled);
    RecordProperty("ended_in_a_fault", engine.runs[0]);
    RecordProperty("ran_well", engine.runs[1]);
}

}  // namespace
}  // namespace wideload::fuzz

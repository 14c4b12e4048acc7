// SPDX-License-Identifier: Apache-2.0
// How thoroughly kernels are compiled, and that a launch which gets other code while it runs
// computes the same.
#include "gpu/kernel_compiler.h"

#include <gtest/gtest.h>

#include <cstring>

#include "ptx/parser.h"

namespace wideload::gpu {
namespace {

constexpr const char* kWork = R"(
.version 7.0
.target sm_70
.address_size 64
.visible .entry work(.param .u64 out, .param .u32 turns)
{
    .reg .pred %p<2>;
    .reg .b32 %r<8>;
    .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [out];
    ld.param.u32 %r1, [turns];
    mov.u32 %r2, %tid.x;
    mov.u32 %r3, %ctaid.x;
    mov.u32 %r4, %ntid.x;
    mad.lo.u32 %r5, %r3, %r4, %r2;
    mov.u32 %r6, 0;
    mov.u32 %r7, %r5;
again:
    mad.lo.u32 %r7, %r7, 1664525, 1013904223;
    add.u32 %r6, %r6, 1;
    setp.lt.u32 %p1, %r6, %r1;
    @%p1 bra again;
    BARRIER
    mul.wide.u32 %rd2, %r5, 4;
    add.u64 %rd3, %rd1, %rd2;
    st.global.u32 [%rd3], %r7;
    ret;
}
)";

constexpr const char* kRecursive = R"(
.version 7.0
.target sm_70
.address_size 64
.func (.param .b32 sum) add_up(.param .b32 n)
{
    .reg .pred %p<2>;
    .reg .b32 %r<6>;
    ld.param.u32 %r1, [n];
    setp.eq.u32 %p1, %r1, 0;
    mov.u32 %r4, 0;
    @%p1 bra done;
    sub.u32 %r2, %r1, 1;
    {
        .param .b32 less;
        .param .b32 rest;
        st.param.b32 [less], %r2;
        call.uni (rest), add_up, (less);
        ld.param.b32 %r3, [rest];
    }
    add.u32 %r4, %r3, %r1;
done:
    st.param.b32 [sum], %r4;
    ret;
}
.visible .entry work(.param .u64 out, .param .u32 turns)
{
    .reg .b32 %r<3>;
    .reg .b64 %rd<2>;
    ld.param.u64 %rd1, [out];
    ld.param.u32 %r1, [turns];
    {
        .param .b32 n;
        .param .b32 sum;
        st.param.b32 [n], %r1;
        call.uni (sum), add_up, (n);
        ld.param.b32 %r2, [sum];
    }
    st.global.u32 [%rd1], %r2;
    ret;
}
)";

std::string work(const char* barrier) {
    std::string text = kWork;
    const std::string name = "BARRIER";
    return text.replace(text.find(name), name.size(), barrier);
}

/// What `turns` turns make of a number, as one multiplication and one addition.
std::uint32_t after(std::uint32_t number, std::uint32_t turns) {
    std::uint32_t factor = 1, summand = 0, step_factor = 1664525, step_summand = 1013904223;
    for (; turns > 0; turns /= 2) {
        if (turns % 2 == 1) {
            factor *= step_factor;
            summand = summand * step_factor + step_summand;
        }
        step_summand = step_summand * step_factor + step_summand;
        step_factor *= step_factor;
    }
    return factor * number + summand;
}

/// One kernel on a virtual GPU of its own.
class Program {
public:
    Program(const std::string& ptx, Compiling compiling, unsigned workers = 1) {
        Options options;
        options.workers = workers;
        options.compiling = compiling;
        gpu_ = std::move(Gpu::create(arch::default_device(), options)).value();
        std::vector<ptx::Module> modules;
        modules.push_back(std::move(ptx::parse(ptx, "test.ptx")).value());
        module_ = std::move(gpu_->load(std::move(modules))).value();
        out_ = gpu_->memory().allocate(kMostThreads * 4, AllocationKind::device).value();
    }

    void launch(std::uint32_t blocks, std::uint32_t threads, std::uint32_t turns) {
        LaunchConfiguration configuration;
        configuration.grid = {blocks, 1, 1};
        configuration.block = {threads, 1, 1};
        const struct {
            std::uint64_t out;
            std::uint32_t turns, padding;
        } parameters{out_, turns, 0};
        const LaunchOutcome outcome =
            gpu_->launch(*module_->kernel("work"), configuration,
                         std::as_bytes(std::span(&parameters, 1)).first(12));
        EXPECT_EQ(outcome.fault, Fault::none) << format(outcome.diagnostic);
    }

    [[nodiscard]] std::vector<std::uint32_t> results(std::uint32_t threads) {
        std::vector<std::uint32_t> values(threads);
        std::memcpy(values.data(), gpu_->memory().engine_pointer(out_), threads * 4);
        return values;
    }

    [[nodiscard]] const KernelCode& code() {
        return module_->kernel("work")->codes.begin()->second;
    }
    [[nodiscard]] bool is_quick() { return code().compiled.effort == jit::Effort::quick; }

    static constexpr std::uint32_t kMostThreads = 1 << 20;

private:
    std::unique_ptr<Gpu> gpu_;
    std::unique_ptr<Module> module_;
    std::uint64_t out_ = 0;
};

void expect_work(Program& program, std::uint32_t threads, std::uint32_t turns) {
    const auto results = program.results(threads);
    for (std::uint32_t i = 0; i < threads; ++i) ASSERT_EQ(results[i], after(i, turns)) << i;
}

TEST(KernelCompiler, IsQuickUntilRunningHasTakenAsLongAsCompiling) {
    Program program(work(""), Compiling::by_need);
    program.launch(1, 32, 1);
    ASSERT_TRUE(program.is_quick());
    while (program.code().running < program.code().compiling) {
        program.launch(1, 32, 10000);
        EXPECT_TRUE(program.is_quick());  // of one block: it cannot be exchanged meanwhile
        expect_work(program, 32, 10000);
    }
    program.launch(1, 32, 77);
    EXPECT_FALSE(program.is_quick());
    expect_work(program, 32, 77);
}

TEST(KernelCompiler, IsThoroughAtOnceForManyThreads) {
    Program program(work(""), Compiling::by_need);
    program.launch(Program::kMostThreads / 256, 256, 3);
    EXPECT_FALSE(program.is_quick());
    expect_work(program, Program::kMostThreads, 3);
}

TEST(KernelCompiler, IsAsTheOptionsSay) {
    for (const Compiling compiling : {Compiling::quickly, Compiling::thoroughly}) {
        Program program(work(""), compiling);
        program.launch(1000, 64, 5000);
        program.launch(1, 64, 2);
        EXPECT_EQ(program.is_quick(), compiling == Compiling::quickly);
        expect_work(program, 64, 2);
    }
}

// Its frames are to stay small, since nobody knows how many there will be.
TEST(KernelCompiler, IsThoroughWhereAFunctionCallsItself) {
    Program program(kRecursive, Compiling::by_need);
    program.launch(1, 1, 500);
    EXPECT_FALSE(program.is_quick());
    EXPECT_EQ(program.results(1)[0], 500u * 501u / 2u);
}

// As many blocks as run for some thirty times as long as compiling takes.
class Exchanged : public testing::TestWithParam<std::tuple<const char*, unsigned>> {};

TEST_P(Exchanged, WhileALongLaunchRuns) {
    const auto [barrier, workers] = GetParam();
    Program program(work(barrier), Compiling::by_need, workers);
    constexpr std::uint32_t kBlocks = 2000, kThreads = 64, kTurns = 40000;
    program.launch(1, kThreads, 1);
    ASSERT_TRUE(program.is_quick());
    const jit::KernelEntry quick = program.code().compiled.entry;
    program.launch(kBlocks, kThreads, kTurns);
    EXPECT_NE(program.code().compiled.entry, quick);
    EXPECT_EQ(program.code().compiled.needs_fibers, *barrier != 0);
    EXPECT_FALSE(program.is_quick())
        << program.code().compiling.count() << " ns to compile, " << program.code().running.count();
    expect_work(program, kBlocks * kThreads, kTurns);
}

INSTANTIATE_TEST_SUITE_P(KernelCompiler, Exchanged,
                         testing::Combine(testing::Values("", "bar.sync 0;"),
                                          testing::Values(1u, 2u)));

}  // namespace
}  // namespace wideload::gpu

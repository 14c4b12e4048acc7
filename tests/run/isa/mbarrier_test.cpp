// SPDX-License-Identifier: Apache-2.0
// mbarrier against a model kept in plain numbers: one thread takes random steps, and after each
// asks the object all that PTX lets it ask.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "machine.h"

namespace wideload::isa {
namespace {

constexpr std::uint32_t kMostBytes = (1u << 20) - 1;

/// What the PTX manual says of an mbarrier object.
struct Model {
    std::uint64_t phase = 0;
    std::uint32_t expected = 0, pending = 0;
    std::int64_t bytes = 0;

    void end_phase_if_complete() {
        if (pending != 0 || bytes != 0) return;
        ++phase;
        pending = expected;
    }
};

/// A kernel of one thread, and what it must write.
class Script {
public:
    explicit Script(unsigned seed) : random_(seed) { initialise(); }

    void step() {
        switch (below(8)) {
            case 0:
            case 1:
                return arrive();
            case 2:
                return drop();
            case 3:
                return arrive_and_expect();
            case 4:
                return expect();
            case 5:
            case 6:
                return complete();
            default:
                if (below(10) == 0) reinitialise();
        }
    }

    [[nodiscard]] std::string kernel() const {
        return ".version 8.0\n.target sm_90\n.address_size 64\n"
               ".visible .entry script(.param .u64 results)\n{\n"
               ".reg .b64 %out, %state, %generic;\n.reg .b32 %count, %at;\n.reg .pred %done;\n"
               ".shared .align 8 .b8 unused[24];\n.shared .align 8 .b64 object;\n"
               "ld.param.u64 %out, [results];\ncvta.to.global.u64 %out, %out;\n"
               "mov.u32 %at, object;\nmov.u64 %generic, object;\n"
               "cvta.shared.u64 %generic, %generic;\n" +
               text_ + "ret;\n}\n";
    }
    [[nodiscard]] const std::vector<std::uint32_t>& expected() const { return expected_; }

private:
    std::uint32_t below(std::uint32_t bound) { return random_() % bound; }

    /// The object through its own space, or through a generic address.
    std::string place() { return below(3) == 0 ? "" : below(2) == 0 ? ".shared" : ".shared::cta"; }

    void emit(std::string_view operation, std::string_view semantics, std::string_view before,
              std::string_view after) {
        const std::string space = place();
        text_ += fmt::format("mbarrier.{}{}{}.b64 {}[{}]{};\n", operation, semantics, space, before,
                             space.empty() ? "%generic" : "%at", after);
    }

    void write(std::string_view reg, std::uint32_t value) {
        text_ += fmt::format("st.global.u32 [%out + {}], {};\n", expected_.size() * 4, reg);
        expected_.push_back(value);
    }

    /// An arrival gives the state before it.
    void expect_state_before(const Model& before, std::string_view destination) {
        if (destination != "%state, ") return;
        text_ += "mbarrier.pending_count.b64 %count, %state;\n";
        write("%count", before.pending);
        state_phase_ = before.phase;
        has_state_ = true;
    }

    void ask() {
        const std::string_view wait = below(2) == 0 ? "test_wait" : "try_wait";
        const auto ask_one = [&](std::string_view semantics, std::string_view operand, bool ended) {
            emit(fmt::format("{}{}", wait, semantics), "", "%done, ", operand);
            text_ += "selp.u32 %count, 1, 0, %done;\n";
            write("%count", ended ? 1 : 0);
        };
        const auto parity = static_cast<std::uint32_t>(model_.phase & 1);
        ask_one(".parity", fmt::format(", {}", 1 - parity), true);
        ask_one(".parity.acquire.cta", fmt::format(", {}", parity), false);
        // A state is good for its own phase and the next.
        if (has_state_ && state_phase_ + 1 >= model_.phase) {
            ask_one(".acquire.cta", ", %state", state_phase_ != model_.phase);
        }
    }

    void initialise() {
        model_ = {0, 1 + below(below(2) == 0 ? 4 : kMostBytes), 0, 0};
        model_.pending = model_.expected;
        has_state_ = false;
        emit("init", "", "", fmt::format(", {}", model_.expected));
        ask();
    }

    void reinitialise() {
        emit("inval", "", "", "");
        initialise();
    }

    std::string_view destination() { return below(3) == 0 ? "_, " : "%state, "; }

    void arrive() {
        if (model_.pending == 0) return;
        const bool all = below(2) == 0;
        const std::uint32_t count = all ? model_.pending : 1 + below(model_.pending);
        const bool stays = count < model_.pending || model_.bytes != 0;
        const Model before = model_;
        // A sink needs a form that drops its state, which .noComplete has not.
        const bool no_complete = stays && below(2) == 0;
        const std::string_view to = no_complete ? "%state, " : destination();
        emit(no_complete ? "arrive.noComplete" : "arrive", below(2) == 0 ? "" : ".release.cta", to,
             count == 1 && !no_complete && below(2) == 0 ? "" : fmt::format(", {}", count));
        model_.pending -= count;
        model_.end_phase_if_complete();
        expect_state_before(before, to);
        ask();
    }

    void drop() {
        if (model_.pending == 0 || model_.expected < 2) return;
        const std::uint32_t count = 1 + below(std::min(model_.pending, model_.expected - 1));
        const Model before = model_;
        const std::string_view to = destination();
        emit("arrive_drop", "", to, fmt::format(", {}", count));
        model_.expected -= count;
        model_.pending -= count;
        model_.end_phase_if_complete();
        expect_state_before(before, to);
        ask();
    }

    std::uint32_t some_bytes() {
        const auto room =
            static_cast<std::uint32_t>(kMostBytes - std::max<std::int64_t>(model_.bytes, 0));
        return room == 0 ? 0 : below(below(2) == 0 ? std::min(room, 64u) : room);
    }

    void arrive_and_expect() {
        if (model_.pending == 0) return;
        const Model before = model_;
        const std::string_view to = destination();
        const std::uint32_t bytes = some_bytes();
        emit("arrive.expect_tx", ".release.cta", to, fmt::format(", {}", bytes));
        model_.bytes += bytes;
        --model_.pending;
        model_.end_phase_if_complete();
        expect_state_before(before, to);
        ask();
    }

    void expect() {
        // Without a pending arrival the phase could be over before its bytes are expected.
        if (model_.pending == 0) return;
        const std::uint32_t bytes = some_bytes();
        emit("expect_tx", ".relaxed.cta", "", fmt::format(", {}", bytes));
        model_.bytes += bytes;
        ask();
    }

    void complete() {
        if (model_.bytes <= 0) return;
        const auto outstanding = static_cast<std::uint32_t>(model_.bytes);
        const std::uint32_t bytes = below(2) == 0 ? outstanding : 1 + below(outstanding);
        emit("complete_tx", "", "", fmt::format(", {}", bytes));
        model_.bytes -= bytes;
        model_.end_phase_if_complete();
        ask();
    }

    std::mt19937 random_;
    Model model_;
    std::uint64_t state_phase_ = 0;
    bool has_state_ = false;
    std::string text_;
    std::vector<std::uint32_t> expected_;
};

TEST(Mbarrier, AnyStepsOfOneThread) {
    for (unsigned seed = 1; seed <= 12; ++seed) {
        Script script(seed);
        for (int i = 0; i < 150; ++i) script.step();
        std::vector<std::uint32_t> results(script.expected().size(), 77);
        const std::uint64_t address = machine().upload(std::as_bytes(std::span(results)));
        const std::uint64_t parameters[] = {address};
        ASSERT_EQ(machine().run(script.kernel(), "script", {}, {}, parameters), "")
            << script.kernel();
        machine().download(address, std::as_writable_bytes(std::span(results)));
        machine().free(address);
        const auto [got, wanted] =
            std::mismatch(results.begin(), results.end(), script.expected().begin());
        ASSERT_EQ(got, results.end()) << "seed " << seed << ": result " << got - results.begin()
                                      << " is " << *got << " instead of " << *wanted << "\n"
                                      << script.kernel();
    }
}

/// Runs a kernel whose threads each write one word. @return the words
std::vector<std::uint32_t> run(const std::string& body, unsigned threads) {
    const std::string text =
        ".version 8.0\n.target sm_90\n.address_size 64\n"
        ".visible .entry kernel(.param .u64 results)\n{\n"
        ".reg .b64 %out, %state;\n.reg .b32 %thread, %result, %at, %i;\n.reg .pred %p, %q;\n"
        ".shared .align 8 .b64 object[4];\n.shared .align 4 .b32 word[256];\n"
        "ld.param.u64 %out, [results];\ncvta.to.global.u64 %out, %out;\n"
        "mov.u32 %thread, %tid.x;\nmad.wide.u32 %out, %thread, 4, %out;\nmov.u32 %result, 0;\n" +
        body + "st.global.u32 [%out], %result;\nret;\n}\n";
    std::vector<std::uint32_t> results(threads, 77);
    const std::uint64_t address = machine().upload(std::as_bytes(std::span(results)));
    const std::uint64_t parameters[] = {address};
    EXPECT_EQ(machine().run(text, "kernel", {}, {threads}, parameters), "");
    machine().download(address, std::as_writable_bytes(std::span(results)));
    machine().free(address);
    return results;
}

// Every lane's arrival counts, and all get the state that the first of them found.
TEST(Mbarrier, LanesOfAWarpArriveAsOne) {
    const auto results =
        run("setp.ne.u32 %p, %thread, 0;\n@%p bra ready;\n"
            "mbarrier.init.shared.b64 [object], 40;\nready:\nbar.sync 0;\n"
            "mbarrier.arrive.shared.b64 %state, [object];\n"
            "mbarrier.pending_count.b64 %result, %state;\n"
            "@%p bra done;\n"
            "mbarrier.arrive.shared.b64 %state, [object];\n"
            "mbarrier.pending_count.b64 %i, %state;\n"
            "mad.lo.u32 %result, %result, 100, %i;\ndone:\n",
            32);
    for (std::uint32_t i = 1; i < 32; ++i) EXPECT_EQ(results[i], 40) << "arrival " << i;
    EXPECT_EQ(results[0], 40 * 100 + 8);
}

// A lane waits for another lane of its own warp, and for other warps, that have not come yet.
TEST(Mbarrier, WaitingLanesLetOthersArrive) {
    for (const std::string_view wait : {"test_wait", "try_wait"}) {
        const auto results = run(
            fmt::format("setp.ne.u32 %p, %thread, 0;\n@%p bra ready;\n"
                        "mbarrier.init.shared.b64 [object], 64;\nready:\nbar.sync 0;\n"
                        // Even threads wait before they would pass the place where odd ones arrive.
                        "and.b32 %i, %thread, 1;\nsetp.eq.u32 %p, %i, 1;\n@%p bra arrives;\n"
                        "waits:\nmbarrier.{}.parity.shared.b64 %q, [object], 0;\n@!%q bra waits;\n"
                        "ld.shared.u32 %result, [word + 4];\nbra done;\n"
                        "arrives:\nst.shared.u32 [word + 4], 5;\n"
                        "mbarrier.arrive.shared.b64 _, [object];\nmov.u32 %result, 6;\ndone:\n",
                        wait),
            128);
        for (std::size_t i = 0; i < results.size(); ++i) {
            EXPECT_EQ(results[i], i % 2 == 0 ? 5u : 6u) << "thread " << i << ", " << wait;
        }
    }
}

// Lanes may wait for different objects and phases at once.
TEST(Mbarrier, LanesAskForTheirOwnObjects) {
    const auto results =
        run("setp.gt.u32 %p, %thread, 3;\n@%p bra ready;\nmov.u32 %at, object;\n"
            "mad.lo.u32 %at, %thread, 8, %at;\nmbarrier.init.shared.b64 [%at], 1;\n"
            "and.b32 %i, %thread, 1;\nsetp.eq.u32 %q, %i, 0;\n"
            "@%q mbarrier.arrive.shared.b64 _, [%at];\nready:\nbar.sync 0;\n"
            "mov.u32 %at, object;\nand.b32 %i, %thread, 3;\nmad.lo.u32 %at, %i, 8, %at;\n"
            "shr.u32 %i, %thread, 4;\n"
            "mbarrier.test_wait.parity.shared.b64 %p, [%at], %i;\nselp.u32 %result, 1, 0, %p;\n",
            32);
    for (unsigned lane = 0; lane < 32; ++lane) {
        const bool in_odd_phase = lane % 2 == 0, asks_odd = lane >= 16;
        EXPECT_EQ(results[lane], in_odd_phase != asks_odd ? 1u : 0u) << "lane " << lane;
    }
}

// A thread's asynchronous copies arrive in its stead: expected ones count, others leave no trace.
TEST(Mbarrier, AsynchronousCopiesArrive) {
    const auto arrivals = [](std::string_view form) {
        return run(fmt::format("setp.ne.u32 %p, %thread, 0;\n@%p bra ready;\n"
                               "mbarrier.init.shared.b64 [object], 33;\nready:\nbar.sync 0;\n"
                               "cp.async.mbarrier.arrive{}.shared.b64 [object];\n"
                               "cp.async.wait_all;\nbar.sync 0;\n"
                               "setp.ne.u32 %p, %thread, 0;\n@%p bra done;\n"
                               "mbarrier.arrive.shared.b64 %state, [object];\n"
                               "mbarrier.pending_count.b64 %result, %state;\ndone:\n",
                               form),
                   32)[0];
    };
    EXPECT_EQ(arrivals(".noinc"), 1u);
    EXPECT_EQ(arrivals(""), 33u);
}

}  // namespace
}  // namespace wideload::isa

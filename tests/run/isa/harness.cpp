// SPDX-License-Identifier: Apache-2.0
#include "harness.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "golden_vectors.h"
#include "kernel_text.h"
#include "machine.h"
#include "values.h"

namespace wideload::isa {
namespace {

constexpr unsigned kMismatchesShown = 4;

/// Device memory that is freed with its scope.
class Buffer {
public:
    explicit Buffer(std::span<const Bits> values)
        : address_(machine().upload(std::as_bytes(values))) {}
    ~Buffer() { machine().free(address_); }
    Buffer(const Buffer&) = delete;
    Buffer& operator=(const Buffer&) = delete;
    [[nodiscard]] std::uint64_t address() const { return address_; }
    [[nodiscard]] std::vector<Bits> read(std::size_t count) const {
        std::vector<Bits> values(count);
        machine().download(address_, std::as_writable_bytes(std::span(values)));
        return values;
    }

private:
    std::uint64_t address_;
};

/// The arrays that the kernel reads.
struct Inputs {
    std::vector<Bits> varying, uniform, masks;
};

/// Lanes of partial sections: no lane, one, all, halves, and random ones.
std::uint32_t partial_mask(std::uint32_t warp, std::mt19937_64& random) {
    switch (warp % 8) {
        case 0:
            return 0;
        case 1:
            return 1u << (random() % kLanes);
        case 2:
            return ~0u;
        case 3:
            return 0x0000ffff;
        case 4:
            return 0xaaaaaaaa;
        default:
            return static_cast<std::uint32_t>(random());
    }
}

Inputs make_inputs(const Form& form) {
    const std::size_t count = form.operands.size();
    Inputs inputs{std::vector<Bits>((count + 1) * kAllThreads),
                  std::vector<Bits>(count * kAllWarps), std::vector<Bits>(kAllWarps)};
    OperandValues varying(form, true), uniform(form, false);
    std::vector<Bits> operands;
    for (std::uint32_t thread = 0; thread < kAllThreads; ++thread) {
        varying.take(operands);
        for (std::size_t i = 0; i < count; ++i)
            inputs.varying[i * kAllThreads + thread] = operands[i];
    }
    std::mt19937_64 random(7);
    for (std::uint32_t warp = 0; warp < kAllWarps; ++warp) {
        uniform.take(operands);
        for (std::size_t i = 0; i < count; ++i) inputs.uniform[i * kAllWarps + warp] = operands[i];
        const std::uint32_t mask = partial_mask(warp, random);
        inputs.masks[warp] = mask;
        for (unsigned lane = 0; lane < kLanes; ++lane) {
            inputs.varying[count * kAllThreads + warp * kLanes + lane] = mask >> lane & 1;
        }
    }
    return inputs;
}

WarpInput warp_input(const Form& form, const Section& section, const Inputs& inputs,
                     std::uint32_t warp) {
    WarpInput input;
    input.active =
        section.lanes == Section::Lanes::all ? ~0u : static_cast<std::uint32_t>(inputs.masks[warp]);
    input.operands.resize(form.operands.size());
    for (std::size_t i = 0; i < form.operands.size(); ++i) {
        Lanes& lanes = input.operands[i];
        if (section.literal && form.literals->operand == i) {
            lanes.fill(*section.literal);
        } else if (section.uniform[i]) {
            lanes.fill(inputs.uniform[i * kAllWarps + warp]);
        } else {
            const Bits* first = &inputs.varying[i * kAllThreads + warp * kLanes];
            std::copy(first, first + kLanes, lanes.begin());
        }
    }
    return input;
}

/// Compares one form's results, and tells of the first few that differ.
class Comparison {
public:
    Comparison(const Form& form, const std::string& name, const Inputs& inputs,
               std::vector<Bits> actual)
        : form_(form), inputs_(inputs), actual_(std::move(actual)), golden_(form, name) {}

    void run(const std::vector<Section>& sections) {
        for (std::size_t s = 0; s < sections.size(); ++s) {
            if (lost_on_hardware(sections[s]) && machine().is_hardware()) continue;
            for (std::uint32_t warp = 0; warp < kAllWarps; ++warp) {
                compare_warp(sections[s], s, warp);
            }
        }
        golden_.finish();
        if (mismatches_ > 0) {
            ADD_FAILURE() << form_.text << ": " << mismatches_ << " lanes differ\n" << report_;
        }
    }

private:
    [[nodiscard]] bool lost_on_hardware(const Section& section) const {
        return form_.guard_lost_on_hardware && section.lanes == Section::Lanes::guarded;
    }

    void compare_warp(const Section& section, std::size_t number, std::uint32_t warp) {
        const WarpInput input = warp_input(form_, section, inputs_, warp);
        WarpResults expected(form_.results.size());
        std::vector<Bits> operands(input.operands.size());
        form_.reference(input, expected);
        for (std::size_t r = 0; r < expected.size(); ++r) {
            for (unsigned lane = 0; lane < kLanes; ++lane) {
                const bool active = (input.active >> lane & 1) != 0;
                if (active && (expected.undefined >> lane & 1) != 0) continue;
                const Bits wanted = active ? expected[r][lane] : sentinel(form_.results[r]);
                const Bits got =
                    actual_[(number * expected.size() + r) * kAllThreads + warp * kLanes + lane];
                for (std::size_t i = 0; i < operands.size(); ++i) {
                    operands[i] = input.operands[i][lane];
                }
                if (active && !lost_on_hardware(section)) golden_.add(operands, wanted, got);
                std::optional<std::string> wrong;
                if (active && form_.judge) {
                    wrong = form_.judge(operands, wanted, got);
                } else if (wanted != got) {
                    wrong = active ? "" : "a lane that does not execute was changed";
                }
                if (wrong) note(section, r, warp, lane, operands, wanted, got, *wrong);
            }
        }
    }

    void note(const Section& section, std::size_t result, std::uint32_t warp, unsigned lane,
              const std::vector<Bits>& operands, Bits wanted, Bits got, const std::string& why) {
        if (++mismatches_ > kMismatchesShown) return;
        report_ += fmt::format("  {}, warp {} lane {}: ({:#x}) -> ${} = {:#x}, expected {:#x} {}\n",
                               section.name, warp, lane, fmt::join(operands, ", "),
                               kResultNames[result], got, wanted, why);
    }

    const Form& form_;
    const Inputs& inputs_;
    std::vector<Bits> actual_;
    GoldenVector golden_;
    std::size_t mismatches_ = 0;
    std::string report_;
};

void check_form(const Form& form, const std::string& name) {
    const Inputs inputs = make_inputs(form);
    const std::vector<Section> sections = sections_of(form);
    const std::size_t result_count = sections.size() * form.results.size() * kAllThreads;
    const Buffer varying(inputs.varying), masks(inputs.masks);
    // A form without operands has no shared ones.
    const Buffer uniform(inputs.uniform.empty() ? inputs.masks : inputs.uniform);
    const Buffer results(std::vector<Bits>(result_count, 0));
    const std::uint64_t parameters[] = {varying.address(), uniform.address(), masks.address(),
                                        results.address()};
    const std::string text = kernel_text(form, sections);
    const std::string error = machine().run(text, kKernelName, {kBlocks}, {kThreads}, parameters);
    if (!error.empty()) {
        ADD_FAILURE() << form.text << ": " << error;
        return;
    }
    Comparison(form, name, inputs, results.read(result_count)).run(sections);
}

}  // namespace

void check(std::span<const Form> forms) {
    for (const Form& form : forms) {
        const std::string name = next_form_name();
        if (form.needs_sm100 && !machine().has_sm100()) continue;
        if (!form.unlike_hardware.empty() && machine().is_hardware()) continue;
        check_form(form, name);
    }
}

}  // namespace wideload::isa

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "form.h"

/// What an H200 computed for each form, kept in tests/data/isa_h200.txt: the judge between the
/// references and the engine where no GPU is at hand. A run on hardware with
/// WIDELOAD_ISA_RECORD=FILE in the environment writes such a file; one on the virtual GPU with
/// WIDELOAD_ISA_UNRECORDED=FILE lists the forms without a row.
namespace wideload::isa {

/// Of the next form of the running test: its test and number, "Integer.Addition#3".
[[nodiscard]] std::string next_form_name();

/// Collects one form's results, then holds them against their row of the file, or writes the row.
class GoldenVector {
public:
    /// @param name of the form among all
    GoldenVector(const Form& form, std::string name) : form_(form), name_(std::move(name)) {}

    /// One lane's result: always the same lanes in the same order.
    void add(const std::vector<Bits>& operands, Bits wanted, Bits got);

    /// On hardware: writes what it computed. On the virtual GPU: fails the test where the reference
    /// is not what the hardware computed, bit for bit, or by the form's judge in its first results.
    void finish() const;

private:
    struct Result {
        std::vector<Bits> operands;
        Bits wanted, got;
    };
    [[nodiscard]] std::size_t kept() const { return form_.judge ? 128 : 32; }
    void write() const;
    void compare() const;
    /// What no row can be of must be listed, so that coverage sees it executed.
    void list_as_unrecorded() const;

    const Form& form_;
    std::string name_;
    std::vector<Result> first_;
    std::uint64_t wanted_digest_ = kDigestStart, got_digest_ = kDigestStart;

    static constexpr std::uint64_t kDigestStart = 0xcbf29ce484222325;
};

}  // namespace wideload::isa

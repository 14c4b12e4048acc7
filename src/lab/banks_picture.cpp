// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "arch/compute_capability.h"
#include "lab/picture.h"
#include "report/svg.h"

namespace wideload::lab {
namespace {

namespace svg = report::svg;

constexpr unsigned kBanks = arch::kSharedBanks;
constexpr std::uint64_t kWordBytes = 4;
constexpr double kPitch = kPictureWidth / kBanks, kBanksTop = 16, kWordHeight = 15;

/// The words of one bank, each with the first lane that asks for it and how many do.
struct Word {
    unsigned lane = 0;
    unsigned lanes = 0;
};
using Banks = std::array<std::map<std::uint64_t, Word>, kBanks>;

Banks banks_of(const Request& request) {
    Banks banks;
    for (unsigned lane = 0; lane < arch::kWarpSize; ++lane) {
        if ((request.mask >> lane & 1) == 0) continue;
        const std::uint64_t first = request.addresses[lane] / kWordBytes;
        const std::uint64_t end = request.addresses[lane] + std::max(request.bytes_per_lane, 1U);
        for (std::uint64_t word = first; word * kWordBytes < end; ++word) {
            Word& asked = banks[word % kBanks][word];
            if (asked.lanes++ == 0) asked.lane = lane;
        }
    }
    return banks;
}

/// "0+": lane 0 and others.
std::string label_of(const Word& asked) {
    return asked.lanes == 1 ? std::to_string(asked.lane) : fmt::format("{}+", asked.lane);
}

std::string draw_bank(const std::map<std::uint64_t, Word>& words, unsigned bank) {
    const double x = bank * kPitch;
    std::string content = svg::text(x + kPitch / 2, kBanksTop - 4, std::to_string(bank), 9);
    double y = kBanksTop;
    for (const auto& [word, asked] : words) {
        content += svg::rectangle({x + 1, y, kPitch - 2, kWordHeight - 1},
                                  fmt::format(R"(fill="{}")", svg::lane_colour(asked.lane)));
        content += svg::text(x + kPitch / 2, y + 11, label_of(asked), 9);
        y += kWordHeight;
    }
    return content;
}

}  // namespace

std::string banks_picture(const Request& request) {
    const Banks banks = banks_of(request);
    std::size_t highest = 0, used = 0;
    bool shared = false;
    std::string content;
    for (unsigned bank = 0; bank < kBanks; ++bank) {
        content += draw_bank(banks[bank], bank);
        highest = std::max(highest, banks[bank].size());
        if (!banks[bank].empty()) ++used;
        for (const auto& [_, asked] : banks[bank]) shared = shared || asked.lanes > 1;
    }
    const double bottom =
        kBanksTop + static_cast<double>(std::max<std::size_t>(highest, 1)) * kWordHeight;
    content += svg::line(0, kBanksTop - 1, kPictureWidth, kBanksTop - 1, R"(stroke="#555")");
    const std::string caption = fmt::format(
        "{} of 32 banks asked, at most {} different {} in one; the figures are lanes{}", used,
        highest, highest == 1 ? "word" : "words", shared ? "; a + stands for more of them" : "");
    content += svg::text(kPictureWidth / 2, bottom + 16, caption, 13);
    return svg::drawing(kPictureWidth, bottom + 24, content, caption);
}

}  // namespace wideload::lab

// SPDX-License-Identifier: Apache-2.0
#include "report/code_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "report/words.h"

namespace wideload::report {
namespace {

std::string exact_bytes(std::uint64_t bytes) { return grouped(bytes) + " B"; }

std::string spills_of(const sass::KernelCode& kernel) {
    if (!kernel.spills) {
        return "spills not marked (by toolkits before 13.0; local accesses may be some)";
    }
    return spill_words(*kernel.spills);
}

std::string constant_words(const image::CubinKernel& kernel) {
    std::uint64_t bytes = 0;
    for (const image::CubinConstantBank& bank : kernel.constant_banks) bytes += bank.bytes;
    return exact_bytes(bytes) + " constant";
}

}  // namespace

std::string spill_words(const sass::SpillTotals& spills) {
    if (spills == sass::SpillTotals{}) return "no spills";
    return fmt::format("spills: {} ({}) and {} ({})", counted(spills.stores, "store"),
                       exact_bytes(spills.store_bytes), counted(spills.loads, "load"),
                       exact_bytes(spills.load_bytes));
}

std::string resource_words(const sass::KernelCode& kernel) {
    const image::CubinKernel& resources = kernel.resources;
    const std::uint64_t stack = std::max(resources.stack_bytes, resources.frame_bytes);
    return fmt::format(
        "{}, {}, {}, {}, {}, {}", counted(resources.registers, "register"), spills_of(kernel),
        stack == 0 ? "no stack" : exact_bytes(stack) + " stack",
        resources.static_shared_bytes == 0 ? "no shared memory"
                                           : exact_bytes(resources.static_shared_bytes) + " shared",
        resources.barriers == 0 ? "no barriers" : counted(resources.barriers, "barrier"),
        constant_words(resources));
}

std::string mix_words(const sass::KernelCode& kernel) {
    std::vector<std::pair<std::uint64_t, sass::Category>> shares;
    for (std::size_t i = 0; i < sass::kCategories; ++i) {
        if (kernel.mix[i] != 0) shares.emplace_back(kernel.mix[i], static_cast<sass::Category>(i));
    }
    std::ranges::stable_sort(shares, std::ranges::greater{},
                             &std::pair<std::uint64_t, sass::Category>::first);
    std::string text = counted(kernel.instructions, "instruction");
    for (std::size_t i = 0; i < shares.size(); ++i) {
        text += fmt::format("{}{} {}", i == 0 ? ": " : ", ", grouped(shares[i].first),
                            sass::name(shares[i].second));
    }
    return text;
}

std::string access_words(const sass::Access& access) {
    return fmt::format("{} {}", access.spill ? "spill" : sass::name(access.space),
                       sass::name(access.action));
}

}  // namespace wideload::report

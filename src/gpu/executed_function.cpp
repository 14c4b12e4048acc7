// SPDX-License-Identifier: Apache-2.0
#include <ranges>

#include "gpu/kernel.h"
#include "simt/analysis.h"
#include "simt/unroll.h"

namespace wideload::gpu {
namespace {

std::vector<simt::CountedLoop> loops_to_unroll(const Kernel& kernel, simt::ThreadLayout layout) {
    const std::optional<std::uint32_t> loads = machine_loads(kernel);
    if (!loads) return {};
    auto loops = simt::loops_unrolled_in_machine_code(*kernel.function, *loads);
    if (loops.empty()) return loops;
    const simt::Analysis analysis =
        simt::analyse(*kernel.function, layout, /*is_called=*/false, /*calls_may_wait=*/true);
    // Lanes that all take the same number of turns meet anyway.
    std::erase_if(loops, [&](const simt::CountedLoop& loop) {
        return analysis.shapes[loop.again].is_uniform();
    });
    return loops;
}

}  // namespace

const ptx::Function& executed_function(Kernel& kernel, simt::ThreadLayout layout) {
    const auto known = kernel.unrolled.find(layout);
    if (known != kernel.unrolled.end()) return known->second;
    const auto loops = loops_to_unroll(kernel, layout);
    if (loops.empty()) return *kernel.function;
    ptx::Function& function = kernel.unrolled.emplace(layout, *kernel.function).first->second;
    // From the last on, so that the others stay where they were found.
    for (const simt::CountedLoop& loop : std::views::reverse(loops)) simt::unroll(function, loop);
    return function;
}

}  // namespace wideload::gpu

// SPDX-License-Identifier: Apache-2.0
#include "engine.h"

#include <fmt/format.h>

#include <bit>
#include <cstring>
#include <stdexcept>

#include "ptx/parser.h"
#include "random_source.h"

namespace wideload::fuzz {
namespace {

Memory memory_before(const Kernel& kernel) {
    RandomSource random(kernel.seed);
    const auto filled = [&](std::uint64_t bytes) {
        std::vector<std::uint8_t> array(bytes);
        for (std::uint8_t& byte : array) byte = static_cast<std::uint8_t>(random.bits() >> 20);
        return array;
    };
    Memory memory{filled(kInputBytes + 2 * kInputMargin), {}, filled(kTotalsBytes)};
    memory.output.assign(kernel.output_bytes + 64, 0xa5);
    return memory;
}

Difference compare_bytes(const char* name, const std::vector<std::uint8_t>& expected,
                         const std::byte* actual) {
    if (std::memcmp(expected.data(), actual, expected.size()) == 0) return {};
    std::size_t different = 0, first = expected.size();
    for (std::size_t i = 0; i < expected.size(); ++i) {
        if (std::to_integer<std::uint8_t>(actual[i]) == expected[i]) continue;
        ++different;
        first = std::min(first, i);
    }
    std::uint32_t want = 0, got = 0;
    const std::size_t word = std::min(first / 4 * 4, expected.size() - 4);
    std::memcpy(&want, expected.data() + word, 4);
    std::memcpy(&got, actual + word, 4);
    return {Difference::Kind::memory,
            fmt::format("{}: {} bytes differ; at byte {}: expected {:#010x}, got {:#010x}", name,
                        different, word, want, got)};
}

struct Counted {
    std::uint64_t requests = 0, active_lanes = 0, sectors = 0, distinct_bytes = 0,
                  ideal_sectors = 0, wavefronts = 0;
    bool is_shared = false, is_local = false, is_atomic = false;
    unsigned bytes_per_lane = 0;
};

/// A line's memory sites, those of a generic access as one.
Counted counted_at(const profile::Launch& launch, unsigned line) {
    using profile::SiteKind;
    Counted counted;
    for (const profile::Site& site : *launch.sites) {
        if (site.ptx_line != line || site.kind == SiteKind::branch ||
            site.requests.value_or(0) == 0)
            continue;
        counted.requests += site.requests.value_or(0);
        counted.active_lanes += site.active_lanes.value_or(0);
        counted.sectors += site.sectors.value_or(0);
        counted.distinct_bytes += site.distinct_bytes.value_or(0);
        counted.ideal_sectors += site.ideal_sectors.value_or(0);
        counted.wavefronts += site.wavefronts.value_or(0);
        counted.bytes_per_lane = site.bytes_per_lane();
        counted.is_shared |= site.kind == SiteKind::shared_ld || site.kind == SiteKind::shared_st;
        counted.is_local |= site.kind == SiteKind::local_ld || site.kind == SiteKind::local_st;
        counted.is_atomic |= site.kind == SiteKind::global_red ||
                             site.kind == SiteKind::global_atom ||
                             site.kind == SiteKind::shared_atom;
    }
    return counted;
}

Difference compare_counts(const Kernel& kernel, const Expectation& expected,
                          const profile::Launch& launch, const std::vector<unsigned>& site_lines) {
    std::string what;
    const auto hold = [&](const std::string& place, const char* name, std::uint64_t want,
                          std::uint64_t got) {
        if (want != got && what.empty())
            what = fmt::format("{}: expected {} {}, got {}", place, want, name, got);
    };
    for (unsigned s = 0; s < kernel.sites; ++s) {
        if (site_lines[s] == 0) continue;  // of a statement that was taken out
        const SiteCounts& want = expected.sites[s];
        const Counted got = counted_at(launch, site_lines[s]);
        const std::string place = fmt::format("line {}", site_lines[s]);
        hold(place, "active lanes", want.active_lanes, got.active_lanes);
        if (kernel.site_is_irregular[s]) continue;
        hold(place, "requests", want.requests, got.requests);
        if (got.is_atomic) continue;
        if (got.is_shared) {
            if (got.bytes_per_lane <= 4) hold(place, "wavefronts", want.wavefronts, got.wavefronts);
            continue;
        }
        hold(place, "sectors", want.sectors, got.sectors);
        if (got.is_local) continue;
        hold(place, "distinct bytes", want.distinct_bytes, got.distinct_bytes);
        hold(place, "ideal sectors", want.ideal_sectors, got.ideal_sectors);
    }
    const auto counter = [&](const char* name) {
        const auto found = launch.counters->find(name);
        return found == launch.counters->end() ? 0 : found->second;
    };
    hold("launch", "thread instructions", expected.thread_instructions, counter("thread_inst"));
    if (!kernel.has_irregular) {
        hold("launch", "instructions", expected.instructions, counter("inst"));
        hold("launch", "branches", expected.branches, counter("branch_executions"));
        hold("launch", "divergent branches", expected.divergent_branches,
             counter("branch_divergent"));
    }
    return what.empty() ? Difference{} : Difference{Difference::Kind::counts, what};
}

}  // namespace

Engine::Engine(const std::string& host_isa, unsigned workers, gpu::Compiling compiling) {
    gpu::Options options;
    options.workers = workers;
    options.host_isa = host_isa;
    options.compiling = compiling;
    options.kernel_timeout_s = 20;
    auto created = gpu::Gpu::create(arch::default_device(), options);
    if (!created) throw std::runtime_error(format(created.errors()));
    gpu_ = std::move(*created);
}

void Engine::reserve(std::uint64_t& address, std::uint64_t& size, std::uint64_t needed) {
    if (size >= needed) return;
    if (size > 0) gpu_->memory().free(address);
    size = std::bit_ceil(needed);
    const auto allocated = gpu_->memory().allocate(size, gpu::AllocationKind::device);
    if (!allocated) throw std::runtime_error("no memory for a kernel's arrays");
    address = *allocated;
}

std::vector<Difference> Engine::compare(const std::vector<Kernel>& kernels) {
    const ModuleText module = ptx_text(kernels);
    const auto all = [&](const std::string& why) {
        return std::vector<Difference>(kernels.size(), Difference{Difference::Kind::refused, why});
    };
    auto parsed = ptx::parse(module.text, "kernels.ptx");
    if (!parsed) return all(format(parsed.errors()));
    std::vector<ptx::Module> modules;
    modules.push_back(std::move(*parsed));
    auto loaded = gpu_->load(std::move(modules));
    if (!loaded) return all(format(loaded.errors()));
    std::vector<Difference> differences;
    for (std::size_t k = 0; k < kernels.size(); ++k) {
        differences.push_back(
            compare(kernels[k], *(*loaded)->kernel(kernels[k].name), module.site_lines[k]));
    }
    return differences;
}

Difference Engine::compare(const Kernel& kernel, gpu::Kernel& compiled,
                           const std::vector<unsigned>& site_lines) {
    Memory before = memory_before(kernel);
    reserve(input_, input_bytes_, before.input.size());
    reserve(output_, output_bytes_, before.output.size());
    reserve(totals_, totals_bytes_, before.totals.size());
    const auto upload = [&](std::uint64_t address, const std::vector<std::uint8_t>& bytes) {
        std::memcpy(gpu_->memory().engine_pointer(address), bytes.data(), bytes.size());
    };
    upload(input_, before.input);
    upload(output_, before.output);
    upload(totals_, before.totals);
    const Expectation expected = evaluate(kernel, std::move(before));
    if (!expected.invalid.empty()) return {Difference::Kind::invalid, expected.invalid};

    struct {
        std::uint64_t input, output, totals;
        std::uint32_t word, padding;
        std::uint64_t wide;
        float real;
        std::uint32_t more_padding;
    } const parameters{input_ + kInputMargin, output_,     totals_, kernel.word, 0,
                       kernel.wide,           kernel.real, 0};
    gpu::LaunchConfiguration configuration;
    configuration.grid = {kernel.blocks, 1, 1};
    configuration.block = {kernel.block.x, kernel.block.y, kernel.block.z};
    const gpu::LaunchOutcome outcome =
        gpu_->launch(compiled, configuration, std::as_bytes(std::span(&parameters, 1)));
    if (outcome.fault != gpu::Fault::none)
        return {Difference::Kind::fault, format(outcome.diagnostic)};

    const auto at = [&](std::uint64_t address) { return gpu_->memory().engine_pointer(address); };
    for (const Difference& difference :
         {compare_bytes("output", expected.memory.output, at(output_)),
          compare_bytes("totals", expected.memory.totals, at(totals_)),
          compare_bytes("input", expected.memory.input, at(input_))}) {
        if (difference) return difference;
    }
    // Collectives stand only where their masks name the lanes that come.
    if (!outcome.warnings.empty())
        return {Difference::Kind::warning, format(outcome.warnings.front())};
    return compare_counts(kernel, expected, outcome.profile, site_lines);
}

}  // namespace wideload::fuzz

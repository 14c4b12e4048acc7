// SPDX-License-Identifier: Apache-2.0
// Random kernels on the virtual GPU against a reference that shares no code with it.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <fstream>

#include "engine.h"
#include "generator.h"
#include "minimise.h"

namespace {

using namespace wideload::fuzz;

struct Settings {
    std::uint64_t first_seed = 1, kernels = 300;
    unsigned stage = 0, workers = 1, most_differences = 5;
    std::string host_isa, print_to;
    bool minimises = true, is_large = false, is_quick = false;
};

Stage stage_of(const Settings& settings, std::uint64_t seed) {
    const unsigned stage = settings.stage != 0
                               ? settings.stage
                               : 1 + static_cast<unsigned>(seed % 4 > 2 ? 2 : seed % 4);
    return static_cast<Stage>(stage);
}

void report(Engine& engine, const Settings& settings, const Kernel& kernel,
            const Difference& difference) {
    fmt::print(stderr, "seed {} (stage {}), {} blocks of {}x{}x{}: {}\n", kernel.seed,
               static_cast<unsigned>(stage_of(settings, kernel.seed)), kernel.blocks,
               kernel.block.x, kernel.block.y, kernel.block.z, difference.what);
    if (!settings.minimises) return;
    const Kernel small = minimise(engine, kernel, difference.kind);
    const Difference rest = engine.compare(std::vector<Kernel>{small})[0];
    fmt::print(stderr, "minimised ({} blocks): {}\n{}\n", small.blocks, rest.what,
               ptx_text({small}).text);
}

/// @return kernels that differed
std::uint64_t run(const Settings& settings) {
    Engine engine(settings.host_isa, settings.workers,
                  settings.is_quick ? wideload::gpu::Compiling::quickly
                                    : wideload::gpu::Compiling::thoroughly);
    constexpr std::uint64_t kKernelsPerModule = 16;
    std::uint64_t differing = 0;
    const std::uint64_t end = settings.first_seed + settings.kernels;
    for (std::uint64_t seed = settings.first_seed; seed < end; seed += kKernelsPerModule) {
        std::vector<Kernel> kernels;
        for (std::uint64_t s = seed; s < std::min(end, seed + kKernelsPerModule); ++s) {
            kernels.push_back(generate(s, stage_of(settings, s), settings.is_large));
        }
        const std::vector<Difference> differences = engine.compare(kernels);
        for (std::size_t k = 0; k < kernels.size(); ++k) {
            if (!differences[k]) continue;
            ++differing;
            report(engine, settings, kernels[k], differences[k]);
            if (differing >= settings.most_differences) return differing;
            if (differences[k].kind == Difference::Kind::refused) break;  // the whole module
        }
    }
    return differing;
}

}  // namespace

int main(int argc, char** argv) {
    Settings settings;
    CLI::App app("Runs random kernels and compares memory and counts with a reference.");
    app.add_option("--seed", settings.first_seed, "the first kernel's seed");
    app.add_option("--kernels", settings.kernels, "how many");
    app.add_option("--stage", settings.stage,
                   "1 straight lines, 2 branches, 3 warps and blocks; all of them by turns");
    app.add_flag("--large", settings.is_large, "kernels of hundreds of statements");
    app.add_flag("--quickly", settings.is_quick, "compile them with little effort");
    app.add_option("--workers", settings.workers, "host threads");
    app.add_option("--host-isa", settings.host_isa, "avx512, avx2 or baseline");
    app.add_option("--most-differences", settings.most_differences, "stop after so many");
    app.add_option("--print-to", settings.print_to, "write the kernels' PTX there and run nothing");
    app.add_flag("!--no-minimise", settings.minimises,
                 "show differing kernels by their seeds alone");
    CLI11_PARSE(app, argc, argv);
    if (!settings.print_to.empty()) {
        std::vector<Kernel> kernels;
        for (std::uint64_t s = 0; s < settings.kernels; ++s) {
            kernels.push_back(generate(settings.first_seed + s,
                                       stage_of(settings, settings.first_seed + s),
                                       settings.is_large));
        }
        std::ofstream(settings.print_to) << ptx_text(kernels).text;
        return 0;
    }
    const std::uint64_t differing = run(settings);
    fmt::print("{} kernels from seed {}: {} differ\n", settings.kernels, settings.first_seed,
               differing);
    return differing == 0 ? 0 : 1;
}

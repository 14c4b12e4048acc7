// SPDX-License-Identifier: Apache-2.0
#include "cli/rank.h"

#include <array>
#include <charconv>
#include <cstdlib>
#include <string_view>

namespace wideload::cli {
namespace {

/// How launchers tell a process which of how many it is.
struct Launcher {
    const char* rank;
    const char* size;
};
constexpr std::array kLaunchers = {
    Launcher{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},  // Open MPI
    Launcher{"PMI_RANK", "PMI_SIZE"},                          // MPICH, Intel MPI
    Launcher{"MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE"},    // MVAPICH2
    Launcher{"SLURM_PROCID", "SLURM_NTASKS"},                  // srun
};

std::optional<unsigned> number_in(const char* variable) {
    const char* value = std::getenv(variable);
    if (value == nullptr) return std::nullopt;
    const std::string_view text = value;
    unsigned number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return number;
}

}  // namespace

std::optional<unsigned> rank_of_this_process() {
    for (const Launcher& launcher : kLaunchers) {
        const std::optional<unsigned> rank = number_in(launcher.rank),
                                      size = number_in(launcher.size);
        if (rank && size && *size > 1) return rank;
    }
    return std::nullopt;
}

std::filesystem::path path_of_rank(const std::filesystem::path& path,
                                   std::optional<unsigned> rank) {
    if (!rank || path == "-") return path;
    std::filesystem::path renamed = path;
    renamed.replace_filename(path.stem().string() + ".rank" + std::to_string(*rank) +
                             path.extension().string());
    return renamed;
}

}  // namespace wideload::cli

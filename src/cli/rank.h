// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace wideload::cli {

/// The rank of this process where a launcher (mpirun, srun) started several of it; nothing where it
/// runs alone.
[[nodiscard]] std::optional<unsigned> rank_of_this_process();

/// `p.json` of rank 3 is `p.rank3.json`: ranks that each run wideload must not overwrite each
/// other's files. A file that runs alone keeps its name, and so does "-", stdout.
[[nodiscard]] std::filesystem::path path_of_rank(const std::filesystem::path& path,
                                                 std::optional<unsigned> rank);

}  // namespace wideload::cli

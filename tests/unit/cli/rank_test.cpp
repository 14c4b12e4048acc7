// SPDX-License-Identifier: Apache-2.0
#include "cli/rank.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace wideload::cli {
namespace {

// mpirun -n 4 wideload run --json p.json -- ./a: four processes are given one name.
TEST(Rank, TellsTheFilesOfRanksApart) {
    EXPECT_EQ(path_of_rank("out/p.json", 3), "out/p.rank3.json");
    EXPECT_EQ(path_of_rank("p", 0), "p.rank0");
    EXPECT_EQ(path_of_rank("out/p.json", std::nullopt), "out/p.json");
}

TEST(Rank, IsWhatTheLauncherSays) {
    ::setenv("OMPI_COMM_WORLD_RANK", "2", 1);
    ::setenv("OMPI_COMM_WORLD_SIZE", "4", 1);
    EXPECT_EQ(rank_of_this_process(), 2u);
    ::setenv("OMPI_COMM_WORLD_SIZE", "1", 1);
    EXPECT_EQ(rank_of_this_process(), std::nullopt) << "alone, a file keeps its name";
    ::setenv("OMPI_COMM_WORLD_SIZE", "many", 1);
    EXPECT_EQ(rank_of_this_process(), std::nullopt);
    ::unsetenv("OMPI_COMM_WORLD_RANK");
    ::unsetenv("OMPI_COMM_WORLD_SIZE");
}

}  // namespace
}  // namespace wideload::cli

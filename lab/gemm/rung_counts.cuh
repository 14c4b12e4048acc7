// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "requests.cuh"
#include "rungs.cuh"

namespace gemm {

/// What a rung must count for a product of two n × n matrices, as its tiles, its lanes and the
/// alignment of rows say.
class RungCounts {
public:
    RungCounts(const Rung& rung, int n)
        : rung_(rung), accesses_(n % 4 == 0 ? rung.wide : rung.narrow), n_(n) {}

    const Accesses& accesses() const { return accesses_; }
    std::uint64_t tiles_across() const { return ceil_divide(n_, rung_.columns); }
    std::uint64_t tiles_down() const { return ceil_divide(n_, rung_.rows); }
    std::uint64_t stages() const { return ceil_divide(n_, rung_.depth); }

    /// A is read once for each column of tiles, B for each row of them.
    Traffic loads() const {
        return loads_of_a().times(tiles_across()).plus(loads_of_b().times(tiles_down()));
    }
    Traffic stores() const {
        return traffic(runs_inside(accesses_.c.rows, 0, n_),
                       runs_inside(accesses_.c.columns, 0, n_), n_);
    }

    /// Steps of k over all warps; one whose copies run ahead reads a step ahead, too.
    std::uint64_t warp_steps() const {
        return warps() * (stages() * rung_.depth + (rung_.copies_ahead ? 1 : 0));
    }
    std::uint64_t warp_stages() const { return warps() * stages(); }

    /// Passes of the zeros that stand in for what the first tile lacks, and the conflicts among
    /// them: copies write the rest.
    std::uint64_t clearing_passes() const { return blocks() * (cleared_of_a() + cleared_of_b()); }
    std::uint64_t clearing_conflicts() const {
        // Words of B that are cleared by fours lie four apart.
        const int width = accesses_.b.columns.width;
        return blocks() * cleared_of_b() / width * (width - 1);
    }

private:
    static constexpr int kWarp = 32;

    std::uint64_t blocks() const { return tiles_across() * tiles_down(); }
    std::uint64_t warps() const { return blocks() * rung_.block_warps; }

    /// Columns of A in the first tile along k, which takes what the others leave.
    int first_depth() const { return n_ - (static_cast<int>(stages()) - 1) * rung_.depth; }

    int missing_depth() const { return rung_.copies_ahead ? rung_.depth - first_depth() : 0; }

    /// Passes of a block: a warp has some lanes' steps of its rows of A to clear, or none.
    int cleared_of_a() const {
        return ceil_divide(missing_depth(), accesses_.a.columns.count) * rung_.rows /
               accesses_.a.rows.count;
    }
    int cleared_of_b() const {
        return missing_depth() * rung_.columns / kWarp * accesses_.b.columns.width;
    }

    Traffic loads_of_a() const {
        const Request& a = accesses_.a;
        if (!rung_.copies_ahead) {
            return traffic(runs_inside(a.rows, 0, n_), runs_inside(a.columns, 0, n_), n_);
        }
        const Runs rows = runs_repeating_last(a.rows, rung_.rows, n_);
        return traffic(rows, runs_inside(a.columns, 0, first_depth()), n_)
            .plus(traffic(rows, runs_inside(a.columns, first_depth(), n_), n_));
    }

    Traffic loads_of_b() const {
        const Request& b = accesses_.b;
        return traffic(runs_inside(b.rows, 0, n_),
                       rung_.copies_ahead ? runs_repeating_last(b.columns, rung_.columns, n_)
                                          : runs_inside(b.columns, 0, n_),
                       n_);
    }

    const Rung& rung_;
    const Accesses& accesses_;
    int n_;
};

}  // namespace gemm

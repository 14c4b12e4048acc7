// SPDX-License-Identifier: Apache-2.0
// The rules must say of every launch of reference_patterns.cu what an H200 counted. Each launch is
// written out here as formulas of its threads, in the order of that program's main(). Arrays lie at
// distant multiples of 256 bytes, as cudaMalloc places them.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <set>
#include <vector>

#include "hardware_rows.h"
#include "modelled_launch.h"

namespace wideload::counters::test {
namespace {

constexpr std::uint64_t kX = 1ull << 32, kY = 2ull << 32, kZ = 3ull << 32, kIndex = 4ull << 32;
constexpr unsigned kN = 1 << 18;
constexpr unsigned kBlocks = 64;

using Address = ModelledLaunch::Address;

std::vector<int> shuffled_indices() {
    std::vector<int> indices(kN);
    srand(7);
    for (unsigned i = 0; i < kN; i++) indices[i] = static_cast<int>(i);
    for (int i = kN - 1; i > 0; i--) {
        // The program evaluates the two calls in the order that its compiler chose: left to right.
        const long long high = rand() * 32768ll;
        const long long low = rand();
        std::swap(indices[i], indices[(high + low) % (i + 1)]);
    }
    return indices;
}

class ReferencePatterns : public ::testing::Test {
protected:
    static void SetUpTestSuite() {
        rows_ = read_hardware_rows("reference_patterns_h200.csv");
        indices_ = shuffled_indices();
    }

    /// Compares every global and shared column that the launch's formulas state and requires those
    /// they leave out to be 0, but for `not_modelled`.
    void check(std::size_t row_index, const std::string& kernel, const ModelledLaunch& launch,
               const std::set<std::string>& not_modelled = {}) {
        ASSERT_LT(row_index, rows_.size());
        const HardwareRow& row = rows_[row_index];
        SCOPED_TRACE("row " + std::to_string(row_index) + ", " + kernel);
        ASSERT_EQ(row.kernel, kernel);
        for (const auto& [column, counted] : row.columns) {
            const bool compared =
                column.rfind("global_", 0) == 0 || column.rfind("shared_", 0) == 0;
            if (compared && not_modelled.count(column) == 0) {
                const auto stated = launch.columns.find(column);
                EXPECT_EQ(stated == launch.columns.end() ? 0 : stated->second, counted) << column;
            }
        }
    }

    static std::vector<HardwareRow> rows_;
    static std::vector<int> indices_;
};
std::vector<HardwareRow> ReferencePatterns::rows_;
std::vector<int> ReferencePatterns::indices_;

// Rows 0 to 71: nine places for each of eight kernels.
TEST_F(ReferencePatterns, AtomicsOfEveryPlace) {
    constexpr unsigned kThreads = 128;
    for (unsigned where = 0; where < 9; ++where) {
        const auto place = [&](unsigned i) -> std::uint64_t {
            switch (where) {
                case 0:
                    return 0;
                case 1:
                    return i;
                case 2:
                    return i / 2;
                case 3:
                    return i / 4;
                case 4:
                    return 2 * i;
                case 5:
                    return 8 * i;
                case 6:
                    return 33 * i;
                case 7:
                    return i ^ 31;
                default:
                    return static_cast<std::uint64_t>(indices_[i]);
            }
        };
        const bool uniform = where == 0, indexed = where == 8;
        struct Kernel {
            const char* name;
            const char* column;
            unsigned bytes;
            bool result_stored, reducible, odd_lanes_only;
        };
        // ptxas reduced integer add and max over the warp at the uniform place, not
        // compare-and-swap nor floats.
        constexpr std::array kKernels = {
            Kernel{"red_add", "global_red", 4, false, false, false},
            Kernel{"red_add", "global_red", 4, false, true, false},
            Kernel{"red_add", "global_red", 8, false, false, false},
            Kernel{"atom_add", "global_atom", 4, true, false, false},
            Kernel{"atom_add", "global_atom", 4, true, true, false},
            Kernel{"red_max", "global_red", 4, false, true, false},
            Kernel{"atom_cas", "global_atom", 4, true, false, false},
            Kernel{"red_add_half_lanes", "global_red", 4, false, false, true}};
        for (std::size_t k = 0; k < kKernels.size(); ++k) {
            const Kernel& kernel = kKernels[k];
            ModelledLaunch launch(kBlocks, kThreads);
            const auto active = [&](unsigned t) { return !kernel.odd_lanes_only || (t & 1); };
            if (indexed) {
                launch.load(4, [&](unsigned b, unsigned t) -> Address {
                    return active(t) ? Address(kIndex + 4 * (b * kThreads + t)) : std::nullopt;
                });
            }
            const Rule rule = uniform && kernel.reducible ? Rule::uniform_atomic : Rule::atomic;
            launch.access(kernel.column, rule, kernel.bytes, [&](unsigned b, unsigned t) {
                return active(t) ? Address(kX + kernel.bytes * place(b * kThreads + t))
                                 : std::nullopt;
            });
            if (kernel.result_stored) {
                launch.store(4, [&](unsigned b, unsigned t) {
                    return Address(kY + 4 * (b * kThreads + t));
                });
            }
            const std::size_t row = where * kKernels.size() + k;
            // At random places the hardware now and then serves two lanes of one sector apart: 2
            // sectors in 8,188 here. See RequestCounts.OfAtomicsAreALowerBound.
            const std::string sectors = std::string(kernel.column) + "_sectors";
            if (indexed) {
                EXPECT_LE(launch.columns[sectors], rows_[row].columns[sectors]);
                EXPECT_LE(rows_[row].columns[sectors], launch.columns[sectors] + 2);
            }
            check(row, kernel.name, launch,
                  indexed ? std::set<std::string>{sectors} : std::set<std::string>{});
        }
    }
}

// Rows 72 to 191: five widths, twelve slots, a load kernel and a store kernel each.
TEST_F(ReferencePatterns, SharedMemoryOfEveryWidthAndSlot) {
    std::size_t row = 72;
    for (const unsigned bytes : {1u, 2u, 4u, 8u, 16u}) {
        for (unsigned lanes = 0; lanes < 12; ++lanes) {
            const auto slot = [&](unsigned t) {
                constexpr std::array<unsigned, 12> kFactor = {1, 0, 0,  0,  2,  3,
                                                              5, 8, 16, 32, 33, 0};
                return lanes == 2    ? t / 2
                       : lanes == 3  ? t / 4
                       : lanes == 11 ? 31 - t
                                     : t * kFactor[lanes];
            };
            const auto at = [&](std::uint64_t base, std::uint64_t element) {
                return Address(base + bytes * element);
            };
            const auto at_slot = [&](unsigned, unsigned t) { return at(0, slot(t)); };
            const auto at_thread = [&](unsigned b, unsigned t) { return at(kY, b * 32 + t); };

            ModelledLaunch load(kBlocks, 32);
            for (unsigned step = 0; step < 33; ++step) {
                const auto k = [=](unsigned t) { return t + 32 * step; };
                load.load(bytes, [&](unsigned, unsigned t) { return at(kX, k(t)); });
                load.shared_store(bytes, [&](unsigned, unsigned t) { return at(0, k(t)); });
            }
            load.shared_load(bytes, at_slot).store(bytes, at_thread);
            check(row++, "shared_load", load);

            ModelledLaunch store(kBlocks, 32);
            store.shared_store(bytes, at_slot)
                .shared_load(bytes, [&](unsigned, unsigned t) { return at(0, t); })
                .store(bytes, at_thread);
            check(row++, "shared_store", store);
        }
    }
}

// Rows 192 to 194. The instruction columns count what ptxas predicated off too, and the atomics.
TEST_F(ReferencePatterns, SharedAtomicsLeaveNoWavefrontsInTheLoadAndStoreColumns) {
    for (std::size_t row = 192; row < 195; ++row) {
        const auto first_64 = [](std::uint64_t address, unsigned t) {
            return t < 64 ? Address(address) : std::nullopt;
        };
        ModelledLaunch launch(kBlocks, 128);
        launch.shared_store(4, [&](unsigned, unsigned t) { return first_64(4 * t, t); })
            .shared_load(4, [&](unsigned, unsigned t) { return first_64(4 * t, t); })
            .store(4, [&](unsigned b, unsigned t) { return first_64(kY + 4 * (b * 64 + t), t); });
        check(row, "shared_atomic", launch, {"shared_ld_inst", "shared_st_inst"});
    }
}

// Rows 195 to 203: an element of `element_bytes` is copied by accesses of `access_bytes`, the
// widest its alignment allows.
TEST_F(ReferencePatterns, CopiesOfEveryType) {
    struct Copy {
        unsigned element_bytes, access_bytes, from_offset, to_offset, elements;
    };
    constexpr std::array kCopies = {
        Copy{1, 1, 0, 0, kN},       Copy{2, 2, 0, 0, kN},   Copy{8, 8, 0, 0, kN},
        Copy{16, 16, 0, 0, kN - 3}, Copy{16, 16, 0, 0, kN}, Copy{20, 4, 0, 0, kN},
        Copy{3, 1, 0, 0, kN},       Copy{1, 1, 1, 2, kN},   Copy{8, 8, 2 * 4, 6 * 4, kN}};
    for (std::size_t c = 0; c < kCopies.size(); ++c) {
        const Copy& copy = kCopies[c];
        ModelledLaunch launch(kN / 256, 256);
        for (unsigned part = 0; part < copy.element_bytes; part += copy.access_bytes) {
            const auto element = [&](std::uint64_t base, unsigned b, unsigned t) {
                const std::uint64_t i = b * 256 + t;
                return i < copy.elements ? Address(base + i * copy.element_bytes + part)
                                         : std::nullopt;
            };
            launch.load(copy.access_bytes, [&](unsigned b, unsigned t) {
                return element(kX + copy.from_offset, b, t);
            });
            launch.store(copy.access_bytes, [&](unsigned b, unsigned t) {
                return element(kY + copy.to_offset, b, t);
            });
        }
        check(195 + c, "copy_as", launch);
    }
}

// Rows 204 to 212.
TEST_F(ReferencePatterns, PartialWarpsGathersAndCacheOperators) {
    const auto element = [](std::uint64_t base, unsigned b, unsigned t) {
        return Address(base + 4 * (b * 256 + t));
    };
    const auto in = [&](unsigned b, unsigned t) { return element(kX, b, t); };
    const auto out = [&](unsigned b, unsigned t) { return element(kY, b, t); };
    const auto index = [&](unsigned b, unsigned t) { return element(kIndex, b, t); };
    const auto through_index = [&](std::uint64_t base) {
        return [=](unsigned b, unsigned t) {
            return Address(base + 4 * static_cast<std::uint64_t>(indices_[b * 256 + t]));
        };
    };
    const auto where = [](auto address_of, auto condition) {
        return
            [=](unsigned b, unsigned t) { return condition(t) ? address_of(b, t) : std::nullopt; };
    };
    const auto odd = [](unsigned t) { return (t & 1) != 0; };
    const auto lane_zero = [](unsigned t) { return t % 32 == 0; };
    const auto grid = [] { return ModelledLaunch(kN / 256, 256); };

    check(204, "every_other_lane", grid().load(4, where(in, odd)).store(4, where(out, odd)));
    check(205, "lane_zero_only",
          grid().load(4, where(in, lane_zero)).store(4, where(out, lane_zero)));
    check(206, "gather", grid().load(4, index).load(4, through_index(kX)).store(4, out));
    check(207, "scatter", grid().load(4, index).load(4, in).store(4, through_index(kY)));
    ModelledLaunch operators = grid();
    for (int i = 0; i < 4; ++i) {
        operators.load(4, in).store(4, out);
    }
    check(208, "cache_operators", operators);
    check(209, "volatile_access", grid().load(4, in).store(4, out));
    check(210, "constant_read", grid().store(4, out));

    // An asynchronous copy is a global load; the instruction column counts it as four shared loads,
    // its write to shared memory as none.
    const auto wide = [](std::uint64_t base) {
        return [=](unsigned b, unsigned t) { return Address(base + 16 * (b * 256 + t)); };
    };
    ModelledLaunch copy16(kBlocks, 256);
    copy16.load(16, wide(kX)).store(16, wide(kY));
    copy16.shared_load(16, [](unsigned, unsigned t) { return Address(16 * (t ^ 1)); });
    check(211, "async_copy16", copy16, {"shared_ld_inst"});
    ModelledLaunch copy4(kBlocks, 256);
    copy4.load(4, in).store(4, out);
    copy4.shared_load(4, [](unsigned, unsigned t) { return Address(4 * (255 - t)); });
    check(212, "async_copy4", copy4, {"shared_ld_inst"});
}

// Row 213. Which lanes meet in a request depends on two choices of the compilers, which the
// formulas follow: PTX unrolls the loop by four and runs the iterations left over first; ptxas then
// takes the groups of four two at a time, and a last single one. PTX as it stands makes 48 requests
// fewer: in 4 warps no lane has three groups.
TEST_F(ReferencePatterns, CompressedSparseRows) {
    constexpr unsigned kRows = kN / 8;
    std::vector<unsigned> row(kRows + 1), column;
    for (unsigned r = 0; r < kRows; r++) {
        row[r] = static_cast<unsigned>(column.size());
        for (unsigned k = 0; k < 1 + static_cast<unsigned>(indices_[r]) % 13; k++) {
            column.push_back(static_cast<unsigned>(indices_[(r * 11 + k) % kN]) % kRows);
        }
    }
    row[kRows] = static_cast<unsigned>(column.size());

    const auto row_of = [](unsigned b, unsigned t) { return b * 128 + t; };
    const std::uint64_t columns = kZ + 4 * kN;
    ModelledLaunch launch(kRows / 128, 128);
    launch.load(4, [&](unsigned b, unsigned t) { return Address(kZ + 4 * row_of(b, t)); });
    launch.load(4, [&](unsigned b, unsigned t) { return Address(kZ + 4 * (row_of(b, t) + 1)); });
    const auto iteration = [&](auto element_of) {
        const auto through = [&](auto address_of) {
            return [=](unsigned b, unsigned t) -> Address {
                const auto k = element_of(row_of(b, t));
                return k ? Address(address_of(*k)) : std::nullopt;
            };
        };
        launch.load(4, through([&](unsigned k) { return kX + 4ull * k; }));
        launch.load(4, through([&](unsigned k) { return columns + 4ull * k; }));
        launch.load(4, through([&](unsigned k) { return kX + 4ull * column[k]; }));
    };
    const auto odd_ones = [&](unsigned r) { return (row[r + 1] - row[r]) % 4; };
    for (unsigned i = 0; i < 3; ++i) {
        iteration([&, i](unsigned r) -> std::optional<unsigned> {
            return i < odd_ones(r) ? std::optional(row[r] + i) : std::nullopt;
        });
    }
    const auto groups = [&](unsigned r) { return (row[r + 1] - row[r]) / 4; };
    const auto grouped = [&](unsigned r, unsigned i) { return row[r] + odd_ones(r) + i; };
    for (unsigned i = 0; i < 8; ++i) {
        iteration([&, i](unsigned r) -> std::optional<unsigned> {
            return groups(r) >= 2 ? std::optional(grouped(r, i)) : std::nullopt;
        });
    }
    for (unsigned i = 0; i < 4; ++i) {
        iteration([&, i](unsigned r) -> std::optional<unsigned> {
            return groups(r) % 2 == 1 ? std::optional(grouped(r, (groups(r) - 1) * 4 + i))
                                      : std::nullopt;
        });
    }
    launch.store(4, [&](unsigned b, unsigned t) { return Address(kY + 4 * row_of(b, t)); });
    check(213, "csr_matvec", launch);
}

// Row 214: blocks of 32 x 8 threads, so that a warp is one row of a block.
TEST_F(ReferencePatterns, Stencil) {
    constexpr int kWidth = 500, kHeight = 509;
    ModelledLaunch launch(16 * 64, 256);
    const auto at = [](std::uint64_t base, int dx, int dy) {
        return [=](unsigned block, unsigned thread) -> Address {
            const int x = static_cast<int>(block % 16 * 32 + thread % 32);
            const int y = static_cast<int>(block / 16 * 8 + thread / 32);
            const bool inner = x > 0 && y > 0 && x < kWidth - 1 && y < kHeight - 1;
            return inner
                       ? Address(base + 4 * static_cast<std::uint64_t>((y + dy) * kWidth + x + dx))
                       : std::nullopt;
        };
    };
    launch.load(4, at(kX, 0, 0)).load(4, at(kX, -1, 0)).load(4, at(kX, 1, 0));
    launch.load(4, at(kX, 0, -1)).load(4, at(kX, 0, 1)).store(4, at(kY, 0, 0));
    check(214, "stencil", launch);
}

// Row 215: a race decides where each warp's kept elements go. They are contiguous, so that the
// stores take the fewest sectors, or one more.
TEST_F(ReferencePatterns, Compaction) {
    const auto kept = [&](unsigned b, unsigned t) { return indices_[b * 256 + t] % 3 == 0; };
    const auto element = [](unsigned b, unsigned t) { return Address(kIndex + 4 * (b * 256 + t)); };
    ModelledLaunch launch(kN / 256, 256);
    launch.load(4, element);
    launch.load(4,
                [&](unsigned b, unsigned t) { return kept(b, t) ? element(b, t) : std::nullopt; });
    std::uint64_t fewest = 0, warps = 0;
    launch.access("global_atom", Rule::atomic, 4, [&](unsigned b, unsigned t) -> Address {
        if (t % 32 != 0) {
            return std::nullopt;
        }
        unsigned count = 0;
        for (unsigned lane = 0; lane < 32; ++lane) {
            count += kept(b, t + lane);
        }
        fewest += (4 * count + 31) / 32;
        warps += count != 0;
        return count != 0 ? Address(kZ) : std::nullopt;
    });
    check(215, "compact", launch, {"global_st_requests", "global_st_sectors"});
    EXPECT_EQ(rows_[215].columns["global_st_requests"], warps);
    EXPECT_GE(rows_[215].columns["global_st_sectors"], fewest);
    EXPECT_LE(rows_[215].columns["global_st_sectors"], fewest + warps);
}

// Row 216.
TEST_F(ReferencePatterns, SwitchOfFourPaths) {
    const auto i = [](unsigned b, unsigned t) { return std::uint64_t{b * 256 + t}; };
    const auto on_path = [&](int path, auto address_of) {
        return [=](unsigned b, unsigned t) {
            return (indices_[i(b, t)] & 3) == path ? Address(address_of(i(b, t))) : std::nullopt;
        };
    };
    ModelledLaunch launch(kN / 256, 256);
    launch.load(4, [&](unsigned b, unsigned t) { return Address(kIndex + 4 * i(b, t)); })
        .load(4, on_path(0, [](std::uint64_t e) { return kY + 4 * e; }))
        .load(4, on_path(1, [](std::uint64_t e) { return kY + 4 * (e ^ 1); }))
        .store(4, on_path(3, [](std::uint64_t e) { return kY + 4 * (e + kN); }))
        .store(4, [&](unsigned b, unsigned t) { return Address(kY + 4 * (i(b, t) + 2 * kN)); });
    check(216, "switch_paths", launch);
}

TEST_F(ReferencePatterns, EveryRowHasATest) { EXPECT_EQ(rows_.size(), 217u); }

}  // namespace
}  // namespace wideload::counters::test

// SPDX-License-Identifier: Apache-2.0
// A matrix transposed with its reads coalesced, with its writes coalesced, and through tiles of
// shared memory.
#include <wideload/device/transpose.cuh>

#include <algorithm>
#include <string>

#include "harness/lab.cuh"

constexpr unsigned kTile = 32;

/// As document 004 writes it first: neighbours write neighbours.
template <bool kReadOnly>
__global__ void transpose_write_coalesced(const double* A, double* B, unsigned N) {
    const unsigned nx = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned ny = blockIdx.y * blockDim.y + threadIdx.y;
    if (nx < N && ny < N) B[ny * N + nx] = kReadOnly ? __ldg(&A[nx * N + ny]) : A[nx * N + ny];
}

/// As it writes it then: neighbours read neighbours.
template <bool kReadOnly>
__global__ void transpose_read_coalesced(const double* A, double* B, unsigned N) {
    const unsigned nx = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned ny = blockIdx.y * blockDim.y + threadIdx.y;
    if (nx < N && ny < N) B[nx * N + ny] = kReadOnly ? __ldg(&A[ny * N + nx]) : A[ny * N + nx];
}

/// The first again, with nothing but the promise that nobody writes to A meanwhile.
__global__ void transpose_write_restrict(const double* __restrict__ A, double* __restrict__ B,
                                         unsigned N) {
    const unsigned nx = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned ny = blockIdx.y * blockDim.y + threadIdx.y;
    if (nx < N && ny < N) B[ny * N + nx] = A[nx * N + ny];
}

/// Both coalesced: the tile turns in shared memory.
template <unsigned kPitch>
__global__ void transpose_tile(const double* A, double* B, unsigned N) {
    __shared__ double tile[kTile][kPitch];
    const unsigned left = blockIdx.x * kTile, top = blockIdx.y * kTile;
    tile[threadIdx.y][threadIdx.x] = A[(top + threadIdx.y) * N + left + threadIdx.x];
    __syncthreads();
    B[(left + threadIdx.y) * N + top + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}

namespace {

constexpr unsigned kDoublesPerSector = 4;
constexpr unsigned kMostBase = 32;

lab::Experiment describe() {
    lab::Experiment experiment;
    experiment.chapter = 9;
    experiment.name = "transpose";
    experiment.title = "Transpose: which side to coalesce, and how to have both";
    experiment.sources = {"004"};
    experiment.question =
        "A transpose reads rows and writes columns, or the reverse: one side of the simple kernel "
        "is "
        "never coalesced. Does it matter which? What do __ldg, a tile in shared memory, its "
        "padding "
        "and an unaligned base change?";
    experiment.expectation =
        "32 doubles side by side are 8 sectors, 32 doubles of a column 32. Counted in sectors, the "
        "two simple kernels are mirror images: the same total. But a block reads each sector of "
        "its "
        "columns four times, once for each double in it, and the L1 keeps them for the other "
        "three: "
        "loads pass through a cache, while every store goes on to the L2. So the kernel that "
        "writes "
        "coalesced is the faster one. __ldg asks for the read-only path; since Volta ordinary "
        "loads "
        "take the same L1, so it should change neither a count nor the time. Where pointers are "
        "const and __restrict__ the compiler takes that path by itself.\n\n"
        "Through a tile both sides are coalesced, at the price of shared memory: a column of "
        "double "
        "[32][32] lies in one pair of banks, 32 wavefronts a load where 2 would do. [32][33] mends "
        "that.\n\n"
        "cudaMalloc gives addresses that are multiples of 256 bytes. A base that is not a multiple "
        "of 32 bytes costs each coalesced row a ninth sector.";
    experiment.series = {{"write", "writes coalesced"},
                         {"write_ldg", "writes coalesced, reads by __ldg"},
                         {"read", "reads coalesced"},
                         {"read_ldg", "reads coalesced, by __ldg"},
                         {"write_restrict", "writes coalesced, const __restrict__"},
                         {"tile", "tile [32][32]"},
                         {"padded", "tile [32][33]"},
                         {"library", "wideload::transpose"},
                         {"allocation", "cudaMalloc alone"}};
    experiment.parameters = {{"base", "past the allocation", "doubles"},
                             {"n", "side of another matrix"},
                             {"bytes", "allocated", "bytes"}};
    experiment.columns = {{"address_remainder", "address mod 256"},
                          {"global_ld_sectors/fewest_sectors", "loads of each sector"},
                          {"global_st_sectors/fewest_sectors", "stores of each sector"},
                          {"global_ld_sectors/global_ld_requests", "sectors a load"},
                          {"global_st_sectors/global_st_requests", "sectors a store"},
                          {"l1_ld_hit_sectors", "load sectors found in L1"},
                          {"l1_ld_hit_percent", "of all load sectors", "%"},
                          {"l1_ld_miss_sectors", "load sectors not found there"},
                          {"beyond_l1_sectors", "sectors beyond L1, with the stores"},
                          {"shared_ld_wavefronts/shared_ld_inst", "wavefronts a shared load"},
                          {"us", "time", "µs"},
                          {"gbps", "bandwidth", "GB/s"},
                          {"copy_percent", "of the best copy", "%"}};
    experiment.claims = {
        lab::compare("global_ld_sectors", "write")
            .over("global_st_sectors", "read")
            .equals(1)
            .holds("What one kernel loads the other stores, {left} sectors: the counts do not tell "
                   "which is faster.")
            .fails("One kernel loads {left} sectors, the other stores {right}: they are no mirror "
                   "images."),
        lab::compare("global_ld_sectors/fewest_sectors", "write")
            .at({{"base", 0}})
            .equals(4)
            .holds(
                "The kernel that writes coalesced asks for each sector {found} times, within one "
                "block: a cache can serve all but the first.")
            .fails("The kernel that writes coalesced asks for each sector {found|time|times}, not "
                   "{value} times."),
        lab::compare("l1_ld_hit_percent", "write")
            .at_least(70)
            .holds(
                "The L1 serves {found} % of the sectors that the kernel that writes coalesced asks "
                "for: memory hardly notices the columns.")
            .fails(
                "The L1 serves only {found} % of the sectors that the kernel that writes coalesced "
                "asks for: the columns cost memory."),
        lab::compare("l1_ld_hit_percent", "read")
            .at_most(5)
            .holds("The L1 serves {found} % of what the kernel that reads coalesced asks for; its "
                   "columns are stores, which go on to the L2.")
            .fails("The L1 serves {found} % of what the kernel that reads coalesced asks for."),
        lab::compare("beyond_l1_sectors", "read")
            .over("beyond_l1_sectors", "write")
            .at_least(1.5)
            .holds("Beyond the L1, where it misses and where stores go, the kernel that reads "
                   "coalesced moves {ratio} times the sectors, {left} against {right}: there the "
                   "two are no mirror images.")
            .fails("Beyond the L1, where it misses and where stores go, the kernel that reads "
                   "coalesced moves {ratio} times the sectors, {left} against {right}: the cache "
                   "does not tell the two apart."),
        lab::compare("global_ld_sectors", "write_ldg")
            .over("global_ld_sectors", "write")
            .equals(1)
            .holds("__ldg does not change what is asked for: {left} sectors.")
            .fails("With __ldg the loads move {left} sectors, without {right}."),
        lab::names("load_instructions", "write")
            .has("LDG.E.64")
            .holds("Of pointers without __restrict__ the compiler makes {found}.")
            .fails("Of pointers without __restrict__ the compiler makes {found}, not {value}."),
        lab::names("load_instructions", "write_ldg")
            .has("LDG.E.64.CONSTANT")
            .holds("__ldg becomes {value}.")
            .fails("__ldg becomes {found}, not {value}."),
        lab::names("load_instructions", "write_restrict")
            .has("LDG.E.64.CONSTANT")
            .holds("const and __restrict__ are enough for {value}, without __ldg.")
            .fails("const and __restrict__ are not enough for {value}: loads are {found}."),
        lab::compare("global_ld_sectors", "write")
            .over("global_st_sectors", "read")
            .along("n")
            .equals(1)
            .holds(
                "Where the side is no multiple of 32, and blocks at the edges have idle threads, "
                "one kernel loads as often as the other stores, too: {left|sector|sectors}.")
            .fails(
                "Where the side is no multiple of 32, one kernel loads {ratio} times the sectors "
                "that the other stores."),
        lab::compare("us", "read")
            .over("us", "write")
            .at_least(1.5)
            .holds("On this GPU coalesced reads take {ratio} times as long as coalesced writes.")
            .fails(
                "On this GPU coalesced reads take {ratio} times as long as coalesced writes, not "
                "the twice of the document."),
        lab::compare("us", "write_ldg")
            .over("us", "write")
            .equals(1, 0.05)
            .holds("__ldg takes {ratio} times the time of a plain load: both pass the same cache.")
            .fails("__ldg takes {ratio} times the time of a plain load."),
        lab::compare("global_ld_sectors/fewest_sectors", "padded")
            .at({{"base", 0}})
            .equals(1)
            .holds("Through a tile each sector is loaded {found|time|times}.")
            .fails("Through a tile each sector is loaded {found|time|times}, not once."),
        lab::compare("shared_ld_wavefronts", "tile")
            .over("shared_ld_wavefronts", "padded")
            .equals(16)
            .holds("Without padding the tile's columns take {ratio} times the wavefronts.")
            .fails("Without padding the tile's columns take {ratio} times the wavefronts, not "
                   "{value} times."),
        lab::compare("global_ld_sectors/global_ld_requests", "padded")
            .at({{"base", 1}})
            .equals(9)
            .holds(
                "One double past the allocation a row's load moves {found} sectors in place of 8.")
            .fails("One double past the allocation a row's load moves {found|sector|sectors}, not "
                   "{value}."),
        lab::compare("address_remainder", "allocation")
            .equals(0)
            .holds("Allocations of any size start at multiples of 256 bytes: the remainder is "
                   "{found}.")
            .fails("An allocation starts {found|byte|bytes} past a multiple of 256."),
        lab::compare("global_ld_requests", "padded")
            .at({{"base", 0}})
            .over("global_ld_requests", "library", {{"base", 0}})
            .equals(2)
            .holds("The library moves 16 bytes a lane: the padded tile makes {ratio} times the "
                   "requests.")
            .fails("The padded tile makes {ratio} times the library's requests, not {value}."),
        lab::compare("global_st_sectors/fewest_sectors", "library")
            .at({{"base", 1}})
            .at_most(1.13)
            .holds("One double past the allocation the library stores each sector "
                   "{found|time|times}: small matrices by parts of 32 doubles, as the padded tile, "
                   "large ones by whole sectors.")
            .fails("One double past the allocation the library stores each sector "
                   "{found|time|times}."),
        lab::compare("us", "padded")
            .over("us", "library")
            .at_least(1)
            .holds("The padded tile takes {ratio} times the library's time.")
            .fails("The padded tile takes {ratio} times the library's time: it is the faster one."),
    };
    experiment.charts = {
        {"Bandwidth, GB/s", "gbps", "series", "bar"},
        {"Loads of each sector", "global_ld_sectors/fewest_sectors", "series", "bar"},
        {"Sectors beyond the L1", "beyond_l1_sectors", "series", "bar"},
        {"Sectors that a row's load moves, over the base",
         "global_ld_sectors/global_ld_requests",
         "base",
         "bar",
         false,
         false,
         {"padded"}},
        {"Bandwidth over the base, GB/s",
         "gbps",
         "base",
         "line",
         false,
         false,
         {"padded", "library"}}};
    experiment.pictures = {
        {"lanes", "A row of doubles", "read"},
        {"lanes", "A column of doubles", "write"},
        {"tiles", "A block's tile in both matrices", "padded"},
        {"banks", "A column of double [32][32]", "tile", {}, "shared_ld"},
        {"banks", "A column of double [32][33]", "padded", {}, "shared_ld"},
        {"lanes", "A row that starts one double past a sector's start", "padded", {{"base", 1}}}};
    return experiment;
}

using Kernel = void(const double*, double*, unsigned);

/// Sectors of 32 doubles side by side.
unsigned row_sectors(unsigned base) { return base % kDoublesPerSector == 0 ? 8 : 9; }

/// Where small allocations start that lie side by side.
void allocate(lab::Session& session) {
    std::vector<void*> allocations;
    for (const std::size_t bytes : {1, 24, 100, 257, 1000, 4097}) {
        LAB_REQUIRE(cudaMalloc(&allocations.emplace_back(), bytes));
        const auto address = reinterpret_cast<std::uintptr_t>(allocations.back());
        session.point("allocation", {{"bytes", bytes}})
            .fact("address_remainder", static_cast<double>(address % 256))
            .states();
    }
    for (void* allocation : allocations) LAB_REQUIRE(cudaFree(allocation));
}

/// Sectors of a matrix' rows, which warps of 32 doubles visit one piece after the other.
std::uint64_t row_piece_sectors(unsigned side) {
    std::uint64_t sectors = 0;
    for (std::uint64_t row = 0; row < side; ++row) {
        for (std::uint64_t from = row * side; from < (row + 1) * side;) {
            const std::uint64_t to =
                std::min(from + 32 - (from - row * side) % 32, (row + 1) * side);
            sectors += (to - 1) / kDoublesPerSector - from / kDoublesPerSector + 1;
            from = to;
        }
    }
    return sectors;
}

/// A side that blocks of 32 do not divide: those at the edges have idle threads.
void transpose_odd_side(lab::Session& session) {
    const unsigned side = session.pick(250u, 8190u);
    const std::size_t count = std::size_t{side} * side;
    const auto input = session.random<double>(count);
    const auto output = session.output<double>(count);
    const auto value = input.value;
    const dim3 threads(kTile, kTile),
        blocks((side + kTile - 1) / kTile, (side + kTile - 1) / kTile);
    const std::uint64_t requests = std::uint64_t{side} * blocks.x;
    const auto by = [&](const char* series, Kernel* kernel, const std::string& rows,
                        const std::string& columns) {
        session.point(series, {{"n", side}})
            .moves(2 * count * sizeof(double))
            .fact("fewest_sectors", static_cast<double>(count) / kDoublesPerSector)
            .expects(rows + "_requests", requests, "rows × ⌈side / 32⌉")
            .expects(rows + "_sectors", row_piece_sectors(side), "those of each row's pieces of 32")
            .expects(columns + "_requests", requests, "rows × ⌈side / 32⌉")
            .expects(columns + "_sectors", count, "one for each element")
            .writes(output, count,
                    [=] __host__ __device__(std::size_t i) {
                        return value(i % side * side + i / side);
                    })
            .run([&](int rotation, cudaStream_t stream) {
                kernel<<<blocks, threads, 0, stream>>>(input[rotation], output[rotation], side);
            });
    };
    by("write", transpose_write_coalesced<false>, "global_st", "global_ld");
    by("read", transpose_read_coalesced<false>, "global_ld", "global_st");
}

void run(lab::Session& session) {
    const unsigned side = session.pick(256u, 8192u);
    const std::size_t count = std::size_t{side} * side;
    const auto input = session.random<double>(count + kMostBase);
    const auto output = session.output<double>(count + kMostBase);
    const auto value = input.value;
    const std::uint64_t warps = count / 32;

    const auto point = [&](const char* series, unsigned base) {
        const auto address = reinterpret_cast<std::uintptr_t>(input[0] + base);
        lab::Point described = session.point(series, {{"base", base}});
        described.fact("address_remainder", static_cast<double>(address % 256))
            .fact("side", side)
            .fact("tile", kTile)
            .fact("fewest_sectors", static_cast<double>(count / kDoublesPerSector))
            .moves(2 * count * sizeof(double))
            .writes(output, lab::Range{base, base + count}, [=] __host__ __device__(std::size_t i) {
                const std::size_t place = i - base;
                return value(base + place % side * side + place / side);
            });
        return described;
    };
    const auto by_kernel = [&](lab::Point described, Kernel* kernel, unsigned base,
                               unsigned load_sectors, unsigned store_sectors) {
        const dim3 threads(kTile, kTile), blocks(side / kTile, side / kTile);
        described
            .expects_traffic("global_ld", warps, "warps", load_sectors, "sectors of 32 doubles")
            .expects_traffic("global_st", warps, "warps", store_sectors, "sectors of 32 doubles")
            .run([&](int rotation, cudaStream_t stream) {
                kernel<<<blocks, threads, 0, stream>>>(input[rotation] + base,
                                                       output[rotation] + base, side);
            });
    };
    const auto by_tile = [&](lab::Point described, Kernel* kernel, unsigned base,
                             unsigned column_wavefronts) {
        described.expects("shared_st_wavefronts", 2 * warps, "warps × 256 bytes / 128")
            .expects("shared_ld_wavefronts", column_wavefronts * warps,
                     "warps × halves × words of the fullest bank")
            .note("hardware", "shared wavefronts within 12 %: a full multiprocessor adds some");
        by_kernel(std::move(described), kernel, base, row_sectors(base), row_sectors(base));
    };
    const auto by_library = [&](lab::Point described, unsigned base) {
        // Rows that start at words of 16 bytes go once through shared memory as such words, unless
        // they start within sectors and the matrix is large.
        const std::size_t bytes = count * sizeof(double);
        const bool by_words = base % kDoublesPerSector == 0 ||
                              (base % 2 == 0 && bytes <= wideload::tuning::sheared_bytes(8));
        if (by_words) {
            const std::uint64_t wavefronts = bytes / 128;
            described.expects("shared_ld_wavefronts", wavefronts, "bytes / 128")
                .expects("shared_st_wavefronts", wavefronts, "bytes / 128")
                .note("hardware", "shared wavefronts within 12 %: a full multiprocessor adds some");
        }
        if (base % kDoublesPerSector == 0) {
            described.expects_traffic("global_ld", warps / 2, "bytes / 512", 16, "16")
                .expects_traffic("global_st", warps / 2, "bytes / 512", 16, "16");
        } else if (by_words) {
            described
                .expects_traffic("global_ld", warps / 2, "bytes / 512", 4 * 5,
                                 "4 rows of 128 bytes × 5")
                .expects_traffic("global_st", warps / 2, "bytes / 512", 2 * 9,
                                 "2 rows of 256 bytes × 9");
        } else {
            // Small matrices are written by parts of 32 doubles, large ones by whole sectors.
            const bool small = bytes <= wideload::tuning::SmallPaddedTile<8>::kMostBytes;
            described.asks("global_st", bytes, "each element once")
                .expects("global_st_sectors",
                         small ? side * (side / kTile) * row_sectors(base)
                               : side * (side / kDoublesPerSector + 1),
                         small ? "rows × parts of 32 doubles × sectors of one"
                               : "rows × sectors of one that starts inside a sector");
        }
        described.run([&](int rotation, cudaStream_t stream) {
            LAB_REQUIRE(wideload::transpose(input[rotation] + base, output[rotation] + base, side,
                                            side, stream));
        });
    };

    session.announce(8 + 2 * 5 + 2 + 6);
    by_kernel(point("write", 0), transpose_write_coalesced<false>, 0, 32, 8);
    by_kernel(point("write_ldg", 0), transpose_write_coalesced<true>, 0, 32, 8);
    by_kernel(point("write_restrict", 0), transpose_write_restrict, 0, 32, 8);
    by_kernel(point("read", 0), transpose_read_coalesced<false>, 0, 8, 32);
    by_kernel(point("read_ldg", 0), transpose_read_coalesced<true>, 0, 8, 32);
    by_tile(point("tile", 0), transpose_tile<kTile>, 0, 2 * 16);
    by_tile(point("padded", 0), transpose_tile<kTile + 1>, 0, 2);
    by_library(point("library", 0), 0);
    for (const unsigned base : {1u, 2u, 3u, 4u, 32u}) {
        by_tile(point("padded", base), transpose_tile<kTile + 1>, base, 2);
        by_library(point("library", base), base);
    }
    transpose_odd_side(session);
    allocate(session);
}

}  // namespace

LAB_MAIN(describe, run)

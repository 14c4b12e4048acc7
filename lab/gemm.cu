// SPDX-License-Identifier: Apache-2.0
// The matrix product as a ladder: what each rung of reuse takes off memory, from one thread an
// element to tiles of warps with asynchronous copies.
#include "harness/lab.cuh"

#include "gemm/cublas_peer.cuh"
#include "gemm/rung_counts.cuh"
#include "gemm/rungs.cuh"

#include <optional>

namespace {

/// Relative. Sums of k numbers in [0, 1) are off by some 1e-8·√k; through tf32 they were 2e-4 off.
constexpr double kTolerance = 1e-5;

lab::Claim falls(const char* metric, const char* rung, const char* next, double factor) {
    return lab::compare(metric, rung)
        .at({{"past_tile", 0}})
        .over(metric, next)
        .equals(factor, 1e-9);
}

std::vector<lab::Claim> claims_of_traffic() {
    return {
        falls("global_ld_requests", "naive", "tiled", 32)
            .holds(
                "Tiles 32 wide take {ratio} times fewer loads than one thread an element, {right} "
                "requests for {left}: each word fetched is used 32 times.")
            .fails("Tiles 32 wide take {ratio} times fewer loads, {right} requests for {left}, not "
                   "{value} times as the tile's width says."),
        falls("global_ld_sectors", "naive", "tiled", 20)
            .holds(
                "Tiles 32 wide take only {ratio} times fewer load sectors, {right} for {left}: of "
                "one thread an element, a warp's 32 loads of one word of A are one sector.")
            .fails("Tiles 32 wide take {ratio} times fewer load sectors, {right} for {left}, not "
                   "{value} times."),
        falls("global_ld_sectors", "tiled", "block_tile_1d", 2)
            .holds("Tiles 64 wide load {ratio} times fewer sectors than tiles 32 wide, {right} for "
                   "{left}.")
            .fails("Tiles 64 wide load {ratio} times fewer sectors than tiles 32 wide, {right} for "
                   "{left}, not {value} times."),
        falls("global_ld_sectors", "block_tile_1d", "block_tile_2d", 2)
            .holds(
                "Tiles 128 wide load {ratio} times fewer sectors than tiles 64 wide, {right} for "
                "{left}.")
            .fails("Tiles 128 wide load {ratio} times fewer sectors than tiles 64 wide, {right} "
                   "for {left}, not {value} times."),
        falls("global_ld_requests", "block_tile_2d", "vectorized", 4)
            .holds(
                "16 bytes a lane take {ratio} times fewer requests for the same sectors, {right} "
                "for {left}.")
            .fails("16 bytes a lane take {ratio} times fewer requests, {right} for {left}, not "
                   "{value} times."),
        falls("global_st_sectors", "block_tile_2d", "vectorized", 8)
            .holds("16 bytes a lane write C in {ratio} times fewer sectors, {right} for {left}: "
                   "columns "
                   "side by side in one thread had left each lane a sector of its own.")
            .fails("16 bytes a lane write C in {ratio} times fewer sectors, {right} for {left}, "
                   "not {value} times."),
        falls("global_ld_sectors", "vectorized", "warp_tiled", 1)
            .holds("Warp tiles move as many sectors, {left}: what they gain is time.")
            .fails("Warp tiles move {right} sectors where the same tiles before moved {left}."),
    };
}

std::vector<lab::Claim> claims_of_conflicts() {
    return {
        lab::compare("shared_ld_conflicts/shared_ld_wavefronts", "block_tile_2d")
            .at({{"past_tile", 0}})
            .equals(2.0 / 3.0, 1e-9)
            .holds(
                "Of the passes through shared memory that the 2-D tile's loads take, as PTX states "
                "them, {found} are conflicts: its lanes read B 8 words apart.")
            .fails(
                "Conflicts are {found} of the passes that the 2-D tile's loads take, not {value}: "
                "ptxas may have merged neighbouring loads."),
        lab::compare("shared_ld_conflicts", "vectorized")
            .equals(0)
            .holds("Columns half a tile apart and 16-byte loads leave {found} conflicts.")
            .fails("16-byte loads leave {found|conflict|conflicts}, not {value}."),
        lab::compare("shared_ld_conflicts", "warp_tiled")
            .equals(0)
            .holds("Warp tiles load shared memory with {found} conflicts.")
            .fails("Warp tiles load shared memory with {found|conflict|conflicts}, not {value}."),
    };
}

std::vector<lab::Claim> claims_of_time() {
    std::vector<lab::Claim> claims = {
        lab::compare("us", "naive")
            .at({{"n", 8192}})
            .over("us", "warp_tiled", {{"n", 8192}})
            .at_least(8)
            .holds(
                "At n = 8192 the ladder makes the product {ratio} times faster: {left} µs become "
                "{right} µs.")
            .fails("At n = 8192 the ladder makes the product {ratio} times faster, {left} µs "
                   "become {right} µs; {value} times were expected."),
        lab::compare("us", "vectorized")
            .at({{"n", 8192}})
            .over("us", "warp_tiled", {{"n", 8192}})
            .at_least(1.2)
            .holds(
                "Copies that run behind the arithmetic, and warps' tiles, make the product {ratio} "
                "times faster for the same traffic.")
            .fails("Copies behind the arithmetic make the product only {ratio} times faster."),
        lab::compare("us", "warp_tiled")
            .at({{"n", 1024}})
            .over("us", "block_tile_1d", {{"n", 1024}})
            .at_least(1)
            .holds("At n = 1024 the small tile wins: 64 tiles 128 wide are too few for all "
                   "multiprocessors, and warp tiles take {ratio} times as long.")
            .fails("Even at n = 1024 warp tiles take only {ratio} times as long as tiles 64 wide."),
    };
    for (const int n : {4096, 8192}) {
        const std::string side = std::to_string(n);
        claims.push_back(lab::compare("us", "cublas")
                             .at({{"n", n}})
                             .over("us", "warp_tiled", {{"n", n}})
                             .at_least(0.95)
                             .holds("At n = " + side +
                                    " warp tiles run at {ratio} times cublasSgemm's speed: "
                                    "{right} µs against {left} µs.")
                             .fails("At n = " + side +
                                    " warp tiles run at only {ratio} times cublasSgemm's "
                                    "speed: {right} µs against {left} µs."));
    }
    return claims;
}

lab::Experiment describe() {
    lab::Experiment experiment;
    experiment.chapter = 15;
    experiment.name = "gemm";
    experiment.title = "Matrix product: reuse, rung by rung";
    experiment.sources = {"002"};
    experiment.question =
        "C = A·B takes 2·n³ operations on 3·n² numbers, so hardly any kernel ought to be bound by "
        "memory. One thread an element is. What does each way to use a fetched word again save?";
    experiment.expectation =
        "A thread that computes one element reads a row and a column: 2·n³ loads in all. A block "
        "that computes a tile T × T from shared tiles reads each word once and uses it T times: "
        "2·n³ / T loads. Wider tiles need more registers a thread, and pay twice: registers also "
        "spare shared memory its loads. Loads of 16 bytes take a quarter of the requests. The last "
        "rung moves no less; it hides the copies behind the arithmetic.\n\n"
        "For n that is no multiple of the tile the edges cost more, but nothing else changes.";
    experiment.series = {{"naive", "a thread an element"},
                         {"tiled", "shared tiles, 32 wide"},
                         {"block_tile_1d", "8 elements a thread, 64 wide"},
                         {"block_tile_2d", "8 × 8 elements a thread, 128 wide"},
                         {"vectorized", "16 bytes an access"},
                         {"warp_tiled", "warp tiles, asynchronous copies"},
                         {"cublas", "cublasSgemm"}};
    experiment.parameters = {{"n", "rows and columns"},
                             {"past_tile", "columns past a multiple of 128"}};
    experiment.least_capability = 80;  // cp.async
    experiment.columns = {
        {"global_ld_requests", "load requests"},
        {"global_ld_sectors", "load sectors"},
        {"flops/global_ld_sectors", "operations a sector"},
        {"shared_ld_wavefronts", "shared load passes"},
        {"shared_ld_conflicts", "conflicts"},
        {"registers", "registers"},
        {"us", "time", "µs"},
        {"gflops", "speed", "GFLOP/s"},
    };
    experiment.claims = claims_of_traffic();
    for (auto* more : {claims_of_conflicts, claims_of_time}) {
        for (lab::Claim& claim : more()) experiment.claims.push_back(std::move(claim));
    }
    experiment.charts = {
        {"Sectors that all loads move", "global_ld_sectors", "n", "line", true, true},
        {"Operations for each sector loaded", "flops/global_ld_sectors", "series", "bar"},
        {"Speed, GFLOP/s", "gflops", "n", "line", true}};
    experiment.pictures = {{"tiles", "Tiles 32 wide", "tiled", {{"past_tile", 0}}},
                           {"tiles", "Tiles 128 wide", "block_tile_2d", {{"past_tile", 0}}},
                           {"banks",
                            "2-D tile: 16 lanes read B 8 words apart",
                            "block_tile_2d",
                            {{"past_tile", 0}},
                            "shared_ld",
                            8}};
    return experiment;
}

/// Element i of C, in double precision: from random numbers' formulas on the host, from memory on a
/// GPU, where that is faster.
struct Product {
    lab::Random<float> value_a, value_b;
    const float* a;
    const float* b;
    std::size_t n;

    __host__ __device__ float operator()(std::size_t i) const {
        const std::size_t row = i / n;
        const std::size_t column = i % n;
        double sum = 0.0;
        for (std::size_t k = 0; k < n; ++k) {
#ifdef __CUDA_ARCH__
            sum += static_cast<double>(a[row * n + k]) * b[k * n + column];
#else
            sum += static_cast<double>(value_a(row * n + k)) * value_b(k * n + column);
#endif
        }
        return static_cast<float>(sum);
    }
};

/// Matrices of one size, and the points on them.
class Size {
public:
    Size(lab::Session& session, int n)
        : session_(session),
          n_(n),
          a_(session.random<float>(elements(), 1)),
          b_(session.random<float>(elements(), 2)),
          c_(session.output<float>(elements())) {}

    void run_rung(const gemm::Rung& rung) {
        lab::Point point = begin(rung.name);
        if (n_ % 4 == 0) point.kernel(rung.kernel);  // else a rung may launch another
        point.fact("side", n_).fact("tile", rung.rows).fact("tile_depth", rung.depth);
        const gemm::RungCounts counts(rung, n_);
        expect_lanes(point, rung, counts);
        expect_traffic(point, counts);
        expect_passes(point, rung, counts);
        point.run([&](int rotation, cudaStream_t stream) { rung.launch(on(rotation), stream); });
    }

    void run_cublas(const gemm::CublasPeer& cublas) {
        begin("cublas").run([&](int rotation, cudaStream_t stream) {
            if (!cublas.launch(on(rotation), stream)) lab::give_up("cublasSgemm failed");
        });
    }

private:
    std::size_t elements() const { return static_cast<std::size_t>(n_) * n_; }
    gemm::MatrixProduct on(int rotation) const {
        return {a_[rotation], b_[rotation], c_[rotation], n_, n_, n_};
    }

    lab::Point begin(const char* series) {
        const double flops = 2.0 * static_cast<double>(elements()) * n_;
        lab::Point point = session_.point(series, {{"n", n_}, {"past_tile", n_ % 128}});
        point.moves(3 * elements() * sizeof(float)).computes(flops).fact("flops", flops);
        point.writes(c_, elements(),
                     Product{a_.value, b_.value, a_[0], b_[0], static_cast<std::size_t>(n_)},
                     kTolerance);
        return point;
    }

    /// The lanes that load, which the derivation speaks of. Hardware does not count them.
    void expect_lanes(lab::Point& point, const gemm::Rung& rung,
                      const gemm::RungCounts& counts) const {
        const std::uint64_t n = n_;
        if (rung.depth == 1) {
            point.expects("global_ld_active_lanes", 2 * n * n * n, "2n³");
            return;
        }
        // Of each matrix. A warp tile copies whole tiles, the others leave out what lies past an
        // edge.
        const std::uint64_t loads =
            counts.tiles_across() * n * (rung.copies_ahead ? counts.tiles_down() * rung.rows : n);
        point.expects(
            "global_ld_active_lanes",
            loads / counts.accesses().a.columns.width + loads / counts.accesses().b.columns.width,
            rung.copies_ahead ? "⌈n/T⌉² · T · n of each, a quarter by 16 bytes"
                              : "⌈n/T⌉ · n² of each, a quarter by 16 bytes");
    }

    void expect_traffic(lab::Point& point, const gemm::RungCounts& counts) const {
        const gemm::Traffic loads = counts.loads(), stores = counts.stores();
        point.expects("global_ld_requests", loads.requests, "⌈n/T⌉ · those that cover A and B")
            .expects("global_ld_sectors", loads.sectors,
                     "⌈n/T⌉ · those that each request's piece of a row of A or B touches")
            .expects("global_st_requests", stores.requests, "those that cover C")
            .expects("global_st_sectors", stores.sectors,
                     "those that each request's piece of a row of C touches");
    }

    void expect_passes(lab::Point& point, const gemm::Rung& rung,
                       const gemm::RungCounts& counts) const {
        const gemm::SharedUse& use = rung.shared;
        if (!rung.copies_ahead) {
            // ptxas merges loads of the tiles; then their passes are others. Where copies run by
            // themselves it merges none, but hardware counts them among the instructions.
            point
                .expects("shared_ld_inst", counts.warp_steps() * use.loads,
                         "warps · steps of k · loads")
                .expects("shared_st_inst", counts.warp_stages() * use.stores,
                         "warps · tiles along k · stores");
        }
        point
            .expects("shared_ld_wavefronts", counts.warp_steps() * use.load_passes,
                     "warps · steps of k · passes of a warp's loads")
            .expects("shared_ld_conflicts", counts.warp_steps() * use.conflicts,
                     "warps · steps of k · conflicts of a warp's loads")
            .expects("shared_st_wavefronts",
                     counts.warp_stages() * use.store_passes + counts.clearing_passes(),
                     "warps · tiles along k · passes of a warp's stores, and zeros before k")
            .expects("shared_st_conflicts", counts.clearing_conflicts(),
                     "passes of zeros by four words a lane, less a quarter");
    }

    lab::Session& session_;
    int n_;
    lab::Buffer<float> a_, b_, c_;
};

void run(lab::Session& session) {
    const std::vector<int> sizes =
        session.pick(std::vector<int>{251, 256}, std::vector<int>{1024, 4096, 4097, 8192});
    std::optional<gemm::CublasPeer> cublas;  // holds machine code alone, so for a real GPU only
    if (session.timed() || session.names("cublas")) cublas.emplace();
    const bool compared = cublas && cublas->found();
    session.announce(sizes.size() * (std::size(gemm::kRungs) + compared));
    for (const int n : sizes) {
        Size size(session, n);
        for (const gemm::Rung& rung : gemm::kRungs) size.run_rung(rung);
        if (compared) size.run_cublas(*cublas);
    }
}

}  // namespace

LAB_MAIN(describe, run)

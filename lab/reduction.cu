// SPDX-License-Identifier: Apache-2.0
// Sum and maximum: by trees in shared memory, by shuffles, by atomic operations, in two passes, by
// the library; and what a shuffle past the last lane gives.
#include <wideload/device/reduce.cuh>

#include <algorithm>
#include <string>

#include "harness/lab.cuh"
#include "reduction.cuh"

namespace {

using namespace reduction;

lab::Experiment describe() {
    lab::Experiment experiment;
    experiment.chapter = 19;
    experiment.name = "reduction";
    experiment.title = "Reduction: trees, shuffles, atomics and two passes";
    experiment.sources = {"002"};
    experiment.question =
        "Many values become one. What does each way cost in accesses to shared memory, bank "
        "conflicts and atomic operations, and what in time?";
    experiment.expectation =
        "Every way must read each element once, one request for 32 of them; the library reads 16 "
        "bytes a lane and needs a quarter of the requests. Each thread combines its share, then a "
        "block of 256 combines 256 values in 8 rounds. Halving the distance keeps the working "
        "threads side by side: no conflicts. Doubling it spreads them out, by 2, 4, 8, ... words, "
        "and banks collide. From 32 values on shuffles pass them from register to register, "
        "without "
        "shared memory and barriers.\n\n"
        "One atomic operation a block costs next to nothing. One an element does: 32 lanes that "
        "add "
        "to one float are 32 sectors' work; for integers the compiler first combines a warp's "
        "values and leaves one. A second launch needs no atomic at all, but another start.\n\n"
        "__shfl_down_sync gives a lane whose source lies past lane 31 its own value back. That is "
        "no zero: after five rounds of adding only lane 0 holds the sum, and the last lane holds "
        "32 "
        "times its own value.";
    experiment.series = {{"sum_spreading", "sum: tree with doubling distance, atomic a block"},
                         {"sum_tree", "sum: tree, atomic a block"},
                         {"sum_shuffle", "sum: tree and shuffles, atomic a block"},
                         {"sum_atomic", "sum: atomic an element"},
                         {"sum_two_pass", "sum: tree and shuffles, two passes"},
                         {"sum_library", "sum: wideload::reduce"},
                         {"max_spreading", "maximum: tree with doubling distance, atomic a block"},
                         {"max_tree", "maximum: tree, atomic a block"},
                         {"max_shuffle", "maximum: tree and shuffles, atomic a block"},
                         {"max_atomic", "maximum: atomic an element"},
                         {"max_two_pass", "maximum: tree and shuffles, two passes"},
                         {"max_library", "maximum: wideload::reduce"},
                         {"shuffle_down", "__shfl_down_sync of lane numbers"}};
    experiment.parameters = {{"n", "elements"}, {"distance", "distance", "lanes"}};
    experiment.columns = {{"global_ld_requests/warps", "loads for 32 elements"},
                          {"shared_ld_wavefronts", "shared load wavefronts"},
                          {"shared_ld_conflicts", "conflicts of them"},
                          {"global_red_requests", "atomic requests"},
                          {"global_red_sectors", "atomic sectors"},
                          {"global_atom_requests", "atomic requests with an answer"},
                          {"own_lanes", "lanes that get their own value"},
                          {"first_lane_sum", "lane 0 after five rounds"},
                          {"last_lane_sum", "lane 31 after five rounds"},
                          {"us", "time", "µs"},
                          {"gbps", "bandwidth", "GB/s"},
                          {"copy_percent", "of the best copy", "%"}};
    experiment.claims = {
        lab::compare("shared_ld_conflicts", "sum_tree")
            .equals(0)
            .holds("The tree with halving distance has {found} bank conflicts.")
            .fails("The tree with halving distance has {found|bank conflict|bank conflicts}, not "
                   "none."),
        lab::compare("shared_ld_wavefronts", "sum_spreading")
            .over("shared_ld_wavefronts", "sum_tree")
            .at_least(3)
            .holds("Doubling the distance takes {ratio} times the wavefronts of halving it.")
            .fails("Doubling the distance takes only {ratio} times the wavefronts of halving it."),
        lab::compare("shared_ld_wavefronts", "sum_tree")
            .over("shared_ld_wavefronts", "sum_shuffle")
            .at_least(1.5)
            .holds("Shuffles take the last five rounds out of shared memory: {right} wavefronts "
                   "in place of {left}.")
            .fails("Shuffles leave {right} of {left} wavefronts."),
        lab::compare("global_red_requests", "sum_atomic")
            .over("global_red_requests", "sum_shuffle")
            .at_least(8)
            .holds("An atomic for each element makes {ratio} times the atomic requests of one a "
                   "block.")
            .fails(
                "An atomic for each element makes only {ratio} times the atomic requests of one a "
                "block."),
        lab::compare("global_red_sectors", "sum_atomic")
            .over("global_red_sectors", "max_atomic")
            .equals(32)
            .holds("Float atomics on one address take {ratio} times the sectors of integer ones, "
                   "whose warps combine their values first.")
            .fails("Float atomics on one address take {ratio} times the sectors of integer ones, "
                   "not {value}."),
        lab::compare("global_red_requests", "sum_two_pass")
            .equals(0)
            .holds("Two passes make {found} atomic requests.")
            .fails("Two passes make {found|atomic request|atomic requests}, not none."),
        lab::compare("global_ld_sectors/warps", "sum_library")
            .at_most(4.05)
            .holds("The library reads each element once: {found} sectors for 32 of them, with what "
                   "blocks tell each other.")
            .fails("The library reads {found} sectors for 32 elements, where 4 hold them."),
        lab::compare("global_atom_requests", "sum_library")
            .over("launched_blocks", "sum_library")
            .equals(1)
            .holds("The library makes {ratio} atomic request a block: it counts itself in.")
            .fails("The library makes {ratio} atomic operations a block, not {value}."),
        lab::compare("own_lanes/distance", "shuffle_down")
            .equals(1)
            .holds("Past lane 31 a lane gets its own value back: as many lanes as the distance, "
                   "{found} for each.")
            .fails("{found} lanes for each of the distance get their own value back, not {value}."),
        lab::compare("last_lane_sum/last_lane_value", "shuffle_down")
            .equals(32)
            .holds("After five rounds lane 31 has {found} times its own value, not the sum.")
            .fails("After five rounds lane 31 has {found} times its own value, not {value} times."),
        lab::compare("us", "sum_spreading")
            .over("us", "sum_tree")
            .at_most(1.1)
            .holds("The conflicts of doubling the distance hardly show in the time, {ratio} times "
                   "that "
                   "of halving it: a block combines its values only once.")
            .fails("The conflicts of doubling the distance show: {ratio} times the time of halving "
                   "it."),
        lab::compare("us", "sum_two_pass")
            .over("us", "sum_shuffle")
            .at_least(1)
            .holds("The second launch makes two passes take {ratio} times as long as one with "
                   "atomics.")
            .fails("Two passes take {ratio} times as long as one with atomics: the second launch "
                   "is not always dearer."),
        lab::compare("us", "sum_atomic")
            .over("us", "sum_shuffle")
            .at_least(2)
            .holds("An atomic for each element takes {ratio} times as long as one a block.")
            .fails("An atomic for each element takes only {ratio} times as long as one a block."),
        lab::compare("us", "sum_shuffle")
            .over("us", "sum_library")
            .at_least(1)
            .holds("A tree with shuffles and an atomic a block takes {ratio} times the library's "
                   "time.")
            .fails("A tree with shuffles and an atomic a block takes {ratio} times the library's "
                   "time: the library is not the fastest everywhere."),
    };
    const std::vector<std::string> sums = {"sum_spreading", "sum_tree",     "sum_shuffle",
                                           "sum_atomic",    "sum_two_pass", "sum_library"};
    experiment.charts = {
        {"Bandwidth of sums over the size, GB/s", "gbps", "n", "line", true, false, sums},
        {"Time of sums over the size, µs", "us", "n", "line", true, true, sums},
        {"Atomic sectors over the size",
         "global_red_sectors",
         "n",
         "line",
         true,
         true,
         {"sum_shuffle", "sum_atomic", "max_atomic"}},
        {"Lanes that get their own value back",
         "own_lanes",
         "distance",
         "points",
         false,
         false,
         {"shuffle_down"}}};
    experiment.pictures = {
        {"banks",
         "Doubling distance, first round: every other word",
         "sum_spreading",
         {},
         "shared_ld",
         0},
        {"banks", "Halving distance: neighbours read neighbours", "sum_tree", {}, "shared_ld", 0},
        {"lanes", "32 lanes add to one float", "sum_atomic", {}, "global_red"}};
    return experiment;
}

constexpr unsigned kMostBlocks = 1024;
constexpr std::size_t kMostAtomics = std::size_t{1} << 22;  // one by one they take seconds beyond

/// Shared wavefronts of a block: every thread puts a value down; a round of w active warps then
/// loads twice and stores once in each of them; the result is loaded once more.
struct SharedCost {
    unsigned loads, stores;
    const char* formula;
};
constexpr unsigned kWarps = kThreads / kLanes;
constexpr unsigned kWideRounds = 4 + 2 + 1, kNarrowRounds = 5;
// While all lanes work, two words of them and then four meet in a bank; then ever fewer lanes meet.
constexpr unsigned kSpreadingRounds = 4 * 2 + 2 * 4 + 8 + 8 + 8 + 4 + 2 + 1;
constexpr SharedCost kTree = {2 * (kWideRounds + kNarrowRounds) + 1,
                              kWarps + kWideRounds + kNarrowRounds,
                              "blocks × (warps of 8 rounds, each value once)"};
constexpr SharedCost kSpreading = {2 * kSpreadingRounds + 1, kWarps + kSpreadingRounds,
                                   "blocks × (words of the fullest bank, over 8 rounds)"};
constexpr SharedCost kShuffle = {2 * kWideRounds + 1, kWarps + kWideRounds,
                                 "blocks × (warps of 3 rounds, each value once)"};

/// How the library launches a reduction: its own table of tunings says, by size and device.
struct LibraryLaunch {
    std::uint64_t elements, blocks, warps, words;
    std::uint64_t beside;      ///< loads that come first, of what tiles leave: nothing here
    std::uint64_t digits;      ///< that a block adds to one sum; 0: blocks send theirs to mailboxes
    bool by_warp;              ///< which one warp then empties
    std::uint64_t wavefronts;  ///< in which a block's first warp loads what the threads left it
};

template <class Operation, class Value>
LibraryLaunch library_launch(const Value* input, std::size_t n) {
    namespace library = wideload::detail;
    constexpr bool kCounted = library::kCountedSum<Value, Operation>;
    library::ReduceShape shape{};
    LibraryLaunch launch{};
    launch.elements = n;
    launch.digits = kCounted ? library::Digits<Value>::kCount : 0u;
    LAB_REQUIRE((library::reduce_shape<!kCounted, Value>(n, &shape)));
    const auto cut = library::cut_reduce_input(input, n);
    LAB_REQUIRE((library::launch_shape<!kCounted>(shape, cut, [&](auto build) {
        using Build = decltype(build);
        using wideload::block::reduce_detail::kByThreads;
        const auto share = library::share_reduce_input<Build>(cut, shape.max_blocks);
        launch.blocks = share.blocks;
        launch.warps = Build::kThreads / kLanes;
        launch.words = share.tiles.words;
        launch.by_warp = Build::kSmall;
        launch.beside = library::kBesideFirst<Value, Operation, Build> ? 2 : 0;
        launch.wavefronts = kByThreads<Operation, Value, Build::kThreads> ? launch.warps : 1;
        return cudaSuccess;
    })));
    return launch;
}

/// The data are read once, 16 bytes a lane, and each block combines what its warps found.
void expect_library_reads(lab::Point& point, const LibraryLaunch& launch) {
    constexpr unsigned kElementsOfRequest = 4 * kLanes;
    const std::uint64_t requests = launch.elements / kElementsOfRequest / launch.words;
    for (unsigned site = 0; site < launch.beside; ++site)
        point.expects("global_ld:" + std::to_string(site) + "_requests", 0, "none");
    // At these sizes every thread has all of its words at once, or comes round by the same loads.
    for (unsigned word = 0; word < launch.words; ++word) {
        point.expects_traffic("global_ld:" + std::to_string(launch.beside + word), requests,
                              "elements / 128 / words of a thread", 16, "16");
    }
    point.expects("global_red_requests", 0, "none")
        .note("hardware", "shared wavefronts within 12 %: a full multiprocessor adds some");
}

/// Several blocks add the digits of their results to one sum, four digits a sector. The last one
/// empties it and writes the result.
void expect_library_sum(lab::Point& point, const LibraryLaunch& launch) {
    const std::uint64_t blocks = launch.blocks, meets = blocks > 1 ? 1 : 0;
    const std::uint64_t sectors = (launch.digits + 3) / 4;
    point.expects_traffic("global_atom", meets * blocks, "blocks", sectors, "⌈digits / 4⌉")
        .expects("global_st_requests", meets + 1, "the digits and the result")
        .expects("global_st_sectors", meets * sectors + 1, "⌈digits / 4⌉ + 1")
        .expects("shared_ld_wavefronts", blocks * launch.wavefronts,
                 "blocks × what the first warp loads")
        .expects("shared_st_wavefronts", blocks * launch.warps, "blocks × warps");
}

/// Several blocks count themselves in and leave a mailbox of 8 bytes each, which threads side by
/// side of the last one empty: warps ask as often as they must. Few blocks' are emptied by one
/// warp, which learns by a shuffle that it may.
void expect_library_mailboxes(lab::Point& point, const LibraryLaunch& launch) {
    constexpr unsigned kMailboxesOfSector = 4;
    const std::uint64_t blocks = launch.blocks, meets = blocks > 1 ? 1 : 0;
    const std::uint64_t requests = launch.elements / (4 * kLanes), sends = meets * blocks;
    const std::uint64_t takes = meets * ((blocks + kLanes - 1) / kLanes);
    const std::uint64_t taken_sectors =
        meets * ((blocks + kMailboxesOfSector - 1) / kMailboxesOfSector);
    point.expects_traffic("global_atom", sends, "blocks", 1, "1")
        .expects_at_least("global_ld_requests", requests + takes,
                          "elements / 128 + ⌈blocks / 32⌉ of mailboxes")
        .expects_at_least("global_ld_sectors", 16 * requests + taken_sectors,
                          "elements / 8 + ⌈blocks / 4⌉ of mailboxes")
        .expects("global_st_requests", sends + takes + 1,
                 "blocks + ⌈blocks / 32⌉ emptied + the result")
        .expects("global_st_sectors", sends + taken_sectors + 1,
                 "blocks + ⌈blocks / 4⌉ emptied + the result");
    if (launch.by_warp) {
        point
            .expects("shared_ld_wavefronts", blocks * launch.wavefronts,
                     "blocks × what the first warp loads")
            .expects("shared_st_wavefronts", blocks * launch.warps, "blocks × warps");
        return;
    }
    point
        .expects("shared_ld_wavefronts", blocks + meets * (blocks * launch.warps + 1),
                 "blocks × (warps' results + who is last, by each warp) + the last one's results")
        .expects("shared_st_wavefronts", blocks * launch.warps + meets * (blocks + launch.warps),
                 "blocks × (warps' results + who is last) + the last one's warps' results");
}

template <class Operation, class LibraryOperation, class Value = typename Operation::Value>
void reduce(lab::Session& session, const std::string& prefix, std::size_t n, Value expected) {
    using Kernel = void(const Value*, Value*, unsigned);
    const auto blocks = static_cast<unsigned>(std::min<std::size_t>(n / kThreads, kMostBlocks));
    const auto count = static_cast<unsigned>(n);
    const auto input = session.random<Value>(n);
    const auto result = session.output<Value>(1), partials = session.output<Value>(blocks);
    const auto scratch = session.output<char>(wideload::reduce_scratch_bytes<Value>());
    const auto empty = [&](int rotation, cudaStream_t stream) {
        LAB_REQUIRE(cudaMemsetAsync(result[rotation], 0, sizeof(Value), stream));
    };
    const auto point = [&](const char* way) {
        lab::Point described = session.point(prefix + way, {{"n", n}});
        described.moves(n * sizeof(Value))
            .fact("warps", static_cast<double>(n) / kLanes)
            .writes(
                result, 1, [=] __host__ __device__(std::size_t) { return expected; },
                std::is_same_v<Value, float> ? 1e-3 : 0);
        return described;
    };
    const auto shared = [&](lab::Point& described, const SharedCost& cost, unsigned all_blocks) {
        described
            .expects("shared_ld_wavefronts", std::uint64_t{all_blocks} * cost.loads, cost.formula)
            .expects("shared_st_wavefronts", std::uint64_t{all_blocks} * cost.stores, cost.formula)
            .note("hardware", "shared wavefronts within 12 %: a full multiprocessor adds some");
    };
    const auto atomic_a_block = [&](const char* way, Kernel* kernel, const SharedCost& cost) {
        lab::Point described = point(way);
        shared(described, cost, blocks);
        described.expects_traffic("global_red", blocks, "blocks", 1, "1")
            .expects_traffic("global_ld", n / kLanes, "elements / 32", 4, "4")
            .run([&](int rotation, cudaStream_t stream) {
                empty(rotation, stream);
                kernel<<<blocks, kThreads, 0, stream>>>(input[rotation], result[rotation], count);
            });
    };
    atomic_a_block("spreading", reduce_spreading<Operation>, kSpreading);
    atomic_a_block("tree", reduce_tree<Operation>, kTree);
    atomic_a_block("shuffle", reduce_shuffle<Operation>, kShuffle);

    lab::Point passes = point("two_pass");
    shared(passes, kShuffle, blocks + 1);
    passes.expects("global_red_requests", 0, "none")
        .expects_traffic("global_ld", (n + blocks) / kLanes, "(elements + blocks) / 32", 4, "4")
        .expects_traffic("global_st", blocks + 1, "blocks + 1", 1, "1")
        .run([&](int rotation, cudaStream_t stream) {
            reduce_pass<Operation>
                <<<blocks, kThreads, 0, stream>>>(input[rotation], partials[rotation], count);
            reduce_pass<Operation>
                <<<1, kThreads, 0, stream>>>(partials[rotation], result[rotation], blocks);
        });
    lab::Point library = point("library");
    const LibraryLaunch launch = library_launch<LibraryOperation>(input[0], n);
    expect_library_reads(library, launch);
    if (launch.digits != 0) {
        expect_library_sum(library, launch);
    } else {
        expect_library_mailboxes(library, launch);
    }
    library.prepares([&] { scratch.clear(); }).run([&](int rotation, cudaStream_t stream) {
        LAB_REQUIRE(wideload::reduce(input[rotation], n, result[rotation], LibraryOperation{},
                                     Value{0}, scratch[0], scratch.bytes(), stream));
    });
    if (n > kMostAtomics) return;
    const bool combined = std::is_integral_v<Value>;
    point("atomic")
        .expects("global_red_requests", n / kLanes, "elements / 32")
        .expects("global_red_sectors", combined ? n / kLanes : n,
                 combined ? "elements / 32: ptxas combines the warp first" : "elements")
        .expects_traffic("global_ld", n / kLanes, "elements / 32", 4, "4")
        .run([&](int rotation, cudaStream_t stream) {
            empty(rotation, stream);
            reduce_atomic<Operation>
                <<<blocks, kThreads, 0, stream>>>(input[rotation], result[rotation], count);
        });
}

/// Facts of shuffles whose source lies past lane 31.
void shuffle(lab::Session& session) {
    const auto lanes = session.output<unsigned>(kLanes);
    sum_by_shuffles<<<1, kLanes>>>(lanes[0]);
    const std::vector<unsigned> sums = lanes.download();
    for (unsigned distance = 1; distance < kLanes; distance *= 2) {
        shuffle_down<<<1, kLanes>>>(lanes[0], distance);
        const std::vector<unsigned> received = lanes.download();
        unsigned own = 0;
        for (unsigned lane = 0; lane < kLanes; ++lane) own += received[lane] == lane ? 1 : 0;
        session.point("shuffle_down", {{"distance", distance}})
            .fact("own_lanes", own)
            .fact("first_lane_sum", sums.front())
            .fact("last_lane_sum", sums.back())
            .fact("last_lane_value", kLanes - 1)
            .states();
    }
}

void run(lab::Session& session) {
    const std::vector<unsigned> powers = session.full()
                                             ? std::vector<unsigned>{16, 18, 20, 22, 24, 26, 28, 30}
                                             : std::vector<unsigned>{13, 15, 17};
    const auto with_atomics = std::count_if(powers.begin(), powers.end(), [](unsigned power) {
        return std::size_t{1} << power <= kMostAtomics;
    });
    session.announce(powers.size() * 10 + with_atomics * 2 + 5);
    const lab::Random<float> floats{};
    const lab::Random<unsigned> integers{};
    double sum = 0;
    unsigned maximum = 0;
    std::size_t done = 0;
    for (const unsigned power : powers) {
        const std::size_t n = std::size_t{1} << power;
        for (; done < n; ++done) {
            sum += floats(done);
            maximum = std::max(maximum, integers(done));
        }
        reduce<Sum, wideload::plus>(session, "sum_", n, static_cast<float>(sum));
        reduce<Maximum, wideload::maximum>(session, "max_", n, maximum);
    }
    shuffle(session);
}

}  // namespace

LAB_MAIN(describe, run)

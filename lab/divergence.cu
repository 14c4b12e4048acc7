// SPDX-License-Identifier: Apache-2.0
// Warps whose lanes part: at an if, in loops of different lengths, at the guard of the last block.
#include <algorithm>
#include <vector>

#include "harness/lab.cuh"

#include "divergence.cuh"

namespace {

lab::Experiment describe() {
    lab::Experiment experiment;
    experiment.chapter = 11;
    experiment.name = "divergence";
    experiment.title = "Divergence: what a warp pays when its lanes part";
    experiment.sources = {"002"};
    experiment.question =
        "The lanes of a warp execute one instruction at a time. What do an if, a loop and a guard "
        "cost when they do not all go the same way?";
    experiment.expectation =
        "Where lanes part, the warp walks both ways, each with the others idle: 24 lanes one way "
        "and 8 the other make two requests where one would do, of 3 sectors and of 1. The sectors "
        "are the same; the instructions are twice as many. The same share of threads, parted "
        "between warps, costs nothing.\n\n"
        "A loop lasts as long as its longest lane: of 4 to 8 trips all pay for 8, and with "
        "threadIdx.x trips the first warp of a block of 64 has half of its lanes idle on average, "
        "the second a quarter, both together a third. From Volta on the ways may take turns, but "
        "each is still walked.\n\n"
        "Of 1,003 elements in blocks of 64 the last warp has 11 lanes at work. It is the only one "
        "that diverges, one of 32; of 100 elements one of 4, of 10,000 one of 313. A guard without "
        "an else has no second way to walk: even that warp executes nothing more than a full one.";
    experiment.series = {{"split", "lanes of every warp part"},
                         {"by_warp", "whole warps part"},
                         {"above_2", "threadIdx.x > 2"},
                         {"loop_4_to_8", "loops of 4 to 8 trips"},
                         {"loop_thread", "loops of threadIdx.x trips"},
                         {"guard", "the guard i < n"}};
    experiment.parameters = {{"first", "lanes on the first way"}, {"n", "elements"}};
    experiment.columns = {{"global_ld_requests", "load requests"},
                          {"global_ld_sectors", "load sectors"},
                          {"inst", "instructions"},
                          {"thread_inst/inst", "lanes an instruction"},
                          {"warps", "warps"},
                          {"branch_divergent", "divergent branches"},
                          {"branch_divergent/global_st_requests", "divergences a warp with work"},
                          {"us", "time", "µs"}};
    const lab::Where document = {{"first", 24}};
    const auto divergent_at = [](unsigned n, double share) {
        return lab::compare("global_st_requests/branch_divergent", "guard")
            .at({{"n", n}})
            .equals(share);
    };
    experiment.claims = {
        lab::compare("global_ld_requests", "split")
            .at(document)
            .over("global_ld_requests", "by_warp", document)
            .equals(2)
            .holds("Parted within warps, 24 lanes and 8 make {ratio} times the requests, {left} "
                   "against {right}.")
            .fails("Parted within warps, 24 lanes and 8 make {ratio} times the requests, {left} "
                   "against {right}, not {value} times."),
        lab::compare("global_ld_sectors", "split")
            .at(document)
            .over("global_ld_sectors", "by_warp", document)
            .equals(1)
            .holds(
                "Parted within warps or between them, the loads move {left} sectors: what is paid "
                "twice is the instruction.")
            .fails("Parted within warps, the loads move {left} sectors, between warps {right}."),
        lab::compare("inst", "split")
            .at(document)
            .over("inst", "by_warp", document)
            .at_least(1.5)
            .holds("Warps whose lanes part execute {ratio} times the instructions.")
            .fails("Warps whose lanes part execute only {ratio} times the instructions."),
        lab::compare("branch_divergent/launched_warps", "above_2")
            .equals(0.5)
            .holds("threadIdx.x > 2 parts the first warp of each block of 64, {found} of the "
                   "warps.")
            .fails("threadIdx.x > 2 parts {found} of the warps, not the first of each two."),
        lab::compare("global_ld_requests/launched_warps", "loop_4_to_8")
            .equals(8)
            .holds(
                "A loop of 4 to 8 trips takes every warp {found|trip|trips}, as its longest lane.")
            .fails("A loop of 4 to 8 trips takes a warp {found|trip|trips}, not the {value} of its "
                   "longest lane."),
        lab::compare("global_ld_active_lanes/global_ld_requests", "loop_thread")
            .at_most(32 * 0.7)
            .holds("With threadIdx.x trips a load serves {found} of 32 lanes on average.")
            .fails("Even with threadIdx.x trips a load serves {found} of 32 lanes on average."),
        lab::compare("global_st_active_lanes", "guard")
            .at({{"n", 1003}})
            .over("launched_threads", "guard")
            .at_most(0.99)
            .holds("Of the {right} threads that start for 1,003 elements in blocks of 64, {left} "
                   "store an element.")
            .fails("Of the {right} threads that start for 1,003 elements in blocks of 64, {left} "
                   "store an element: none is idle."),
        divergent_at(100, 4)
            .holds("Of 100 elements, one warp of {found} diverges.")
            .fails("Of 100 elements, one warp of {found} diverges, not of {value}."),
        divergent_at(1000, 32)
            .holds("Of 1,000 elements, one warp of {found} diverges.")
            .fails("Of 1,000 elements, one warp of {found} diverges, not of {value}."),
        divergent_at(10000, 313)
            .holds(
                "Of 10,000 elements, one warp of {found} diverges: the more there are, the less it "
                "matters.")
            .fails("Of 10,000 elements, one warp of {found} diverges, not of {value}."),
        lab::compare("inst", "guard")
            .at({{"n", 1003}})
            .over("inst", "guard", {{"n", 1024}})
            .equals(1)
            .holds("The warps of 1,003 elements execute {left} instructions, those of 1,024 "
                   "{right}: a guard without an else costs no second pass.")
            .fails("The warps of 1,003 elements execute {left} instructions, those of 1,024 "
                   "{right}."),
        lab::compare("us", "split")
            .at(document)
            .over("us", "by_warp", document)
            .at_least(1.05)
            .holds("The divergent kernel takes {ratio} times as long.")
            .fails("The divergent kernel takes {ratio} times as long: waiting for memory hides its "
                   "second pass."),
    };
    experiment.charts = {{"Load requests over the lanes on the first way",
                          "global_ld_requests",
                          "first",
                          "step",
                          false,
                          false,
                          {"split", "by_warp"}},
                         {"Active lanes an instruction",
                          "thread_inst/inst",
                          "first",
                          "line",
                          false,
                          false,
                          {"split", "by_warp"}},
                         {"Divergent share of the warps",
                          "branch_divergent/global_st_requests",
                          "n",
                          "line",
                          true,
                          false,
                          {"guard"}}};
    experiment.pictures = {
        {"lanes", "First pass: lanes 0 to 23", "split", document},
        {"lanes", "Second pass: lanes 24 to 31", "split", document, "global_ld", 1}};
    return experiment;
}

/// Rows of an element a thread, and an output for each thread.
struct Arrays {
    lab::Buffer<float> x, y;
    std::size_t threads;
    std::uint64_t warps() const { return threads / 32; }
};

template <class TakesFirst>
void measure_if(lab::Session& session, const Arrays& arrays, const char* series, double first,
                TakesFirst takes_first) {
    // Requests and sectors of one trip, of all warps.
    std::uint64_t requests = 0, sectors = 0, parted = 0;
    for (unsigned warp = 0; warp < arrays.warps(); ++warp) {
        bool touched[2][4] = {};  // by way and sector
        bool taken[2] = {};
        for (unsigned lane = 0; lane < 32; ++lane) {
            const bool way = takes_first((warp * 32 + lane) % kThreads, warp);
            taken[way] = touched[way][lane / 8] = true;
        }
        requests += taken[0] + taken[1];
        for (const auto& way : touched) sectors += std::count(way, way + 4, true);
        parted += taken[0] && taken[1];
    }
    const unsigned blocks = lab::blocks_for(arrays.threads, kThreads);
    const auto value = arrays.x.value;
    const std::size_t step = arrays.threads;
    const auto expected = [=] __host__ __device__(std::size_t i) {
        float sum = 0, highest = 0;
        for (unsigned trip = 0; trip < kTrips; ++trip) {
            sum += value(trip * step + i);
            highest = fmaxf(highest, value(trip * step + i));
        }
        return takes_first(static_cast<unsigned>(i % kThreads), static_cast<unsigned>(i / 32))
                   ? sum
                   : highest;
    };
    session.point(series, {{"first", first}})
        .moves((kTrips + 1) * arrays.y.bytes())
        .fact("warps", static_cast<double>(arrays.warps()))
        .expects("global_ld_requests", requests * kTrips, "ways that each warp takes × trips")
        .expects("global_ld_sectors", sectors * kTrips, "sectors of each way × trips")
        .expects("branch_divergent", parted, "warps with lanes on both ways")
        .expects_traffic("global_st", arrays.warps(), "warps", 4, "4")
        .writes(arrays.y, arrays.threads, expected)
        .run([&](int rotation, cudaStream_t stream) {
            if_else<<<blocks, kThreads, 0, stream>>>(arrays.x[rotation], arrays.y[rotation],
                                                     takes_first);
        });
}

template <class Trips>
void measure_loop(lab::Session& session, const Arrays& arrays, const char* series, Trips trips) {
    // Of one block: a warp makes a request for each trip of its longest lane, and parts whenever
    // some of its lanes leave before others.
    std::uint64_t requests = 0, lane_trips = 0, parted = 0;
    for (unsigned warp = 0; warp < kThreads; warp += 32) {
        unsigned longest = 0, lengths[kThreads + 1] = {};
        for (unsigned lane = 0; lane < 32; ++lane) {
            longest = std::max(longest, trips(warp + lane));
            lane_trips += trips(warp + lane);
            ++lengths[trips(warp + lane)];
        }
        for (unsigned length = 0; length < longest; ++length) parted += lengths[length] != 0;
        requests += longest;
    }
    const unsigned blocks = lab::blocks_for(arrays.threads, kThreads);
    const auto value = arrays.x.value;
    const std::size_t step = arrays.threads;
    const auto expected = [=] __host__ __device__(std::size_t i) {
        float sum = 0;
        const unsigned count = trips(static_cast<unsigned>(i % kThreads));
        for (unsigned trip = 0; trip < count; ++trip) sum += value(trip * step + i);
        return sum;
    };
    session.point(series, {})
        .moves(blocks * lane_trips * sizeof(float) + arrays.y.bytes())
        .fact("warps", static_cast<double>(arrays.warps()))
        .expects("global_ld_requests", blocks * requests, "trips of each warp's longest lane")
        .expects("global_ld_active_lanes", blocks * lane_trips, "trips of all threads")
        .expects("branch_divergent", blocks * parted, "trip counts of a warp but the longest")
        .expects_traffic("global_st", arrays.warps(), "warps", 4, "4")
        .writes(arrays.y, arrays.threads, expected)
        .run([&](int rotation, cudaStream_t stream) {
            loop_of<<<blocks, kThreads, 0, stream>>>(arrays.x[rotation], arrays.y[rotation], trips);
        });
}

void measure_guard(lab::Session& session, std::size_t n) {
    const auto a = session.random<float>(n, 1), b = session.random<float>(n, 2);
    const auto c = session.output<float>(n);
    const auto left = a.value, right = b.value;
    const std::uint64_t with_work = (n + 31) / 32;
    const unsigned blocks = lab::blocks_for(n, kThreads);
    session.point("guard", {{"n", static_cast<double>(n)}})
        .moves(3 * c.bytes())
        .fact("warps", blocks * kThreads / 32.0)
        .expects("global_ld_requests", 2 * with_work, "2 arrays × ⌈n / 32⌉")
        .expects("global_ld_sectors", 2 * ((n + 7) / 8), "2 arrays × ⌈n / 8⌉")
        .expects("global_st_requests", with_work, "⌈n / 32⌉")
        .expects("global_st_active_lanes", n, "n")
        .expects("branch_divergent", n % 32 != 0, "1 where n is no multiple of 32")
        .writes(c, n, [=] __host__ __device__(std::size_t i) { return left(i) + right(i); })
        .run([&](int rotation, cudaStream_t stream) {
            add_vectors<<<blocks, kThreads, 0, stream>>>(a[rotation], b[rotation], c[rotation],
                                                         static_cast<unsigned>(n));
        });
}

void run(lab::Session& session) {
    session.announce(2 * 7 + 3 + 5);
    const std::size_t threads = session.pick(std::size_t{1} << 12, std::size_t{1} << 23);
    const Arrays arrays{session.random<float>(threads * kThreads), session.output<float>(threads),
                        threads};
    for (const unsigned first : {0u, 1u, 8u, 16u, 24u, 31u, 32u}) {
        measure_if(session, arrays, "split", first, LanesBelow{first});
        measure_if(session, arrays, "by_warp", first, WarpsBelow{first});
    }
    measure_if(session, arrays, "above_2", 29, Above2{});
    measure_loop(session, arrays, "loop_4_to_8", FourToEight{});
    measure_loop(session, arrays, "loop_thread", ThreadIndex{});
    for (const std::size_t n : {100, 1000, 1003, 1024, 10000}) measure_guard(session, n);
}

}  // namespace

LAB_MAIN(describe, run)

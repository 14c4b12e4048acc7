// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_profiler_api.h>
#include <unistd.h>

#include <cstddef>
#include <fstream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "check.cuh"
#include "experiment.cuh"
#include "machine.cuh"
#include "options.cuh"
#include "point.cuh"

namespace lab {

/// Stand before and after the launches of a point where results are written, so that whoever counts
/// launches knows whose they are: point number gridDim.x - 1.
static __global__ void point_begins() {}
static __global__ void point_ends() {}

class Point;

/// One run of an experiment: makes its buffers, launches its points, keeps what came out.
class Session {
public:
    Session(const Experiment& experiment, Options options)
        : name_(experiment.name), options_(std::move(options)), machine_(Machine::here()) {
        if (!options_.timed) return;
        timer_ = std::make_unique<Timer>(machine_.l2_bytes);
        constexpr std::size_t kLargeCopy = std::size_t{1} << 30, kSmallCopy = std::size_t{1} << 24;
        best_copy_gbps_ = lab::best_copy_gbps(*timer_, full() ? kLargeCopy : kSmallCopy);
    }

    /// The documents' own sizes are wanted, not those for a virtual GPU.
    bool full() const { return options_.full; }
    bool timed() const { return options_.timed; }
    const Machine& machine() const { return machine_; }
    template <class T>
    T pick(T small_size, T full_size) const {
        return full() ? full_size : small_size;
    }
    /// Whether buffers of so many bytes together fit into the GPU's memory, copies included.
    bool fits(std::size_t bytes) const {
        constexpr std::size_t kSpare = std::size_t{1} << 28;
        std::size_t free_bytes = 0, all_bytes = 0;
        LAB_REQUIRE(cudaMemGetInfo(&free_bytes, &all_bytes));
        return bytes * (timed() ? 2 : 1) + kSpare <= free_bytes;
    }
    /// How many points will come, for the progress bar.
    void announce(std::size_t points) { announced_ = points; }

    /// Random input; element i is buffer.value(i), on any side.
    template <class T>
    Buffer<T> random(std::size_t count, std::uint64_t seed = 1) const {
        Buffer<T> buffer = output<T>(count);
        buffer.value.seed = seed;
        buffer.fill(buffer.value, !full());
        return buffer;
    }
    /// Memory that launches write. A point poisons it first: see Point::writes.
    template <class T>
    Buffer<T> output(std::size_t count) const {
        return Buffer<T>(count, timed() ? timer_->launches(count * sizeof(T)) : 1);
    }

    /// Begins a point; its run() carries it out.
    Point point(std::string series, std::vector<std::pair<std::string, double>> parameters);

    /// Carries a point out: launches once between the marks, checks, then times.
    void run(PointResult result, const std::vector<std::function<void()>>& poisons,
             const std::vector<std::function<std::string(PointResult&)>>& checks, int copies,
             bool direct, const Launch& launch) {
        for (const auto& poison : poisons) poison();
        LAB_REQUIRE(cudaDeviceSynchronize());
        const unsigned mark = static_cast<unsigned>(results_.size()) + 1;
        if (marks_points()) {
            LAB_REQUIRE(cudaProfilerStart());
            point_begins<<<mark, 1>>>();
        }
        launch(0, nullptr);
        LAB_REQUIRE(cudaGetLastError());
        if (marks_points()) point_ends<<<mark, 1>>>();
        LAB_REQUIRE(cudaDeviceSynchronize());
        if (marks_points()) LAB_REQUIRE(cudaProfilerStop());
        for (const auto& check_output : checks) {
            const std::string wrong = check_output(result);
            if (wrong.empty()) continue;
            std::fprintf(stderr, "lab: %s, series %s, point %u: %s\n", name_.c_str(),
                         result.series.c_str(), mark - 1, wrong.c_str());
            result.correct = false;
        }
        if (timed()) result.time = timer_->time(copies, launch, direct);
        keep(std::move(result));
    }

    /// Keeps a point of which the program itself knows all: nothing is launched.
    void keep(PointResult result) {
        results_.push_back(std::move(result));
        show_progress();
    }

    bool all_correct() const {
        for (const PointResult& result : results_) {
            if (!result.correct) return false;
        }
        return true;
    }
    std::size_t points() const { return results_.size(); }

    void write_results() const {
        if (options_.results.empty()) return;
        json::Members members = {{"schema", json::text("wideload-lab-results/1")},
                                 {"experiment", json::text(name_)},
                                 {"sizes", json::text(full() ? "full" : "small")},
                                 {"machine", machine_.to_json()}};
        if (timed()) members.emplace_back("best_copy_gbps", json::number(best_copy_gbps_));
        members.emplace_back(
            "points", json::array(results_, [](const PointResult& one) { return one.to_json(); }));
        std::ofstream out(options_.results);
        out << json::object(members) << '\n';
        if (!out.flush()) give_up("cannot write " + options_.results);
    }

private:
    bool marks_points() const { return !options_.results.empty() && !timed(); }

    void show_progress() const {
        if (!timed() || announced_ == 0 || isatty(STDERR_FILENO) == 0) return;
        constexpr std::size_t kWidth = 40;
        const std::size_t done = results_.size() * kWidth / announced_;
        std::fprintf(stderr, "\r%s [%s%s] %zu of %zu%s", name_.c_str(),
                     std::string(std::min(done, kWidth), '#').c_str(),
                     std::string(kWidth - std::min(done, kWidth), '.').c_str(), results_.size(),
                     announced_, results_.size() < announced_ ? "" : "\n");
    }

    std::string name_;
    Options options_;
    Machine machine_;
    std::unique_ptr<Timer> timer_;
    double best_copy_gbps_ = 0;
    std::size_t announced_ = 0;
    std::vector<PointResult> results_;
};

/// One point while it is being described. What it says last, run(), carries it out:
///   session.point("scalar", {{"n", n}}).moves(8 * n).expects(...).writes(...).run(launch);
class Point {
public:
    Point(Session& session, std::string series,
          std::vector<std::pair<std::string, double>> parameters)
        : session_(session) {
        result_.series = std::move(series);
        result_.parameters = std::move(parameters);
    }

    /// Bytes that the work must read plus those that it must write: what bandwidth is counted in.
    Point& moves(std::uint64_t bytes) { return result_.bytes = bytes, *this; }
    Point& computes(double flops) { return result_.flops = flops, *this; }
    /// A counter of all its launches together, and how it follows from the launch.
    Point& expects(std::string counter, std::uint64_t value, std::string formula) {
        result_.expected.push_back({std::move(counter), value, std::move(formula)});
        return *this;
    }
    /// Requests and sectors of one kind of access: traffic("global_ld", warps, "warps", 4, "4").
    Point& expects_traffic(const std::string& kind, std::uint64_t requests,
                           const std::string& requests_formula, std::uint64_t sectors_per_request,
                           const std::string& sectors_formula) {
        expects(kind + "_requests", requests, requests_formula);
        return expects(kind + "_sectors", requests * sectors_per_request,
                       requests_formula + " × " + sectors_formula);
    }
    /// Bytes that the lanes of all requests ask for, each counted once a request. Hardware does not
    /// count them: there the coalescing degree is counted with these.
    Point& asks(const std::string& kind, std::uint64_t bytes, std::string formula) {
        return expects(kind + "_distinct_bytes", bytes, std::move(formula));
    }
    /// A figure that the program itself knows; claims and columns may name it as a metric.
    Point& fact(std::string name, double value) {
        result_.facts.emplace_back(std::move(name), value);
        return *this;
    }
    Point& note(std::string name, std::string text) {
        result_.notes.emplace_back(std::move(name), std::move(text));
        return *this;
    }
    /// The machine code's figures become facts: registers, local_bytes, static_shared_bytes.
    template <class Kernel>
    Point& kernel(Kernel* function) {
        cudaFuncAttributes attributes{};
        LAB_REQUIRE(cudaFuncGetAttributes(&attributes, reinterpret_cast<const void*>(function)));
        const char* mangled = nullptr;
        LAB_REQUIRE(cudaFuncGetName(&mangled, reinterpret_cast<const void*>(function)));
        result_.kernel = mangled;
        fact("registers", attributes.numRegs);
        fact("local_bytes", static_cast<double>(attributes.localSizeBytes));
        return fact("static_shared_bytes", static_cast<double>(attributes.sharedSizeBytes));
    }
    /// How many blocks of a kernel a multiprocessor holds at a time, and their warps in per cent of
    /// those that it could hold, become facts: resident_blocks, occupancy_percent.
    template <class Kernel>
    Point& occupancy(Kernel* function, unsigned threads, std::size_t dynamic_shared_bytes = 0) {
        int blocks = 0, threads_at_most = 0;
        LAB_REQUIRE(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
            &blocks, function, static_cast<int>(threads), dynamic_shared_bytes));
        LAB_REQUIRE(
            cudaDeviceGetAttribute(&threads_at_most, cudaDevAttrMaxThreadsPerMultiProcessor, 0));
        const unsigned warps = (threads + 31) / 32 * 32;
        fact("resident_blocks", blocks);
        return fact("occupancy_percent", 100.0 * blocks * warps / threads_at_most);
    }
    /// Poisons the buffer before the launch and holds a range of it, or its first elements, to
    /// expected(index), a __host__ __device__ function, after it.
    /// @param tolerance  relative, of floating-point elements; 0: equal
    template <class T, class Function>
    Point& writes(const Buffer<T>& buffer, Range range, Function expected, double tolerance = 0) {
        poisons_.push_back([&buffer] { buffer.poison(); });
        return changes(buffer, range, expected, tolerance);
    }
    template <class T, class Function>
    Point& writes(const Buffer<T>& buffer, std::size_t count, Function expected,
                  double tolerance = 0) {
        return writes(buffer, Range{0, count}, expected, tolerance);
    }
    /// The same for a buffer that the launch reads too: it keeps what it holds.
    template <class T, class Function>
    Point& changes(const Buffer<T>& buffer, Range range, Function expected, double tolerance = 0) {
        copies_ = std::max(copies_, buffer.copies());
        checks_.push_back(
            [&buffer, range, expected, tolerance, on_host = !session_.full()](PointResult&) {
                return check(buffer, range, expected, tolerance, on_host);
            });
        return *this;
    }
    template <class T, class Function>
    Point& changes(const Buffer<T>& buffer, std::size_t count, Function expected,
                   double tolerance = 0) {
        return changes(buffer, Range{0, count}, expected, tolerance);
    }
    /// Any other check: what is wrong with the results, or nothing.
    Point& checks(std::function<std::string()> wrong) {
        checks_.push_back([wrong = std::move(wrong)](PointResult&) { return wrong(); });
        return *this;
    }
    /// A fact that only the launch brings out: function() is asked after it.
    Point& finds(std::string name, std::function<double()> function) {
        checks_.push_back(
            [name = std::move(name), function = std::move(function)](PointResult& result) {
                result.facts.emplace_back(name, function());
                return std::string();
            });
        return *this;
    }
    /// A figure of each block, or of each thread, that only the launch brings out: for pictures.
    Point& lists(std::string name, std::function<std::vector<double>()> function) {
        checks_.push_back(
            [name = std::move(name), function = std::move(function)](PointResult& result) {
                result.lists.emplace_back(name, function());
                return std::string();
            });
        return *this;
    }
    /// Before the launch, as often as it is checked: what writes() does not poison.
    Point& prepares(std::function<void()> prepare) {
        poisons_.push_back(std::move(prepare));
        return *this;
    }
    /// The work cannot be captured into a graph.
    Point& direct() { return direct_ = true, *this; }

    /// @param launch  (int rotation, cudaStream_t stream): enqueues the work on buffer[rotation]
    void run(const Launch& launch) {
        session_.run(std::move(result_), poisons_, checks_, std::max(copies_, 2), direct_, launch);
    }
    /// The point is its facts and notes: nothing is launched or timed.
    void states() { session_.keep(std::move(result_)); }

private:
    Session& session_;
    PointResult result_;
    std::vector<std::function<void()>> poisons_;
    std::vector<std::function<std::string(PointResult&)>> checks_;
    int copies_ = 1;
    bool direct_ = false;
};

inline Point Session::point(std::string series,
                            std::vector<std::pair<std::string, double>> parameters) {
    return Point(*this, std::move(series), std::move(parameters));
}

}  // namespace lab

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime_api.h>
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

// As <cuda_profiler_api.h> declares them, which compilers that come as wheels lack.
extern "C" {
cudaError_t CUDARTAPI cudaProfilerStart(void);
cudaError_t CUDARTAPI cudaProfilerStop(void);
}

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
        if (machine_.capability() < experiment.least_capability) {
            give_up(name_ + " needs compute capability " +
                    std::to_string(experiment.least_capability / 10) + "." +
                    std::to_string(experiment.least_capability % 10) + "; " + machine_.gpu +
                    " has " + machine_.capability_text());
        }
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
    /// Whether a point is carried out: all are but where some were named. Point::run and
    /// Point::states ask by themselves; what is costly before a point may ask, too.
    bool wants(const std::string& series, const Selection::Parameters& parameters) const {
        return options_.selection.has(series, parameters);
    }
    /// Whether a point of the series was asked for by name.
    bool names(const std::string& series) const { return options_.selection.names(series); }
    /// How many points will come, exactly: for the progress bar.
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
        return Buffer<T>(count, timed() ? timer_->copies(count * sizeof(T)) : 1);
    }

    /// Begins a point; its run() carries it out.
    Point point(std::string series, std::vector<std::pair<std::string, double>> parameters);

    /// Carries a point out: launches once between the marks, checks, then times.
    void run(PointResult result, const std::vector<std::function<void()>>& poisons,
             const std::vector<std::function<std::string(PointResult&)>>& checks, int copies,
             bool direct, const Launch& launch) {
        if (!wants(result.series, result.parameters)) return;
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
        if (!wants(result.series, result.parameters)) return;
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

    /// Says where the progress bar would end early or never.
    void check_announced() const {
        if (announced_ == results_.size() || !options_.selection.is_of_all()) return;
        std::fprintf(stderr, "lab: %s announced %zu points, and %zu came\n", name_.c_str(),
                     announced_, results_.size());
    }

    void write_results() const {
        if (options_.results.empty()) return;
        json::Members members = {{"schema", json::text("wideload-lab-results/1")},
                                 {"experiment", json::text(name_)},
                                 {"sizes", json::text(full() ? "full" : "small")},
                                 {"machine", machine_.to_json()}};
        if (timed()) {
            members.emplace_back("best_copy_gbps", json::number(best_copy_gbps_));
            members.emplace_back("date", json::text(date_today()));
        }
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

}  // namespace lab

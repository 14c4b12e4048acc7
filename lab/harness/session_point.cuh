// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "session.cuh"

namespace lab {

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
    /// The same of a counter that the launch does not decide alone: blocks that wait for each other
    /// ask as often as they must. Less than this is wrong.
    Point& expects_at_least(std::string counter, std::uint64_t value, std::string formula) {
        result_.expected.push_back({std::move(counter), value, std::move(formula), true});
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

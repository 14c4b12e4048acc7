// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "claim.cuh"

/// An experiment as data: everything that the tool and the page say of it, but its results.
namespace lab {

/// One line of a chart: a kernel, or a way to launch one.
struct Series {
    std::string key;    ///< as points and claims name it
    std::string title;  ///< as a reader sees it
};

/// What a sweep varies.
struct Parameter {
    std::string key, title;
    std::string unit = "";  ///< "bytes" is shown as KiB, MiB, ...
};

/// A metric (claim.cuh) or a note that the table shows, and what charts call it.
struct Column {
    std::string metric, title;
    std::string unit = "";
};

/// A metric over a parameter, one line for each series. Not drawn where nothing was measured.
struct Chart {
    std::string title;
    std::string metric;
    std::string parameter;      ///< "series": one bar for each series
    std::string mark = "line";  ///< line, step, bar, points
    bool log_x = false, log_y = false;
    std::vector<std::string> series = {};  ///< empty: all
};

/// A drawing of one request, or of a block, of the first point that fits.
///   lanes    the addresses of a warp's lanes on sectors of memory
///   banks    the same on the banks of shared memory
///   threads  which thread of a block sits in which warp and lane
///   blocks   which block of a grid was on which multiprocessor, wave by wave: of a point with the
///            list "multiprocessor" (Point::lists) and the fact "resident", blocks of a wave
///   tiles    what one block reads and writes of square matrices: of a point with the facts "side"
///            (elements), "tile" and, of a product, "tile_depth"
struct Picture {
    std::string kind;
    std::string title;
    std::string series;
    Where where = {};
    std::string site = "global_ld";  ///< kind of access, as profiles spell it
    int ordinal = 0;                 ///< of the sites of that kind, in the kernel's order
};

/// Occupancy as a function of one resource while the others stay: a step plot for every GPU that
/// the tool knows, which needs no launch.
struct Staircase {
    std::string title;
    std::string axis;  ///< registers (a thread), shared (bytes a block), threads (a block)
    unsigned threads = 0, registers = 0;  ///< of a block; of a thread
    std::size_t shared_bytes = 0;
};

struct Experiment {
    int chapter = 0;  ///< its place in the course
    std::string name, title;
    std::vector<std::string> sources;  ///< numbers of the source documents
    std::string question;
    std::string expectation;  ///< what is expected and why; blank lines part paragraphs
    std::vector<Series> series;
    std::vector<Parameter> parameters;
    std::vector<Column> columns;
    std::vector<Column> summary;  ///< the series side by side, each at its largest point; or none
    std::vector<Claim> remarks;  ///< the summary's last column: each on the series that it compares
    std::vector<Claim> claims;
    std::vector<Chart> charts;
    std::vector<Staircase> staircases;
    std::vector<Picture> pictures;
    /// A profiler counts the documents' own sizes, as their tables do, instead of the small ones.
    bool counts_full_sizes = false;
    /// The compute capability that its kernels need, times ten: 80 is 8.0; 0: any.
    int least_capability = 0;
};

}  // namespace lab

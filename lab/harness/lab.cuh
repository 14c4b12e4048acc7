// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "describe.cuh"
#include "session.cuh"
#include "session_point.cuh"

/// What every experiment includes: docs/lab.md says how to write one.
namespace lab {

/// @param run  (Session&): launches the points
template <class Run>
int main_of(int argc, char** argv, const Experiment& experiment, Run run) {
    const Options options = Options::parse(argc, argv);
    if (options.describe) {
        std::printf("%s\n", description_json(experiment).c_str());
        return 0;
    }
    Session session(experiment, options);
    run(session);
    session.check_announced();
    session.write_results();
    if (options.results.empty()) {
        std::printf("%s: %zu points, %s\n", experiment.name.c_str(), session.points(),
                    session.all_correct() ? "all results are right" : "results are WRONG");
    }
    return session.all_correct() ? 0 : 1;
}

/// Blocks of `threads` that cover `count` elements.
inline unsigned blocks_for(std::size_t count, unsigned threads) {
    return static_cast<unsigned>((count + threads - 1) / threads);
}

}  // namespace lab

/// The program of an experiment: describe() returns the Experiment, run(Session&) launches it.
#define LAB_MAIN(describe, run) \
    int main(int argc, char** argv) { return ::lab::main_of(argc, argv, describe(), run); }

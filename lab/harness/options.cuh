// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string>

#include "selection.cuh"

namespace lab {

/// What a lab program was asked for.
struct Options {
    bool describe = false;  ///< print the description and end
    bool full = false;      ///< the documents' own sizes instead of a virtual GPU's
    bool timed = false;     ///< time every point, on copies of its buffers
    Selection selection;    ///< points that are carried out
    std::string results;    ///< where the points are written; empty: nowhere

    static Options parse(int argc, char** argv) {
        Options options;
        for (int i = 1; i < argc; ++i) {
            const std::string word = argv[i];
            if (word == "--describe") {
                options.describe = true;
            } else if (word == "--full") {
                options.full = true;
            } else if (word == "--timed") {
                options.timed = true;
            } else if (word == "--device") {
                options.full = options.timed = true;
            } else if (word == "--point" && i + 1 < argc && options.selection.add(argv[i + 1])) {
                ++i;
            } else if (word == "--results" && i + 1 < argc) {
                options.results = argv[++i];
            } else {
                std::printf(
                    "usage: %s [--full] [--timed] [--point POINT]... [--results FILE]\n"
                    "       %s --describe\n"
                    "  --full      the documents' own sizes instead of those for a virtual GPU\n"
                    "  --timed     time every point, on copies of its buffers\n"
                    "  --device    both: for a real GPU\n"
                    "  --point     only this one, SERIES:PARAMETER=VALUE,...; may be given again\n"
                    "  --results   write what was launched, for 'wideload lab'\n",
                    argv[0], argv[0]);
                std::exit(word == "--help" ? 0 : 2);
            }
        }
        return options;
    }
};

}  // namespace lab

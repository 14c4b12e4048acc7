// SPDX-License-Identifier: Apache-2.0
#include "gpu/launch_mismatches.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "gpu/fault_report.h"
#include "profile/mismatch.h"

namespace wideload::gpu {
namespace {

using profile::Mismatch;
using profile::MismatchKind;

std::vector<MeetingTally> sum_of_tallies(const WorkerPool& pool, unsigned workers,
                                         MismatchKind kind) {
    std::vector<MeetingTally> sums;
    for (unsigned w = 0; w < workers; ++w) {
        const MeetingLog& log = pool.worker(w).meetings();
        const auto& tallies = kind == MismatchKind::absent_lanes ? log.absent() : log.unnamed();
        sums.resize(tallies.size());
        for (std::size_t m = 0; m < tallies.size(); ++m) sums[m].add(tallies[m]);
    }
    return sums;
}

std::uint64_t executions_of(const jit::Meeting& meeting, const WorkerPool& pool, unsigned workers) {
    std::uint64_t sum = 0;
    for (unsigned w = 0; w < workers; ++w) {
        sum += pool.worker(w).blocks()[meeting.block].executions;
    }
    return sum;
}

Mismatch describe(const Kernel& kernel, const jit::Meeting& meeting, MismatchKind kind,
                  const MeetingTally& tally) {
    Mismatch mismatch;
    mismatch.opcode = meeting.instruction->mnemonic;
    mismatch.kind = kind;
    mismatch.ptx_line = meeting.instruction->ptx_line;
    mismatch.frames = kernel.module->source_frames.of(*meeting.instruction);
    mismatch.occurrences = tally.times;
    mismatch.block = tally.block;
    mismatch.warp = tally.warp;
    mismatch.members = tally.members;
    mismatch.lanes = tally.lanes;
    return mismatch;
}

Diagnostic warning_of(const Kernel& kernel, const Mismatch& mismatch) {
    Diagnostic diagnostic;
    diagnostic.is_warning = true;
    locate(kernel, mismatch.frames, mismatch.ptx_line, diagnostic);
    diagnostic.message =
        fmt::format("in kernel '{}' {}", kernel.title, profile::describe(mismatch));
    diagnostic.hint = profile::fix(mismatch);
    return diagnostic;
}

}  // namespace

void collect_mismatches(const Kernel& kernel, const jit::CompiledKernel& compiled,
                        const WorkerPool& pool, unsigned workers, bool counted,
                        LaunchOutcome& outcome) {
    std::vector<Mismatch> found;
    for (const MismatchKind kind : {MismatchKind::absent_lanes, MismatchKind::unnamed_lanes}) {
        const std::vector<MeetingTally> tallies = sum_of_tallies(pool, workers, kind);
        const auto has_times = [](const MeetingTally& tally) { return tally.times != 0; };
        if (std::ranges::none_of(tallies, has_times)) continue;
        for (std::size_t m = 0; m < tallies.size(); ++m) {
            const jit::Meeting& meeting = compiled.tables.meetings[m];
            // Copies that did nothing wrong count among the executions of their line.
            Mismatch mismatch = describe(kernel, meeting, kind, tallies[m]);
            if (counted) mismatch.executions = executions_of(meeting, pool, workers);
            profile::add_mismatches(found, {&mismatch, 1}, 1);
        }
    }
    std::erase_if(found, [](const Mismatch& mismatch) { return mismatch.occurrences == 0; });
    std::ranges::stable_sort(found, {}, &Mismatch::ptx_line);
    if (found.size() > profile::kMostMismatches) found.resize(profile::kMostMismatches);
    for (const Mismatch& mismatch : found) {
        outcome.warnings.push_back(warning_of(kernel, mismatch));
    }
    outcome.profile.mismatches = std::move(found);
}

}  // namespace wideload::gpu

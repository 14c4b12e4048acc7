// SPDX-License-Identifier: Apache-2.0
// A device takes the tuning of the newest architecture that is not newer than itself, and of that
// the first row that its size fits; what is older than all of them takes the oldest's. The
// library's own tables have a row for every size of every architecture that they name.
#include <wideload/tuning/copy_tuning.cuh>
#include <wideload/tuning/fill_tuning.cuh>
#include <wideload/tuning/lookup.cuh>
#include <wideload/tuning/reduce_tuning.cuh>

#include "support/harness.cuh"

namespace {

struct Row {
    int compute_capability;
    std::size_t up_to_bytes;
    int answer;
};

constexpr Row kTable[] = {
    {75, 100, 1}, {75, SIZE_MAX, 2}, {80, SIZE_MAX, 3},
    {90, 10, 4},  {90, 1000, 5},     {90, SIZE_MAX, 6},
};

void rows() {
    const struct {
        int compute_capability;
        std::size_t bytes;
        int answer;
    } cases[] = {
        {75, 0, 1},    {75, 100, 1},  {75, 101, 2},   {75, SIZE_MAX, 2}, {80, 1, 3},
        {86, 100, 3},  {89, 5000, 3}, {90, 10, 4},    {90, 11, 5},       {90, 1000, 5},
        {90, 1001, 6}, {100, 10, 4},  {120, 1001, 6}, {70, 100, 1},      {0, 101, 2},
    };
    for (const auto& [compute_capability, bytes, answer] : cases) {
        test::expect(wideload::tuning::lookup(kTable, compute_capability, bytes).answer == answer,
                     "row " + std::to_string(answer) + " for compute capability " +
                         std::to_string(compute_capability) + " and " + std::to_string(bytes) +
                         " bytes");
    }
}

/// Rows stand in the order that `lookup` takes for granted, and end with one for any size.
template <class Table>
void in_order(const Table& table, const char* name) {
    const auto* last = std::end(table) - 1;
    for (const auto* row = std::begin(table); row <= last; ++row) {
        const bool ends = row == last || row[1].compute_capability != row->compute_capability;
        test::expect(ends ? row->up_to_bytes == SIZE_MAX : row->up_to_bytes < row[1].up_to_bytes,
                     std::string(name) + ": sizes in order, the last of them any");
        test::expect(row == last || row->compute_capability <= row[1].compute_capability,
                     std::string(name) + ": architectures in order");
    }
    test::expect(table[0].compute_capability == 0, std::string(name) + ": a default");
}

}  // namespace

int main(int argc, char** argv) {
    test::start(argc, argv);
    rows();
    in_order(wideload::tuning::kCopyTuning, "copy");
    in_order(wideload::tuning::kFillTuning, "fill");
    in_order(wideload::tuning::kReduceSumTuning, "sums");
    in_order(wideload::tuning::kReduceMailboxTuning, "reduce");
    return test::finish("tuning_test");
}

// SPDX-License-Identifier: Apache-2.0
// A device takes the tuning of the newest architecture that is not newer than itself, and of that
// the first row that its size fits; what is older than all of them takes the oldest's. The
// library's own tables have a row for every size of every architecture that they name. Few blocks
// ask for as much shared memory as keeps more than their share of them from a multiprocessor.
#include <wideload/device/detail/launch.cuh>
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

constexpr std::size_t kDeclared = 10240;
__global__ void declaring_kernel(int* output) {
    __shared__ int words[kDeclared / sizeof(int)];
    words[threadIdx.x] = *output;
    __syncthreads();
    *output = words[0];
}

/// Blocks that fill 60 % of a multiprocessor's share or more, up to eight, and any others.
void even_spread() {
    wideload::detail::DeviceProperties device{};
    test::expect_status(wideload::detail::current_device_properties(&device), cudaSuccess,
                        "properties");
    const auto multiprocessors = static_cast<std::size_t>(device.multiprocessors);
    const std::size_t reserved = 1024, all = device.shared_bytes + reserved;
    for (const std::size_t percent : {5, 59, 60, 61, 100, 119, 120, 130, 200, 250, 410, 800, 801}) {
        const std::size_t blocks = (multiprocessors * percent + 99) / 100;
        const std::size_t share = (blocks + multiprocessors - 1) / multiprocessors;
        const std::string what = std::to_string(blocks) + " blocks";
        wideload::detail::SharedMemory shared = wideload::detail::evenly(64);
        test::expect_status(wideload::detail::spread_evenly(
                                reinterpret_cast<const void*>(declaring_kernel), blocks, &shared),
                            cudaSuccess, what);
        if (percent > 800 || blocks * 10 < share * multiprocessors * 6) {
            test::expect(shared.bytes == 64 && shared.percent == -1, what + " are left alone");
            continue;
        }
        const std::size_t each = kDeclared + shared.bytes + reserved;
        const std::size_t wanted = all * shared.percent / 100;
        test::expect(each * share <= wanted, what + ": a share fits");
        test::expect(each * (share + 1) > wanted, what + ": no more than a share fits");
        test::expect(kDeclared + shared.bytes <= 48 << 10, what + ": what any kernel may have");
    }
    wideload::detail::SharedMemory large(40 << 10, 72, 60);
    test::expect_status(
        wideload::detail::spread_evenly(reinterpret_cast<const void*>(declaring_kernel),
                                        multiprocessors, &large),
        cudaSuccess, "large blocks");
    test::expect(large.bytes == 40 << 10 && large.percent == 72, "large blocks are left alone");
}

}  // namespace

int main(int argc, char** argv) {
    test::start(argc, argv);
    rows();
    in_order(wideload::tuning::kCopyTuning, "copy");
    in_order(wideload::tuning::kFillTuning, "fill");
    in_order(wideload::tuning::kReduceSumTuning, "sums");
    in_order(wideload::tuning::kReduceMailboxTuning, "reduce");
    even_spread();
    return test::finish("tuning_test");
}

// SPDX-License-Identifier: Apache-2.0
// `fetch_granularity` must set the device's limit, put back what it found, and change nothing where
// the runtime refuses it.
#include <wideload/device/fetch_granularity.cuh>
#include <wideload/device/gather.cuh>

#include "support/harness.cuh"

namespace {

std::size_t current() {
    std::size_t bytes = 0;
    test::require(cudaDeviceGetLimit(&bytes, cudaLimitMaxL2FetchGranularity), "the limit");
    return bytes;
}

void expect_bytes(std::size_t expected, const std::string& when) {
    test::expect(current() == expected, "L2 fetches " + std::to_string(current()) + " bytes " +
                                            when + ", not " + std::to_string(expected));
}

void nests() {
    const std::size_t before = current();
    {
        const wideload::fetch_granularity sectors(wideload::kSectorBytes);
        test::expect_status(sectors.status(), cudaSuccess, "32 bytes");
        expect_bytes(32, "while sectors are asked for");
        {
            const wideload::fetch_granularity lines(wideload::kLineBytes);
            test::expect_status(lines.status(), cudaSuccess, "128 bytes");
            expect_bytes(128, "within");
        }
        expect_bytes(32, "after the inner one");
    }
    expect_bytes(before, "after all");
}

void refuses() {
    const std::size_t before = current();
    {
        const wideload::fetch_granularity pages(4096);
        test::expect_status(pages.status(), cudaErrorInvalidValue, "4096 bytes");
        cudaGetLastError();
        expect_bytes(before, "after a refusal");
    }
    expect_bytes(before, "after the refused one's end");
}

void gathers() {
    constexpr std::size_t kCount = 10007;
    test::GuardedBuffer source(kCount * 4, 0, 1), index(kCount * 4, 0, 2), out(kCount * 4, 0, 3);
    auto* places = reinterpret_cast<unsigned*>(index.expected());
    for (unsigned i = 0; i < kCount; ++i) places[i] = i * 7919u % kCount;
    index.upload();
    const wideload::fetch_granularity sectors(wideload::kSectorBytes);
    test::expect_status(wideload::gather(source.as<const float>(), index.as<const unsigned>(),
                                         out.as<float>(), kCount),
                        cudaSuccess, "gather");
    test::require(cudaDeviceSynchronize(), "gather");
    for (std::size_t i = 0; i < kCount; ++i) {
        std::memcpy(out.expected() + i * 4, source.expected() + places[i] * 4, 4);
    }
    out.expect_equal("gather by sectors");
}

}  // namespace

int main(int argc, char** argv) {
    test::start(argc, argv);
    nests();
    refuses();
    gathers();
    return test::finish("fetch_granularity_test");
}

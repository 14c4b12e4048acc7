// SPDX-License-Identifier: Apache-2.0
// Shared memory by words that lie 1 to 33 apart, and a column of a tile: as it stands, padded,
// swizzled.
#include <numeric>

#include "harness/lab.cuh"

constexpr unsigned kLanes = 32;
constexpr unsigned kMostStride = 33;

/// Every round the lanes of a warp put their values down and take them up in reverse.
__global__ void exchange_strided(const float* input, float* output, unsigned stride,
                                 unsigned rounds) {
    __shared__ float words[(kLanes - 1) * kMostStride + 1];
    const unsigned i = blockIdx.x * kLanes + threadIdx.x;
    float value = input[i];
    for (unsigned round = 0; round < rounds; ++round) {
        words[threadIdx.x * stride] = value;
        __syncthreads();
        value = words[(kLanes - 1 - threadIdx.x) * stride];
        __syncthreads();
    }
    output[i] = value;
}

/// Every round lane 0 puts its value down and the lanes read a stride apart: at a stride of 0 all
/// of them that one word.
__global__ void read_strided(const float* input, float* output, unsigned stride, unsigned rounds) {
    __shared__ float words[kLanes];
    const unsigned i = blockIdx.x * kLanes + threadIdx.x;
    float value = input[i];
    for (unsigned round = 0; round < rounds; ++round) {
        if (threadIdx.x == 0) words[0] = value;
        __syncthreads();
        value = words[threadIdx.x * stride];
        __syncthreads();
    }
    output[i] = value;
}

/// Every round a tile is written along its rows and read down its columns.
template <unsigned kPitch>
__global__ void transpose_tile(const float* input, float* output, unsigned rounds) {
    __shared__ float tile[kLanes][kPitch];
    const unsigned x = threadIdx.x, y = threadIdx.y;
    const unsigned i = (blockIdx.x * kLanes + y) * kLanes + x;
    float value = input[i];
    for (unsigned round = 0; round < rounds; ++round) {
        tile[y][x] = value;
        __syncthreads();
        value = tile[x][y];
        __syncthreads();
    }
    output[i] = value;
}

/// The same, with the word of column c in row r kept at c XOR r.
__global__ void transpose_swizzled(const float* input, float* output, unsigned rounds) {
    __shared__ float tile[kLanes][kLanes];
    const unsigned x = threadIdx.x, y = threadIdx.y;
    const unsigned i = (blockIdx.x * kLanes + y) * kLanes + x;
    float value = input[i];
    for (unsigned round = 0; round < rounds; ++round) {
        tile[y][x ^ y] = value;
        __syncthreads();
        value = tile[x][y ^ x];
        __syncthreads();
    }
    output[i] = value;
}

namespace {

lab::Experiment describe() {
    lab::Experiment experiment;
    experiment.chapter = 20;
    experiment.name = "bank-conflicts";
    experiment.title = "Bank conflicts: 32 banks, one word each at a time";
    experiment.sources = {"002"};
    experiment.question =
        "Shared memory deals its 4-byte words to 32 banks in turn. How many passes does a warp "
        "need "
        "whose lanes lie a stride apart, and how is a tile laid out so that its columns need one?";
    experiment.expectation =
        "Word w lies in bank w mod 32, and a bank gives one word a pass. At a stride of s words, "
        "32 "
        "/ gcd(s, 32) different banks hold the 32 words, so gcd(s, 32) passes (wavefronts) are "
        "needed: 1 for every odd stride, 2 for 2, 32 for 32. Lanes that want the same word share "
        "it.\n\n"
        "A column of float[32][32] is a stride of 32: all in one bank. A 33rd word in each row "
        "makes "
        "the stride odd. XOR does it without the extra memory: column c of row r is kept at c XOR "
        "r, so that both a row and a column fall on all 32 banks.";
    experiment.series = {{"strided", "lanes a stride apart"},
                         {"one_word", "all lanes the same word"},
                         {"column", "column of [32][32]"},
                         {"padded", "column of [32][33]"},
                         {"swizzled", "column of [32][32], swizzled by XOR"}};
    experiment.parameters = {{"stride", "stride", "words"}};
    experiment.columns = {{"shared_ld_wavefronts/loads", "wavefronts a load"},
                          {"shared_st_wavefronts/stores", "wavefronts a store"},
                          {"shared_ld_conflicts", "conflicts of loads"},
                          {"shared_st_conflicts", "conflicts of stores"},
                          {"static_shared_bytes", "shared memory", "bytes"},
                          {"us", "time", "µs"}};
    experiment.claims = {
        lab::compare("shared_ld_wavefronts/loads", "strided")
            .at({{"stride", 2}})
            .equals(2)
            .holds("At stride 2 half of the banks serve all lanes: {found} wavefronts a load.")
            .fails("At stride 2 a load takes {found|wavefront|wavefronts}, not {value}."),
        lab::compare("shared_ld_wavefronts/loads", "strided")
            .at({{"stride", 32}})
            .equals(32)
            .holds("At stride 32 a load takes {found} wavefronts: every lane wants the same bank.")
            .fails("At stride 32 a load takes {found|wavefront|wavefronts}, not {value}."),
        lab::compare("shared_ld_wavefronts/loads", "strided")
            .at({{"stride", 33}})
            .equals(1)
            .holds("At stride 33 a load takes {found|wavefront|wavefronts} again.")
            .fails("At stride 33 a load takes {found|wavefront|wavefronts}, though 33 is odd."),
        lab::compare("shared_ld_wavefronts/loads", "one_word")
            .equals(1)
            .holds(
                "One word for all lanes takes {found|wavefront|wavefronts}: the same address is no "
                "conflict.")
            .fails("One word for all lanes takes {found|wavefront|wavefronts}, as if it were a "
                   "conflict."),
        lab::compare("shared_ld_wavefronts", "column")
            .over("shared_ld_wavefronts", "padded")
            .equals(32)
            .holds("A column of the tile takes {ratio} times the wavefronts of the padded one.")
            .fails("A column of the tile takes {ratio} times the wavefronts of the padded one, not "
                   "{value} times."),
        lab::compare("shared_ld_wavefronts", "padded")
            .over("shared_ld_wavefronts", "swizzled")
            .equals(1)
            .holds("The swizzled tile needs as few wavefronts as the padded one: {right}.")
            .fails("The padded tile needs {ratio} times the wavefronts of the swizzled one."),
        lab::compare("static_shared_bytes", "padded")
            .over("static_shared_bytes", "swizzled")
            .at_least(1.03)
            .holds("The padding takes memory, {left} bytes in place of {right}; XOR does not.")
            .fails("The padding takes no memory: {left} bytes against {right}."),
        lab::compare("us", "strided")
            .at({{"stride", 32}})
            .over("us", "strided", {{"stride", 1}})
            .at_least(4)
            .holds("On this GPU stride 32 takes {ratio} times as long as stride 1.")
            .fails("On this GPU stride 32 takes only {ratio} times as long as stride 1: something "
                   "else is in the way."),
        lab::compare("us", "column")
            .over("us", "padded")
            .at_least(2)
            .holds("The conflicting column takes {ratio} times the padded one's time.")
            .fails("The conflicting column takes only {ratio} times the padded one's time."),
    };
    experiment.charts = {
        {"Wavefronts of a load over the stride",
         "shared_ld_wavefronts/loads",
         "stride",
         "bar",
         false,
         false,
         {"strided"}},
        {"Time over the stride, µs", "us", "stride", "bar", false, false, {"strided"}},
        {"Wavefronts of a column",
         "shared_ld_wavefronts/loads",
         "series",
         "bar",
         false,
         false,
         {"column", "padded", "swizzled"}}};
    experiment.pictures = {{"banks", "Stride 1", "strided", {{"stride", 1}}, "shared_st"},
                           {"banks", "Stride 2", "strided", {{"stride", 2}}, "shared_st"},
                           {"banks", "Stride 32", "strided", {{"stride", 32}}, "shared_st"},
                           {"banks", "Stride 33", "strided", {{"stride", 33}}, "shared_st"},
                           {"banks", "The same word for all lanes", "one_word", {}, "shared_ld"},
                           {"banks", "Column of [32][32]", "column", {}, "shared_ld"},
                           {"banks", "Column of [32][33]", "padded", {}, "shared_ld"},
                           {"banks", "Column of [32][32], swizzled", "swizzled", {}, "shared_ld"}};
    return experiment;
}

/// A point of `warps` warps that load and store once a round.
lab::Point exchange(lab::Session& session, const char* series,
                    std::vector<std::pair<std::string, double>> parameters, std::uint64_t warps,
                    unsigned rounds, std::uint64_t load_wavefronts,
                    std::uint64_t store_wavefronts) {
    const std::uint64_t accesses = warps * rounds;
    lab::Point point = session.point(series, std::move(parameters));
    point.expects_traffic("global_ld", warps, "warps", 4, "4")
        .expects_traffic("global_st", warps, "warps", 4, "4")
        .fact("loads", static_cast<double>(accesses))
        .fact("stores", static_cast<double>(accesses))
        .expects("shared_ld_inst", accesses, "warps × rounds")
        .expects("shared_st_inst", accesses, "warps × rounds")
        .expects("shared_ld_wavefronts", accesses * load_wavefronts,
                 "warps × rounds × words of the fullest bank")
        .expects("shared_ld_conflicts", accesses * (load_wavefronts - 1), "all but one a load")
        .expects("shared_st_wavefronts", accesses * store_wavefronts,
                 "warps × rounds × words of the fullest bank")
        .expects("shared_st_conflicts", accesses * (store_wavefronts - 1), "all but one a store");
    return point;
}

void run(lab::Session& session) {
    // Odd, so that what is exchanged ends in the other place.
    const unsigned rounds = session.pick(5u, 255u);
    const std::size_t n = session.pick(std::size_t{1} << 11, std::size_t{1} << 20);
    const auto input = session.random<float>(n);
    const auto output = session.output<float>(n);
    const auto value = input.value;
    const auto warps = static_cast<unsigned>(n / kLanes), tiles = warps / kLanes;

    session.announce(kMostStride + 4);
    for (unsigned stride = 1; stride <= kMostStride; ++stride) {
        const unsigned wavefronts = std::gcd(stride, kLanes);
        exchange(session, "strided", {{"stride", stride}}, warps, rounds, wavefronts, wavefronts)
            .kernel(exchange_strided)
            .writes(output, n, [=] __host__ __device__(std::size_t i) { return value(i ^ 31); })
            .run([&](int rotation, cudaStream_t stream) {
                exchange_strided<<<warps, kLanes, 0, stream>>>(input[rotation], output[rotation],
                                                               stride, rounds);
            });
    }
    exchange(session, "one_word", {}, warps, rounds, 1, 1)
        .kernel(read_strided)
        .writes(output, n, [=] __host__ __device__(std::size_t i) { return value(i & ~31ul); })
        .run([&](int rotation, cudaStream_t stream) {
            read_strided<<<warps, kLanes, 0, stream>>>(input[rotation], output[rotation], 0,
                                                       rounds);
        });
    using Kernel = void(const float*, float*, unsigned);
    const auto transpose = [&](const char* series, Kernel* kernel, unsigned wavefronts) {
        exchange(session, series, {}, warps, rounds, wavefronts, 1)
            .kernel(kernel)
            .writes(output, n,
                    [=] __host__ __device__(std::size_t i) {
                        return value((i & ~1023ul) | (i & 31) << 5 | (i >> 5 & 31));
                    })
            .run([&](int rotation, cudaStream_t stream) {
                kernel<<<tiles, dim3(kLanes, kLanes), 0, stream>>>(input[rotation],
                                                                   output[rotation], rounds);
            });
    };
    transpose("column", transpose_tile<kLanes>, kLanes);
    transpose("padded", transpose_tile<kLanes + 1>, 1);
    transpose("swizzled", transpose_swizzled, 1);
}

}  // namespace

LAB_MAIN(describe, run)

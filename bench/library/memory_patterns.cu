// SPDX-License-Identifier: Apache-2.0
// What the memory gives to the addresses of a technique when nothing else is done: kernels that
// load and store 16 bytes at a time where the technique does, with no exchange between lanes and no
// shared memory. A technique at the rate of the best of its shapes has nothing left to win. Every
// load counts: each word read lies where the check expects it.
#include <wideload/device/detail/launch.cuh>
#include <wideload/device/kernel/transpose_in_place_kernel.cuh>
#include <wideload/thread/access.cuh>

#include "harness.cuh"

namespace {

using namespace wideload;

bench::Pool* input_pool;
bench::Pool* output_pool;

template <class Policy>
constexpr const char* kPolicyName = "cached";
template <>
constexpr const char* kPolicyName<read_line> = "read_line";
template <>
constexpr const char* kPolicyName<read_two_lines> = "read_two_lines";

__device__ bool same(uint4 a, uint4 b) {
    return a.x == b.x && a.y == b.y && a.z == b.z && a.w == b.w;
}

void copied(bench::Bench& bench, const std::string& parameters, std::size_t bytes) {
    bench.compare("memory_pattern", parameters, 2 * bytes,
                  {bench::copy_of(input_pool, output_pool, bytes)});
}

/// The whole tiles of a matrix of 4-byte elements: `Width` rows by `Height` columns, `across` of
/// them side by side. A tile's part of a row, of the input or of the output, begins at the last
/// multiple of `Boundary` bytes before its first element, a sector or more, so that each sector
/// belongs to one tile.
template <int Width, int Height, int Boundary>
struct Tiles {
    static constexpr int kWords = Width * Height / 4;
    std::size_t rows, columns;
    unsigned down, across;
    unsigned band;  ///< tiles across that blocks go through together on their way down

    Tiles(std::size_t rows, std::size_t columns, unsigned band)
        : rows(rows),
          columns(columns),
          down(static_cast<unsigned>(rows / Width)),
          across(static_cast<unsigned>(columns / Height)),
          band(band) {}
    __host__ __device__ std::size_t blocks() const { return std::size_t{down} * across; }
    std::size_t bytes() const { return blocks() * kWords * 16; }

    struct Position {
        std::size_t row, column;
    };
    __device__ Position position(unsigned block) const {
        const unsigned first = block / (down * band) * band, in_band = block - first * down;
        const unsigned wide = across - first < band ? across - first : band;
        return {std::size_t{in_band / wide} * Width, std::size_t{first + in_band % wide} * Height};
    }
    __device__ std::size_t input_word(Position tile, int word) const {
        const std::size_t row = tile.row + word / (Height / 4);
        return (row * columns + tile.column) * 4 / Boundary * (Boundary / 16) + word % (Height / 4);
    }
    __device__ std::size_t output_word(Position tile, int word) const {
        const std::size_t row = tile.column + word / (Width / 4);
        return (row * rows + tile.row) * 4 / Boundary * (Boundary / 16) + word % (Width / 4);
    }
};

template <class Tiles, int Threads, class Policy>
__global__ void __launch_bounds__(Threads)
    tiles_kernel(const __grid_constant__ Tiles tiles, const uint4* input, uint4* output) {
    detail::enter_stream_order();
    constexpr int kSteps = Tiles::kWords / Threads;
    static_assert(Tiles::kWords % Threads == 0, "the threads divide the words");
    const auto tile = tiles.position(blockIdx.x);
    uint4 words[kSteps];
#pragma unroll
    for (int i = 0; i < kSteps; ++i) {
        words[i] = detail::access<Policy>::template load<16>(
            input + tiles.input_word(tile, threadIdx.x + i * Threads));
    }
    __syncthreads();  // as the transpose must
#pragma unroll
    for (int i = 0; i < kSteps; ++i) {
        detail::access<cached>::store<16>(
            output + tiles.output_word(tile, threadIdx.x + i * Threads), words[i]);
    }
}

template <int Width, int Height, int Threads, class Policy, int Boundary = kSectorBytes>
void measure_tiles(bench::Bench& bench, std::size_t rows, std::size_t columns) {
    const std::size_t bytes = rows * columns * 4;
    for (unsigned band : {1u, 4u}) {
        const Tiles<Width, Height, Boundary> tiles(rows, columns, band);
        const auto launch = [=](int rotation, cudaStream_t stream) {
            BENCH_REQUIRE(detail::launch(
                tiles_kernel<Tiles<Width, Height, Boundary>, Threads, Policy>, tiles.blocks(),
                Threads, 0, stream, tiles, input_pool->buffer<const uint4>(rotation, bytes),
                output_pool->buffer<uint4>(rotation, bytes)));
        };
        const auto* input = input_pool->buffer<const uint4>(0, bytes);
        auto* output = output_pool->buffer<uint4>(0, bytes);
        bench.poison(output, bytes);
        launch(0, bench.stream());
        const bool ok = bench::check(tiles.bytes() / 16, [=] __device__(std::size_t i) {
            const int word = static_cast<int>(i % tiles.kWords);
            const auto tile = tiles.position(static_cast<unsigned>(i / tiles.kWords));
            return same(output[tiles.output_word(tile, word)], input[tiles.input_word(tile, word)]);
        });
        bench.row("memory_pattern", "tiles",
                  std::to_string(rows) + "x" + std::to_string(columns) +
                      ";tile=" + std::to_string(Width) + "x" + std::to_string(Height) +
                      ";boundary=" + std::to_string(Boundary) +
                      ";threads=" + std::to_string(Threads) + ";band=" + std::to_string(band) +
                      ";" + kPolicyName<Policy>,
                  2 * tiles.bytes(), bench.time(2 * bytes, launch), ok);
    }
}

template <int Width, int Height, int Threads>
void measure_tiles(bench::Bench& bench, std::size_t rows, std::size_t columns) {
    measure_tiles<Width, Height, Threads, cached>(bench, rows, columns);
    measure_tiles<Width, Height, Threads, read_line>(bench, rows, columns);
    measure_tiles<Width, Height, Threads, read_two_lines>(bench, rows, columns);
}

/// Pairs of tiles of `Side` × `Side` 4-byte elements on both sides of a square's diagonal, each of
/// whose elements is inverted where it is. Parts of rows start at any element: whole words by 16
/// bytes, the rest of the words at both ends by elements.
template <int Side, int Threads, unsigned Band, class Policy>
__global__ void __launch_bounds__(Threads)
    pairs_kernel(std::uint32_t* data, std::size_t size, unsigned tiles) {
    detail::enter_stream_order();
    constexpr int kRowWords = Side / 4 + 1, kSteps = (Side * kRowWords + Threads - 1) / Threads;
    unsigned tile_row, tile_column;
    detail::band_position<Band>(blockIdx.x, tiles - 1, &tile_row, &tile_column);
    ++tile_row;  // the diagonal's tiles are left out
    std::uint32_t* const first[] = {data + (tile_row * size + tile_column) * Side,
                                    data + (tile_column * size + tile_row) * Side};
    uint4 words[2][kSteps];
    const auto place = [&](int tile, int i, int* begin) {
        const int index = threadIdx.x + i * Threads;
        std::uint32_t* row = first[tile] + index / kRowWords * size;
        const int shift = static_cast<int>(reinterpret_cast<std::uintptr_t>(row) % 16 / 4);
        *begin = index / kRowWords < Side ? index % kRowWords * 4 - shift : Side;
        return row + *begin;
    };
#pragma unroll
    for (int tile = 0; tile < 2; ++tile) {
#pragma unroll
        for (int i = 0; i < kSteps; ++i) {
            int begin;
            const std::uint32_t* word = place(tile, i, &begin);
            if (begin < Side) words[tile][i] = detail::access<Policy>::template load<16>(word);
        }
    }
    __syncthreads();
#pragma unroll
    for (int tile = 0; tile < 2; ++tile) {
#pragma unroll
        for (int i = 0; i < kSteps; ++i) {
            int begin;
            std::uint32_t* word = place(tile, i, &begin);
            const uint4 held = words[tile][i];
            const std::uint32_t inverted[] = {~held.x, ~held.y, ~held.z, ~held.w};
            if (begin >= 0 && begin + 4 <= Side) {
                detail::access<cached>::store<16>(
                    word, make_uint4(inverted[0], inverted[1], inverted[2], inverted[3]));
            } else {
#pragma unroll
                for (int k = 0; k < 4; ++k) {
                    if (begin + k >= 0 && begin + k < Side) word[k] = inverted[k];
                }
            }
        }
    }
}

template <int Side, int Threads, unsigned Band, class Policy>
void measure_pairs(bench::Bench& bench, std::size_t size) {
    const std::size_t bytes = size * size * 4;
    const unsigned tiles = static_cast<unsigned>(size / Side);
    const std::size_t pairs = std::size_t{tiles} * (tiles - 1) / 2;
    const auto launch = [=](int rotation, cudaStream_t stream) {
        BENCH_REQUIRE(detail::launch(pairs_kernel<Side, Threads, Band, Policy>, pairs, Threads, 0,
                                     stream, output_pool->buffer<std::uint32_t>(rotation, bytes),
                                     size, tiles));
    };
    const auto* before = input_pool->buffer<const std::uint32_t>(0, bytes);
    auto* data = output_pool->buffer<std::uint32_t>(0, bytes);
    BENCH_REQUIRE(cudaMemcpyAsync(data, before, bytes, cudaMemcpyDeviceToDevice, bench.stream()));
    launch(0, bench.stream());
    const bool ok = bench::check(size * size, [=] __device__(std::size_t i) {
        const std::size_t row = i / size / Side, column = i % size / Side;
        const bool moves = row != column && row < tiles && column < tiles;
        return data[i] == (moves ? ~before[i] : before[i]);
    });
    bench.row("memory_pattern", "pairs_in_place",
              std::to_string(size) + "x" + std::to_string(size) + ";tile=" + std::to_string(Side) +
                  ";threads=" + std::to_string(Threads) + ";band=" + std::to_string(Band) + ";" +
                  kPolicyName<Policy>,
              pairs * 2 * Side * Side * 8, bench.time(2 * bytes, launch), ok);
}

template <int Side, int Threads>
void measure_pairs(bench::Bench& bench, std::size_t size) {
    measure_pairs<Side, Threads, 1, cached>(bench, size);
    measure_pairs<Side, Threads, 4, cached>(bench, size);
    measure_pairs<Side, Threads, 4, read_line>(bench, size);
    measure_pairs<Side, Threads, 4, read_two_lines>(bench, size);
}

/// A range to or from arrays one behind the other, of which each block's part is contiguous.
template <int Arrays, int Threads, int Words, bool Split, class Policy>
__global__ void __launch_bounds__(Threads)
    arrays_kernel(const uint4* input, uint4* output, std::size_t array_words) {
    detail::enter_stream_order();
    constexpr int kPart = Threads * Words / Arrays;
    const std::size_t block = blockIdx.x;
    const auto in_range = [&](int i) { return block * (Threads * Words) + i; };
    const auto in_arrays = [&](int i) {
        return i / kPart * array_words + block * kPart + i % kPart;
    };
    uint4 words[Words];
#pragma unroll
    for (int k = 0; k < Words; ++k) {
        const int i = threadIdx.x + k * Threads;
        words[k] =
            detail::access<Policy>::template load<16>(input + (Split ? in_range(i) : in_arrays(i)));
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < Words; ++k) {
        const int i = threadIdx.x + k * Threads;
        detail::access<cached>::store<16>(output + (Split ? in_arrays(i) : in_range(i)), words[k]);
    }
}

/// @param late  bytes by which all arrays begin behind a line, a multiple of 16
template <int Arrays, int Threads, int Words, bool Split, class Policy>
void measure_arrays(bench::Bench& bench, int late) {
    constexpr std::size_t kBlock = Threads * Words, kPart = kBlock / Arrays;
    static_assert(kBlock % Arrays == 0, "every array has as much of a block");
    const std::size_t blocks = (std::size_t{768} << 20) / 16 / kBlock;
    const std::size_t bytes = blocks * kBlock * 16;
    const std::size_t array_words = divide_up<std::size_t>(blocks * kPart, 8) * 8;
    const std::size_t arrays_bytes = Arrays * array_words * 16;
    const auto input = [=](int rotation) {
        return Split ? input_pool->buffer<const uint4>(rotation, bytes)
                     : input_pool->buffer<const uint4>(rotation, arrays_bytes, late);
    };
    const auto output = [=](int rotation) {
        return Split ? output_pool->buffer<uint4>(rotation, arrays_bytes, late)
                     : output_pool->buffer<uint4>(rotation, bytes);
    };
    const auto launch = [=](int rotation, cudaStream_t stream) {
        BENCH_REQUIRE(detail::launch(arrays_kernel<Arrays, Threads, Words, Split, Policy>, blocks,
                                     Threads, 0, stream, input(rotation), output(rotation),
                                     array_words));
    };
    const uint4 *read = input(0), *written = output(0);
    bench.poison(output(0), Split ? arrays_bytes : bytes);
    launch(0, bench.stream());
    const bool ok = bench::check(bytes / 16, [=] __device__(std::size_t i) {
        const std::size_t block = i / kBlock, in_block = i % kBlock;
        const std::size_t j = in_block / kPart * array_words + block * kPart + in_block % kPart;
        return same(written[Split ? j : i], read[Split ? i : j]);
    });
    bench.row("memory_pattern", Split ? "split" : "join",
              "arrays=" + std::to_string(Arrays) + ";late=" + std::to_string(late) +
                  ";part=" + std::to_string(kPart * 16) + ";threads=" + std::to_string(Threads) +
                  ";" + kPolicyName<Policy>,
              2 * bytes, bench.time(2 * bytes, launch), ok);
}

template <int Arrays, int Threads, int Words>
void measure_arrays(bench::Bench& bench) {
    for (int late : {0, 32, 64}) {
        measure_arrays<Arrays, Threads, Words, true, cached>(bench, late);
        measure_arrays<Arrays, Threads, Words, true, read_line>(bench, late);
        measure_arrays<Arrays, Threads, Words, true, read_two_lines>(bench, late);
        measure_arrays<Arrays, Threads, Words, false, cached>(bench, late);
        measure_arrays<Arrays, Threads, Words, false, read_two_lines>(bench, late);
    }
}

/// Parts of 128 bytes to 4 KiB of each array, and some that are no whole lines.
template <int Arrays>
void measure_arrays(bench::Bench& bench) {
    copied(bench, "arrays", std::size_t{768} << 20);
    measure_arrays<Arrays, 128, 1>(bench);
    measure_arrays<Arrays, 256, 1>(bench);
    measure_arrays<Arrays, 512, 1>(bench);
    measure_arrays<Arrays, 1024, 1>(bench);
    measure_arrays<Arrays, 128, 2>(bench);
    measure_arrays<Arrays, 256, 2>(bench);
    measure_arrays<Arrays, 112, 4>(bench);
    measure_arrays<Arrays, 128, 4>(bench);
    measure_arrays<Arrays, 256, 4>(bench);
    measure_arrays<Arrays, 512, 4>(bench);
    measure_arrays<Arrays, 240, 8>(bench);
    measure_arrays<Arrays, 256, 8>(bench);
    measure_arrays<Arrays, 512, 8>(bench);
}

/// Elements of `Bytes` bytes whose places in the output have 4: a thread loads 4 of them at a time
/// and stores 16 bytes, of which `Bytes` * 4 are what it loaded.
template <int Bytes, int Threads, int Words, class Policy>
__global__ void __launch_bounds__(Threads) widening_kernel(const char* input, uint4* output) {
    detail::enter_stream_order();
    using Loaded = detail::access_word_t<Bytes * 4>;
    Loaded words[Words];
    const std::size_t first = std::size_t{blockIdx.x} * (Threads * Words) + threadIdx.x;
#pragma unroll
    for (int i = 0; i < Words; ++i) {
        words[i] = detail::access<Policy>::template load<Bytes * 4>(input + (first + i * Threads) *
                                                                                (Bytes * 4));
    }
#pragma unroll
    for (int i = 0; i < Words; ++i) {
        uint4 stored = make_uint4(0, 0, 0, 0);
        std::memcpy(&stored, &words[i], sizeof(Loaded));
        detail::access<cached>::store<16>(output + first + i * Threads, stored);
    }
}

template <int Bytes, int Threads, int Words, class Policy>
void measure_widening(bench::Bench& bench, std::size_t count) {
    const std::size_t bytes = count * Bytes, wide_bytes = count * 4;
    const auto launch = [=](int rotation, cudaStream_t stream) {
        BENCH_REQUIRE(detail::launch(widening_kernel<Bytes, Threads, Words, Policy>,
                                     count / 4 / Threads / Words, Threads, 0, stream,
                                     input_pool->buffer<const char>(rotation, bytes),
                                     output_pool->buffer<uint4>(rotation, wide_bytes)));
    };
    const auto* input = input_pool->buffer<const std::uint8_t>(0, bytes);
    const auto* output = output_pool->buffer<const std::uint8_t>(0, wide_bytes);
    bench.poison(output_pool->buffer<char>(0, wide_bytes), wide_bytes);
    launch(0, bench.stream());
    const bool ok = bench::check(wide_bytes, [=] __device__(std::size_t i) {
        const std::size_t word = i / 16, byte = i % 16;
        return output[i] == (byte < Bytes * 4 ? input[word * (Bytes * 4) + byte] : 0);
    });
    bench.row("memory_pattern", "widening",
              std::to_string(Bytes) + "_to_4;count=" + std::to_string(count) +
                  ";threads=" + std::to_string(Threads) + ";words=" + std::to_string(Words) + ";" +
                  kPolicyName<Policy>,
              bytes + wide_bytes, bench.time(bytes + wide_bytes, launch), ok);
}

template <int Bytes, int Threads, int Words>
void measure_widening(bench::Bench& bench, std::size_t count) {
    measure_widening<Bytes, Threads, Words, cached>(bench, count);
    measure_widening<Bytes, Threads, Words, read_line>(bench, count);
    measure_widening<Bytes, Threads, Words, read_two_lines>(bench, count);
}

template <int Bytes>
void measure_widening(bench::Bench& bench) {
    for (std::size_t count : {std::size_t{1} << 24, std::size_t{1} << 28}) {
        measure_widening<Bytes, 128, 1>(bench, count);
        measure_widening<Bytes, 256, 1>(bench, count);
        measure_widening<Bytes, 512, 1>(bench, count);
        measure_widening<Bytes, 1024, 1>(bench, count);
        measure_widening<Bytes, 128, 2>(bench, count);
        measure_widening<Bytes, 256, 2>(bench, count);
        measure_widening<Bytes, 128, 4>(bench, count);
        measure_widening<Bytes, 256, 4>(bench, count);
    }
}

}  // namespace

int main(int argc, char** argv) {
    bench::Bench bench(argc, argv);
    input_pool = new bench::Pool(std::size_t{5} << 30, 1);
    output_pool = new bench::Pool(std::size_t{5} << 30, 2);
    for (auto [rows, columns] : {std::pair<std::size_t, std::size_t>{8191, 4099},
                                 {16383, 16385},
                                 {10007, 10009},
                                 {8192, 4096},
                                 {16384, 16384}}) {
        copied(bench, std::to_string(rows) + "x" + std::to_string(columns), rows * columns * 4);
        measure_tiles<64, 64, 256>(bench, rows, columns);
        measure_tiles<64, 64, 512>(bench, rows, columns);
        measure_tiles<64, 64, 1024>(bench, rows, columns);
        measure_tiles<64, 96, 384>(bench, rows, columns);
        measure_tiles<64, 128, 512>(bench, rows, columns);
        measure_tiles<64, 128, 1024>(bench, rows, columns);
        measure_tiles<128, 64, 512>(bench, rows, columns);
        measure_tiles<128, 64, 1024>(bench, rows, columns);
        measure_tiles<128, 128, 1024>(bench, rows, columns);
        measure_tiles<32, 128, 256>(bench, rows, columns);
        measure_tiles<32, 128, 512>(bench, rows, columns);
        measure_tiles<32, 64, 128>(bench, rows, columns);
        measure_tiles<64, 32, 128>(bench, rows, columns);
        measure_tiles<128, 32, 256>(bench, rows, columns);
        measure_tiles<128, 16, 128>(bench, rows, columns);
        measure_tiles<256, 32, 512>(bench, rows, columns);
        measure_tiles<32, 256, 512>(bench, rows, columns);
        measure_tiles<64, 64, 512, read_two_lines, 128>(bench, rows, columns);
        measure_tiles<64, 64, 512, read_two_lines, 256>(bench, rows, columns);
        measure_tiles<128, 64, 1024, read_two_lines, 128>(bench, rows, columns);
        measure_tiles<128, 64, 1024, read_two_lines, 256>(bench, rows, columns);
    }
    for (std::size_t size : {std::size_t{8191}, std::size_t{16383}}) {
        copied(bench, std::to_string(size) + "x" + std::to_string(size), size * size * 4);
        measure_pairs<32, 128>(bench, size);
        measure_pairs<60, 256>(bench, size);
        measure_pairs<60, 512>(bench, size);
        measure_pairs<64, 256>(bench, size);
        measure_pairs<64, 512>(bench, size);
        measure_pairs<64, 1024>(bench, size);
        measure_pairs<92, 512>(bench, size);
        measure_pairs<124, 512>(bench, size);
        measure_pairs<124, 1024>(bench, size);
    }
    measure_arrays<8>(bench);
    measure_arrays<16>(bench);
    copied(bench, "widening", std::size_t{640} << 20);
    measure_widening<1>(bench);
    measure_widening<2>(bench);
}

// SPDX-License-Identifier: Apache-2.0
// Every function at sizes, shapes, element types and alignments drawn at random, against the copy
// of as many bytes and CUB: what the cases of other benchmarks leave out. Results are not looked
// at, the random cases of tests/library do that.
//   random_bench [--cases N] [--seed S] [--csv FILE]
#include <wideload/device/fill.cuh>
#include <wideload/device/gather.cuh>
#include <wideload/device/matrix_reduce.cuh>
#include <wideload/device/strided_copy.cuh>
#include <wideload/device/transform.cuh>
#include <wideload/device/transpose.cuh>

#include <cub/device/device_reduce.cuh>
#include <cub/device/device_transform.cuh>

#include <cmath>

#include "pool_launches.cuh"

namespace {

bench::Pool* input_pool;
bench::Pool* output_pool;
int cases = 40;
std::uint64_t seed = 1, number_of_case = 0;

class Random {
public:
    explicit Random(std::uint64_t number) : state_(bench::mix(seed * 1000003 + number)) {}
    std::size_t below(std::size_t bound) { return (state_ = bench::mix(state_)) % bound; }
    bool coin() { return below(2) == 0; }
    /// Each order of magnitude alike.
    std::size_t size(std::size_t least, std::size_t most) {
        const double unit = static_cast<double>(below(1u << 30)) / (1u << 30);
        return static_cast<std::size_t>(static_cast<double>(least) *
                                        std::pow(static_cast<double>(most) / least, unit));
    }
    /// `any`, or a little less, a multiple of a power of two.
    std::size_t rounded(std::size_t any) {
        const std::size_t unit = std::size_t{1} << below(8);
        return coin() && any >= unit ? any / unit * unit : any;
    }
    std::size_t bytes() { return size(std::size_t{16} << 10, std::size_t{256} << 20); }
    std::size_t offset(std::size_t element) { return coin() ? 0 : below(16) * element; }

private:
    std::uint64_t state_;
};

/// Calls `one_case(random)` for each case of a kind.
template <class Case>
void draw(Case one_case) {
    for (int i = 0; i < cases; ++i) {
        Random random(number_of_case++);
        one_case(random);
    }
}

/// Held against the copy that moves as many bytes in all.
void compare(bench::Bench& bench, const char* section, const std::string& parameters,
             std::size_t moved, std::vector<bench::Contender> contenders) {
    contenders.push_back(bench::copy_of(input_pool, output_pool, moved / 2 / 16 * 16));
    bench.compare(section, parameters, moved, contenders);
}

template <class... T>
std::string list(const char* what, T... values) {
    std::string text = what;
    ((text += (text.back() == '=' ? "" : "x") + std::to_string(values)), ...);
    return text;
}

struct Sum {
    template <class... T>
    __host__ __device__ float operator()(const T&... values) const {
        return (... + static_cast<float>(values));
    }
};

template <class Output>
struct As {
    template <class... T>
    __host__ __device__ Output operator()(const T&... values) const {
        if constexpr (sizeof...(T) == 1 && (std::is_same_v<T, Output> && ...)) {
            return (values, ...);
        } else {
            return static_cast<Output>(Sum{}(values...));
        }
    }
};

template <class Output, class... Inputs, std::size_t... I>
void transforms(bench::Bench& bench, std::index_sequence<I...>) {
    draw([&](Random& random) {
        constexpr std::size_t kBytes = sizeof(Output) + (sizeof(Inputs) + ...);
        const std::size_t count = random.rounded(random.bytes() / kBytes);
        const std::size_t to = random.offset(sizeof(Output)),
                          from[] = {random.offset(sizeof(Inputs))...};
        const auto apply = [=](auto function, int rotation) {
            constexpr std::size_t kInputs = sizeof...(Inputs);
            function(output_pool->buffer<Output>(rotation, count * sizeof(Output), to),
                     input_pool->buffer<const Inputs>(rotation * kInputs + I,
                                                      count * sizeof(Inputs), from[I])...);
        };
        const auto ours = [=](int rotation, cudaStream_t stream) {
            apply(
                [=](Output* output, const Inputs*... inputs) {
                    BENCH_REQUIRE(
                        wideload::transform(inputs..., output, count, As<Output>{}, stream));
                },
                rotation);
        };
        const auto cub = [=](int rotation, cudaStream_t stream) {
            apply(
                [=](Output* output, const Inputs*... inputs) {
                    BENCH_REQUIRE(cub::DeviceTransform::Transform(
                        cuda::std::make_tuple(inputs...), output, count, As<Output>{}, stream));
                },
                rotation);
        };
        compare(bench, "random_transform",
                list("inputs=", sizeof(Inputs)...) + list(";at=", from[I]...) +
                    list(";output=", sizeof(Output)) + list(";at=", to) + list(";count=", count),
                count * kBytes, {{"wideload", ours}, {"cub", cub}});
    });
}
template <class Output, class... Inputs>
void transforms(bench::Bench& bench) {
    transforms<Output, Inputs...>(bench, std::index_sequence_for<Inputs...>{});
}

template <int Size, int Fields>
void interleaves(bench::Bench& bench) {
    using T = bench::Element<Size>;
    draw([&](Random& random) {
        const std::size_t count = random.rounded(random.bytes() / (2 * Size * Fields));
        const std::size_t bytes = count * Size * Fields;
        const std::size_t of_structs = random.offset(Size), of_fields = random.offset(Size);
        const bool split = random.coin();
        const auto launch = bench::interleaving<T, Fields>(input_pool, output_pool, split, count,
                                                           of_structs, of_fields);
        compare(bench, "random_interleave",
                std::string(split ? "split" : "join") + list(";fields=", Size, Fields) +
                    list(";at=", of_structs, of_fields) + list(";count=", count),
                2 * bytes, {{"wideload", launch}});
    });
}

template <int Size>
void strided_copies(bench::Bench& bench) {
    using T = bench::Element<Size>;
    draw([&](Random& random) {
        const std::size_t step = random.size(2, 70), other = random.coin() ? 1 : random.size(1, 9);
        const std::size_t from = random.coin() ? step : other, to = from == step ? other : step;
        const std::size_t count = random.rounded(random.bytes() / 2 / (step * Size) + 1);
        const std::size_t at = random.offset(Size);
        // Whole sectors where several elements share one, one each where not.
        const auto touched = [=](std::size_t stride) {
            return count * std::min<std::size_t>(stride * Size, (Size + 62) / 32 * 32);
        };
        const std::size_t span = count * step * Size;
        const auto launch = [=](int rotation, cudaStream_t stream) {
            BENCH_REQUIRE(wideload::strided_copy(input_pool->buffer<const T>(rotation, span, at),
                                                 from, output_pool->buffer<T>(rotation, span), to,
                                                 count, stream));
        };
        compare(bench, "random_strided",
                list("size=", Size) + list(";at=", at) + list(";strides=", from, to) +
                    list(";count=", count),
                touched(from) + touched(to), {{"wideload", launch}});
    });
}

/// A batch of matrices that share out so many elements.
struct Shape {
    std::size_t rows, columns, batch;

    Shape(Random& random, std::size_t elements) {
        batch = random.coin() ? 1 : random.size(1, elements);
        rows = random.rounded(random.size(1, elements / batch));
        columns = random.rounded(elements / batch / rows);
    }
    std::string name() const { return list(";shape=", batch, rows, columns); }
};

template <int Size>
void transposes(bench::Bench& bench) {
    using T = bench::Element<Size>;
    draw([&](Random& random) {
        const Shape shape(random, random.bytes() / 2 / Size);
        const std::size_t from = random.offset(Size), to = random.offset(Size);
        const std::size_t bytes = shape.rows * shape.columns * shape.batch * Size;
        const auto launch = [=](int rotation, cudaStream_t stream) {
            BENCH_REQUIRE(
                wideload::transpose_batched(input_pool->buffer<const T>(rotation, bytes, from),
                                            output_pool->buffer<T>(rotation, bytes, to), shape.rows,
                                            shape.columns, shape.batch, stream));
        };
        compare(bench, "random_transpose",
                list("size=", Size) + list(";at=", from, to) + shape.name(), 2 * bytes,
                {{"wideload", launch}});
    });
    draw([&](Random& random) {
        const Shape shape(random, random.bytes() / 2 / Size);
        const auto side = static_cast<std::size_t>(std::sqrt(shape.rows * shape.columns));
        const std::size_t at = random.offset(Size), bytes = side * side * shape.batch * Size;
        const auto launch = [=](int rotation, cudaStream_t stream) {
            BENCH_REQUIRE(wideload::transpose_square_in_place(
                output_pool->buffer<T>(rotation, bytes, at), side, shape.batch, stream));
        };
        compare(bench, "random_square",
                list("size=", Size) + list(";at=", at) + list(";shape=", shape.batch, side, side),
                2 * bytes, {{"wideload", launch}});
    });
}

template <int Size>
void fills(bench::Bench& bench) {
    using T = bench::Element<Size>;
    draw([&](Random& random) {
        const std::size_t count = random.rounded(random.bytes() / Size), at = random.offset(Size);
        const auto ours = [=](int rotation, cudaStream_t stream) {
            BENCH_REQUIRE(wideload::fill(output_pool->buffer<T>(rotation, count * Size, at), count,
                                         T{{7}}, stream));
        };
        const auto memset = [=](int rotation, cudaStream_t stream) {
            BENCH_REQUIRE(cudaMemsetAsync(output_pool->buffer<T>(rotation, count * Size, at), 7,
                                          count * Size, stream));
        };
        bench.compare(
            "random_fill", list("size=", Size) + list(";at=", at) + list(";count=", count),
            count * Size,
            {{"wideload", ours}, {"memset", memset}, {"memset;direct", memset, true, true}});
    });
}

template <class T, class Operation>
void reductions(bench::Bench& bench, const char* name, Operation operation) {
    constexpr std::size_t kScratchBytes = wideload::reduce_scratch_bytes<T>();
    const bench::Memory scratch(kScratchBytes), result(sizeof(T)), temporary(1 << 20);
    BENCH_REQUIRE(cudaMemsetAsync(scratch.get(), 0, kScratchBytes, bench::stream()));
    draw([&](Random& random) {
        const std::size_t count = random.rounded(random.bytes() / sizeof(T));
        const std::size_t at = random.offset(sizeof(T));
        const auto input = [=](int rotation) {
            return input_pool->buffer<const T>(rotation, count * sizeof(T), at);
        };
        const auto ours = [&](int rotation, cudaStream_t stream) {
            BENCH_REQUIRE(wideload::reduce(input(rotation), count, result.get<T>(), operation, T(0),
                                           scratch.get(), kScratchBytes, stream));
        };
        const auto cub = [&](int rotation, cudaStream_t stream) {
            std::size_t bytes = 1 << 20;
            BENCH_REQUIRE(cub::DeviceReduce::Reduce(temporary.get(), bytes, input(rotation),
                                                    result.get<T>(), count, operation, T(0),
                                                    stream));
        };
        compare(bench, "random_reduce",
                name + list(";size=", sizeof(T)) + list(";at=", at) + list(";count=", count),
                count * sizeof(T), {{"wideload", ours}, {"cub", cub}});
    });
}

/// Launched one by one, as some allocate in the stream's order.
template <class T>
void matrix_reductions(bench::Bench& bench) {
    draw([&](Random& random) {
        const Shape shape(random, random.size(std::size_t{2} << 20, std::size_t{256} << 20));
        const std::size_t rows = shape.rows * shape.batch, columns = shape.columns;
        const std::size_t bytes = rows * columns * sizeof(T), at = random.offset(sizeof(T));
        const bool of_rows = random.coin();
        const std::size_t moved = bytes + (of_rows ? rows : columns) * sizeof(T);
        const auto by = [=](auto sum) -> bench::Launch {
            return [=](int rotation, cudaStream_t stream) {
                const T* input = input_pool->buffer<const T>(rotation, bytes, at);
                T* output = output_pool->buffer<T>(0, moved - bytes);
                BENCH_REQUIRE(
                    of_rows ? wideload::reduce_rows(input, rows, columns, output, sum, T(0), stream)
                            : wideload::reduce_columns(input, rows, columns, output, sum, T(0),
                                                       stream));
            };
        };
        bench.compare("random_matrix_reduce",
                      std::string(of_rows ? "rows" : "columns") + list(";size=", sizeof(T)) +
                          list(";at=", at) + list(";shape=", rows, columns),
                      moved,
                      {{"wideload", by(wideload::plus{}), true, true},
                       {"wideload_in_order", by(bench::AddInOrder{}), true, true},
                       bench::reduction_of_as_much<T>(input_pool, output_pool, moved)});
    });
}

/// Of a table as long as what is moved, in an order that has nothing to do with it.
void rows(bench::Bench& bench) {
    draw([&](Random& random) {
        const std::size_t bytes = random.bytes(), row_bytes = random.rounded(random.size(2, 20000));
        std::size_t count = 1;
        while (count * 2 * row_bytes <= bytes) count *= 2;
        const std::size_t from = random.offset(1), to = random.offset(1);
        const bool scattered = random.coin();
        const bench::Memory indices(count * sizeof(int));
        int* const index = indices.get<int>();
        bench::check(count, [=] __device__(std::size_t i) {
            index[i] = static_cast<int>(
                bench::permuted(static_cast<unsigned>(i), static_cast<unsigned>(count)));
            return true;
        });
        const auto ours = [=](int rotation, cudaStream_t stream) {
            const char* source = input_pool->buffer<const char>(rotation, count * row_bytes, from);
            char* destination = output_pool->buffer<char>(rotation, count * row_bytes, to);
            BENCH_REQUIRE(scattered ? wideload::scatter_rows(source, index, destination, count,
                                                             count, row_bytes, stream)
                                    : wideload::gather_rows(source, count, index, destination,
                                                            count, row_bytes, stream));
        };
        compare(bench, "random_rows",
                std::string(scattered ? "scatter" : "gather") + list(";bytes=", row_bytes) +
                    list(";from=", from) + list(";to=", to) + list(";rows=", count),
                count * (2 * row_bytes + sizeof(int)), {{"wideload", ours}});
    });
}

}  // namespace

int main(int argc, char** argv) {
    for (int i = 1; i + 1 < argc; ++i) {
        if (std::strcmp(argv[i], "--cases") == 0) cases = std::atoi(argv[i + 1]);
        if (std::strcmp(argv[i], "--seed") == 0) seed = std::strtoull(argv[i + 1], nullptr, 10);
    }
    bench::Bench bench(argc, argv);
    bench::keep_stream_memory();
    input_pool = new bench::Pool(std::size_t{3} << 30, 1);
    output_pool = new bench::Pool(std::size_t{3} << 30, 2);
    transforms<std::uint8_t, std::uint8_t>(bench);
    transforms<std::uint16_t, std::uint16_t>(bench);
    transforms<float, float>(bench);
    transforms<double, double>(bench);
    transforms<bench::Element<3>, bench::Element<3>>(bench);
    transforms<bench::Element<12>, bench::Element<12>>(bench);
    transforms<bench::Element<20>, bench::Element<20>>(bench);
    transforms<bench::Element<48>, bench::Element<48>>(bench);
    transforms<float, std::uint8_t>(bench);
    transforms<float, std::uint16_t>(bench);
    transforms<double, float>(bench);
    transforms<std::uint8_t, float>(bench);
    transforms<std::uint16_t, double>(bench);
    transforms<float, float, float>(bench);
    transforms<float, std::uint8_t, float>(bench);
    transforms<double, double, std::uint8_t, float>(bench);
    transforms<std::uint8_t, std::uint8_t, std::uint8_t, std::uint8_t, std::uint8_t>(bench);
    interleaves<1, 3>(bench);
    interleaves<1, 4>(bench);
    interleaves<2, 2>(bench);
    interleaves<2, 7>(bench);
    interleaves<3, 2>(bench);
    interleaves<4, 3>(bench);
    interleaves<4, 5>(bench);
    interleaves<4, 8>(bench);
    interleaves<4, 13>(bench);
    interleaves<8, 2>(bench);
    interleaves<8, 6>(bench);
    interleaves<12, 3>(bench);
    interleaves<16, 4>(bench);
    strided_copies<1>(bench);
    strided_copies<2>(bench);
    strided_copies<4>(bench);
    strided_copies<8>(bench);
    strided_copies<12>(bench);
    strided_copies<16>(bench);
    strided_copies<40>(bench);
    transposes<1>(bench);
    transposes<2>(bench);
    transposes<3>(bench);
    transposes<4>(bench);
    transposes<8>(bench);
    transposes<12>(bench);
    transposes<16>(bench);
    fills<1>(bench);
    fills<3>(bench);
    fills<4>(bench);
    fills<12>(bench);
    fills<16>(bench);
    fills<100>(bench);
    reductions<int>(bench, "sum", wideload::plus{});
    reductions<float>(bench, "sum", wideload::plus{});
    reductions<float>(bench, "maximum", wideload::maximum{});
    reductions<double>(bench, "maximum", wideload::maximum{});
    reductions<std::uint8_t>(bench, "maximum", wideload::maximum{});
    reductions<std::uint16_t>(bench, "bits", wideload::bit_or{});
    matrix_reductions<std::uint8_t>(bench);
    matrix_reductions<std::uint16_t>(bench);
    matrix_reductions<float>(bench);
    matrix_reductions<double>(bench);
    rows(bench);
}

// SPDX-License-Identifier: Apache-2.0
// `transform` must give operation(inputs...) for every element, for any mix of element sizes,
// alignments and counts.
#include <wideload/device/transform.cuh>

#include "support/large.cuh"
#include "support/mix.cuh"
#include "support/random.cuh"

namespace {

using test::Blob;
using test::GuardedBuffer;
using test::Mix;

template <class T>
T element(GuardedBuffer& buffer, std::size_t i) {
    T value;
    std::memcpy(&value, buffer.expected() + i * sizeof(T), sizeof(T));
    return value;
}

template <class Output, class... Inputs, std::size_t... I>
void run_one(std::size_t count, std::size_t output_offset,
             const std::size_t (&offsets)[sizeof...(Inputs)], std::index_sequence<I...>) {
    GuardedBuffer output(count * sizeof(Output), output_offset, 20);
    GuardedBuffer inputs[] = {GuardedBuffer(count * sizeof(Inputs), offsets[I], 21 + I)...};
    std::string what = "transform of " + std::to_string(count) + " elements, output of " +
                       std::to_string(sizeof(Output)) + " bytes at offset " +
                       std::to_string(output_offset) + ", inputs";
    ((what += " of " + std::to_string(sizeof(Inputs)) + " at " + std::to_string(offsets[I])), ...);
    test::expect_status(wideload::transform(inputs[I].template as<const Inputs>()...,
                                            output.as<Output>(), count, Mix<Output>{}),
                        cudaSuccess, what);
    for (std::size_t i = 0; i < count; ++i) {
        const Output result = Mix<Output>{}(element<Inputs>(inputs[I], i)...);
        std::memcpy(output.expected() + i * sizeof(Output), &result, sizeof(Output));
    }
    output.expect_equal(what);
}

template <class Output, class... Inputs>
void run(std::size_t count, std::size_t output_offset,
         const std::size_t (&offsets)[sizeof...(Inputs)]) {
    run_one<Output, Inputs...>(count, output_offset, offsets, std::index_sequence_for<Inputs...>{});
}

template <class Output, class... Inputs>
void random_transforms() {
    test::random_cases(5, [](test::Random& random) {
        const std::size_t bytes = sizeof(Output) + (sizeof(Inputs) + ...);
        const std::size_t count = random.length(test::random_bytes(random) / bytes);
        const std::size_t offsets[] = {random.offset(sizeof(Inputs))...};
        run<Output, Inputs...>(count, random.offset(sizeof(Output)), offsets);
    });
}

template <class Output, class Input>
void one_input() {
    for (std::size_t count : {0, 1, 31, 32, 33, 511, 1021, 2049, 9973})
        run<Output, Input>(count, 0, {0});
    for (std::size_t offset = 0; offset <= 16; ++offset) {
        run<Output, Input>(1500, 0, {offset});
        run<Output, Input>(1500, offset, {0});
        run<Output, Input>(1500, offset, {(offset * 7) % 17});
    }
    random_transforms<Output, Input>();
}

template <int Bytes>
void in_place(std::size_t offset) {
    for (std::size_t count : {1000, 4097}) {
        GuardedBuffer data(count * Bytes, offset, 30);
        test::expect_status(wideload::transform(data.as<Blob<Bytes>>(), data.as<Blob<Bytes>>(),
                                                count, Mix<Blob<Bytes>>{}),
                            cudaSuccess, "in place");
        for (std::size_t i = 0; i < count; ++i) {
            const auto result = Mix<Blob<Bytes>>{}(element<Blob<Bytes>>(data, i));
            std::memcpy(data.expected() + Bytes * i, &result, Bytes);
        }
        data.expect_equal("transform of " + std::to_string(Bytes) + " bytes in place");
    }
}

void contract() {
    GuardedBuffer buffer(4096, 0, 31);
    float* data = buffer.as<float>();
    float* null = nullptr;
    const Mix<float> mix;
    test::expect_status(wideload::transform(null, null, 0, mix), cudaSuccess, "nothing to do");
    test::expect_rejected(wideload::transform(null, data, 1, mix), "null input");
    test::expect_rejected(wideload::transform(data, null, data, 1, mix), "null second input");
    test::expect_rejected(wideload::transform(data, null, 1, mix), "null output");
    float* output = data + 512;
    test::expect_rejected(wideload::transform(data, data, null, output, 1, mix),
                          "null third input");
    test::expect_rejected(wideload::transform(data, data, data, null, output, 1, mix),
                          "null fourth input");
    test::expect_rejected(wideload::transform(data, output, SIZE_MAX / 4 + 1, mix), "too large");
    test::expect_rejected(wideload::transform(data, data + 1, 16, mix), "overlap");
    test::expect_rejected(wideload::transform(data, output + 1, output, 16, mix),
                          "overlap of the second input");
    test::expect_rejected(wideload::transform(data, data, output - 15, output, 16, mix),
                          "overlap of the third input");
    test::expect_rejected(wideload::transform(data, data, data, output + 15, output, 16, mix),
                          "overlap of the fourth input");
    test::expect_rejected(
        wideload::transform(data, reinterpret_cast<double*>(data), 16, Mix<double>{}),
        "in place with another element size");
    buffer.expect_equal("a rejected transform writes nothing");
}

void beyond_two_to_the_31() {
    const std::size_t count = (std::size_t{1} << 32) + 4321;
    test::LargeBuffer<unsigned char> input(count + 1), output(count + 1);
    test::generate(input.get(), count + 1,
                   [] __device__(std::size_t i) { return (unsigned char)test::mix(i); });
    for (int offset : {0, 1}) {
        test::require(cudaMemset(output.get(), 0, count + 1), "cudaMemset");
        test::expect_status(
            wideload::transform(input.get() + offset, output.get(), count,
                                [] __device__(unsigned char x) { return (unsigned char)(x + 3); }),
            cudaSuccess, "transform of 2^32 elements");
        test::expect_values(
            output.get(), count,
            [=] __device__(std::size_t i) { return (unsigned char)(test::mix(i + offset) + 3); },
            "transform of 2^32 elements");
    }
}

}  // namespace

int main(int argc, char** argv) {
    test::start(argc, argv);
    one_input<std::uint8_t, std::uint8_t>();
    one_input<std::uint16_t, std::uint16_t>();
    one_input<float, float>();
    one_input<double, double>();
    one_input<uint4, uint4>();
    one_input<float, std::uint8_t>();
    one_input<std::uint8_t, double>();
    one_input<std::uint16_t, uint4>();
    one_input<Blob<12>, Blob<12>>();
    one_input<Blob<20>, Blob<20>>();
    one_input<Blob<24>, Blob<36>>();
    one_input<Blob<3>, Blob<3>>();
    one_input<Blob<32>, Blob<32>>();
    one_input<Blob<13>, Blob<13>>();
    one_input<Blob<22>, Blob<22>>();
    one_input<Blob<33>, Blob<33>>();
    one_input<Blob<37>, Blob<37>>();
    one_input<Blob<44>, Blob<44>>();
    one_input<Blob<13>, Blob<20>>();
    one_input<Blob<16>, Blob<16>>();
    one_input<Blob<48>, Blob<16>>();
    one_input<Blob<64>, Blob<64>>();
    one_input<Blob<96>, Blob<96>>();
    one_input<Blob<100>, Blob<96>>();
    one_input<Blob<128>, Blob<128>>();
    one_input<Blob<144>, Blob<144>>();
    one_input<Blob<28>, Blob<28>>();
    one_input<Blob<36>, Blob<36>>();
    for (std::size_t offset : {0, 4, 20}) {
        run<Blob<28>, Blob<28>>(wideload::tuning::kTransformNarrowBytes / 28 + 100, 0, {offset});
    }
    // Through shared memory in between, of five words a lane and of nine.
    run<Blob<20>, Blob<20>>((std::size_t{3} << 20) / 20 + 100, 1, {6});
    run<Blob<36>, Blob<36>>((std::size_t{3} << 20) / 36 + 100, 7, {4});
    // And in its large blocks.
    constexpr std::size_t kLarge = wideload::tuning::transform_large_staged_from(26) / 13 + 100;
    run<Blob<13>, Blob<13>>(kLarge, 1, {2});
    run<Blob<13>, Blob<20>>(kLarge, 3, {1});
    run<Blob<17>, Blob<17>>(kLarge, 3, {2});
    run<Blob<9>, Blob<9>, Blob<9>>(kLarge * 13 / 9, 3, {2, 7});
    // Two tiles a warp.
    for (std::size_t offset : {0, 1, 6}) {
        run<float, std::uint8_t>(wideload::tuning::kTransformPairedFrom / 4 + 100 + offset * 128, 0,
                                 {offset});
        run<double, std::uint8_t, double>(wideload::tuning::kTransformPairedFrom / 8 + 163, 8,
                                          {offset, 8 * offset});
    }
    // Two words a lane.
    const std::size_t held = test::held_threads() * 16;
    run<float, float>(held * 7 / 4 / 4 + 5, 4, {4});
    run<std::uint16_t, std::uint16_t>(held, 0, {0});
    one_input<Blob<12>, float>();
    one_input<float, Blob<12>>();
    for (std::size_t offset = 0; offset <= 16; ++offset) {
        const std::size_t second = offset * 3 % 17, third = offset * 5 % 17,
                          fourth = offset * 7 % 17;
        run<float, float, float>(1500, 0, {offset, second});
        run<std::uint8_t, std::uint8_t, std::uint16_t, float>(1500, third, {offset, second, third});
        run<double, double, Blob<12>, std::uint8_t, float>(1500, 0,
                                                           {offset, second, third, fourth});
        run<std::uint16_t, std::uint16_t, std::uint16_t, std::uint16_t, std::uint16_t>(
            1500, offset, {fourth, third, second, offset});
    }
    for (std::size_t offset : {0, 1, 4, 9}) {
        run<float, float, float>(3001, 0, {offset, 4});
        run<std::uint8_t, std::uint8_t, std::uint16_t, float>(3001, offset, {offset, 2, 4});
        run<double, double, Blob<12>, std::uint8_t, float>(3001, 8, {8, 4, offset, 0});
        run<std::uint16_t, std::uint16_t, std::uint16_t, std::uint16_t, std::uint16_t>(
            3001, 2, {2, 2, offset, 2});
    }
    for (std::size_t offset = 0; offset <= 16; ++offset)
        run<Blob<16>, float, Blob<32>, std::uint8_t>(1500, offset, {4, (offset * 5) % 17, 3});
    random_transforms<float, float, float>();
    random_transforms<std::uint8_t, std::uint8_t, std::uint16_t, float>();
    random_transforms<double, double, Blob<12>, std::uint8_t, float>();
    random_transforms<std::uint16_t, std::uint16_t, std::uint16_t, std::uint16_t, std::uint16_t>();
    in_place<12>(4);
    in_place<16>(9);
    in_place<20>(3);
    in_place<37>(1);
    contract();
    if (test::state().full) beyond_two_to_the_31();
    return test::finish("transform_test");
}

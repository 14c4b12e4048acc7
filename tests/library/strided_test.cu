// SPDX-License-Identifier: Apache-2.0
// `strided_copy`, `gather` and `scatter` must move exactly the elements named and leave the gaps
// alone.
#include <wideload/device/gather.cuh>
#include <wideload/device/strided_copy.cuh>

#include "support/large.cuh"
#include "support/random.cuh"

namespace {

using test::Blob;
using test::GuardedBuffer;

/// Where a case's arrays begin, in bytes past a line.
struct Offsets {
    std::size_t from, to, index;
};

std::string at(const Offsets& offsets) {
    return ", " + std::to_string(offsets.from) + " and " + std::to_string(offsets.to) +
           " past a line";
}

template <int Size>
void strided(std::size_t count, std::size_t from_stride, std::size_t to_stride, std::size_t from,
             std::size_t to) {
    const std::size_t from_span = count == 0 ? 0 : (count - 1) * from_stride + 1;
    const std::size_t to_span = count == 0 ? 0 : (count - 1) * to_stride + 1;
    GuardedBuffer source(from_span * Size, from, 80), destination(to_span * Size, to, 81);
    const std::string what = "strided copy of " + std::to_string(count) + " elements of " +
                             std::to_string(Size) + " bytes, strides " +
                             std::to_string(from_stride) + " and " + std::to_string(to_stride) +
                             at({from, to, 0});
    test::expect_status(wideload::strided_copy(source.as<const Blob<Size>>(), from_stride,
                                               destination.as<Blob<Size>>(), to_stride, count),
                        cudaSuccess, what);
    for (std::size_t i = 0; i < count; ++i) {
        std::memcpy(destination.expected() + i * to_stride * Size,
                    source.expected() + i * from_stride * Size, Size);
    }
    destination.expect_equal(what);
}

/// From elements that indices name to neighbours, and back to others so named.
template <class T, class Index>
void indexed(std::size_t count, const Offsets& offsets) {
    const std::size_t pool = 2 * count + 1;
    GuardedBuffer source(pool * sizeof(T), offsets.from, 82),
        gathered(count * sizeof(T), offsets.to, 83);
    GuardedBuffer index(count * sizeof(Index), offsets.index, 84),
        scattered(pool * sizeof(T), offsets.from, 85);
    const std::vector<Index> places = test::shuffled_places<Index>(count);
    std::memcpy(index.expected(), places.data(), count * sizeof(Index));
    index.upload();
    const std::string what = "of " + std::to_string(count) + " elements of " +
                             std::to_string(sizeof(T)) + " bytes" + at(offsets) + ", indices " +
                             std::to_string(offsets.index);
    test::expect_status(
        wideload::gather(source.as<const T>(), index.as<const Index>(), gathered.as<T>(), count),
        cudaSuccess, "gather " + what);
    for (std::size_t i = 0; i < count; ++i) {
        std::memcpy(gathered.expected() + i * sizeof(T), source.expected() + places[i] * sizeof(T),
                    sizeof(T));
    }
    gathered.expect_equal("gather " + what);
    test::expect_status(wideload::scatter(gathered.as<const T>(), index.as<const Index>(),
                                          scattered.as<T>(), count),
                        cudaSuccess, "scatter " + what);
    for (std::size_t i = 0; i < count; ++i) {
        std::memcpy(scattered.expected() + places[i] * sizeof(T),
                    gathered.expected() + i * sizeof(T), sizeof(T));
    }
    scattered.expect_equal("scatter " + what);
}

template <class T, class Index>
void indexed(std::size_t count, std::size_t offset, std::size_t index_offset = 0) {
    indexed<T, Index>(count, {offset, offset, index_offset});
}

template <int Count>
struct Floats {
    float values[Count];
};

template <int Size>
void element_size() {
    for (std::size_t count : {0, 1, 31, 32, 33, 1021, 2049}) {
        for (std::size_t stride : {1, 2, 3, 8, 17, 32}) {
            strided<Size>(count, stride, 1, 0, 0);
            strided<Size>(count, 1, stride, 0, 0);
        }
        strided<Size>(count, 3, 5, 1, 2);
        indexed<Blob<Size>, int>(count, 0);
        indexed<Blob<Size>, std::uint64_t>(count, 3);
    }
    test::random_cases(12, [](test::Random& random) {
        const std::size_t elements = test::random_bytes(random) / Size;
        const std::size_t step = random.length(100), other = random.one_in(2) ? 1 : random.size(9);
        const std::size_t count = random.length(elements / std::max(step, other));
        const std::size_t from = random.offset(Size), to = random.offset(Size);
        if (random.one_in(2)) {
            strided<Size>(count, step, other, from, to);
        } else {
            strided<Size>(count, other, step, from, to);
        }
    });
    test::random_cases(6, [](test::Random& random) {
        const std::size_t count = random.length(test::random_bytes(random) / Size);
        const std::size_t from = random.offset(Size), to = random.offset(Size);
        if (random.one_in(2)) {
            indexed<Blob<Size>, int>(count, {from, to, random.offset(sizeof(int))});
        } else {
            indexed<Blob<Size>, std::uint64_t>(count, {from, to, random.offset(8)});
        }
    });
}

/// Every offset of each pointer beside every one of another.
template <int Size>
void offsets() {
    using T = Blob<Size>;
    constexpr std::size_t kCount = 77, kOffsets = 17;  // 0 to 16
    for (std::size_t from = 0; from < kOffsets; ++from) {
        for (std::size_t to = 0; to < kOffsets; ++to) {
            strided<Size>(kCount, 3, 1, from, to);
            strided<Size>(kCount, 2, 5, from, to);
            indexed<T, int>(kCount, {from, to, (from + to) % 5 * sizeof(int)});
            indexed<T, short>(kCount, {from, (from + to) % kOffsets, to});
        }
    }
    // Neighbours that lie differently than what the indices name, over several blocks.
    for (std::size_t offset = 0; offset < kOffsets; ++offset) {
        indexed<T, int>(1000, {kOffsets - 1 - offset, offset, 0});
        indexed<T, int>(1000, {0, Size, offset});
    }
}

/// So many that a thread moves several words.
void many_elements() {
    constexpr std::size_t kMore = 77;
    strided<1>(wideload::tuning::kStridedByOne<1> + kMore, 2, 1, 0, 0);
    strided<4>(wideload::tuning::kStridedByOne<4> + kMore, 1, 3, 0, 0);
    strided<16>(wideload::tuning::kStridedByOne<16> + kMore, 3, 2, 0, 0);
    for (const std::size_t most :
         {wideload::tuning::kIndexedByOne, wideload::tuning::kIndexedByTwo})
        indexed<Floats<1>, int>(most + kMore, 0);
}

void contract() {
    GuardedBuffer buffer(4096, 0, 86);
    float* data = buffer.as<float>();
    float* null = nullptr;
    const int* index = buffer.as<const int>() + 256;
    const int* no_index = nullptr;
    test::expect_status(wideload::strided_copy(null, 2, null, 1, 0), cudaSuccess, "nothing to do");
    test::expect_rejected(wideload::strided_copy(null, 2, data, 1, 1), "null");
    test::expect_rejected(wideload::strided_copy(data, 0, data + 512, 1, 4), "stride 0");
    test::expect_rejected(wideload::strided_copy(data, 4, data + 1, 4, 4), "overlap");
    test::expect_rejected(wideload::strided_copy(data, SIZE_MAX / 2, data + 512, 1, 4),
                          "too large");
    test::expect_rejected(wideload::strided_copy(data, 2, null, 1, 1), "null destination");
    test::expect_rejected(wideload::strided_copy(data, 1, data + 512, 0, 4),
                          "destination stride 0");
    test::expect_rejected(wideload::strided_copy(data, 1, data + 512, SIZE_MAX / 2, 4),
                          "destination too large");
    test::expect_rejected(wideload::gather(null, index, data + 512, 4), "gather: null source");
    test::expect_rejected(wideload::gather(data, no_index, data + 512, 4), "gather: null index");
    test::expect_rejected(wideload::gather(data, index, null, 4), "gather: null destination");
    test::expect_rejected(wideload::gather(data, index, data + 512, SIZE_MAX / 4),
                          "gather: too large");
    test::expect_rejected(wideload::gather(data, index, data + 256 + 3, 4),
                          "gather: destination in the indices");
    test::expect_status(wideload::gather(null, no_index, null, 0), cudaSuccess, "gather: nothing");
    test::expect_rejected(wideload::scatter(null, index, data + 512, 4), "scatter: null source");
    test::expect_rejected(wideload::scatter(data, no_index, data + 512, 4), "scatter: null index");
    test::expect_rejected(wideload::scatter(data, index, null, 4), "scatter: null destination");
    test::expect_rejected(wideload::scatter(data, index, data + 512, SIZE_MAX / 4),
                          "scatter: too large");
    test::expect_status(wideload::scatter(null, no_index, null, 0), cudaSuccess,
                        "scatter: nothing");
    buffer.expect_equal("a rejected call writes nothing");
}

struct Mixed {
    std::size_t step, first;
    __host__ __device__ std::uint32_t operator()(std::size_t i) const {
        return static_cast<std::uint32_t>(test::mix(first + i * step));
    }
};

/// More than 2^32 elements at a stride, and more than 2^32 bytes of them in reverse order.
void beyond_two_to_the_32() {
    {
        const std::size_t count = (std::size_t{1} << 32) + 99;
        test::LargeBuffer<std::uint8_t> source(2 * count), destination(count);
        test::generate(source.get(), 2 * count, Mixed{1, 0});
        test::expect_status(
            wideload::strided_copy(source.get() + 1, 2, destination.get(), 1, count), cudaSuccess,
            "strided copy of 2^32 elements");
        test::expect_values(destination.get(), count, Mixed{2, 1}, "strided copy of 2^32 elements");
    }
    const std::size_t count = (std::size_t{1} << 30) + 99;
    test::LargeBuffer<std::uint32_t> source(count), destination(count);
    test::LargeBuffer<std::uint64_t> index(count);
    test::generate(source.get(), count, Mixed{1, 0});
    test::generate(index.get(), count, [=] __device__(std::size_t i) { return count - 1 - i; });
    const Mixed reversed{~std::size_t{0}, count - 1};
    test::expect_status(wideload::gather(source.get(), index.get(), destination.get(), count),
                        cudaSuccess, "gather of 2^32 bytes");
    test::expect_values(destination.get(), count, reversed, "gather of more than 2^32 bytes");
    test::require(cudaMemset(destination.get(), 0, count * 4), "cudaMemset");
    test::expect_status(wideload::scatter(source.get(), index.get(), destination.get(), count),
                        cudaSuccess, "scatter of 2^32 bytes");
    test::expect_values(destination.get(), count, reversed, "scatter of more than 2^32 bytes");
}

}  // namespace

int main(int argc, char** argv) {
    test::start(argc, argv);
    element_size<1>();
    element_size<2>();
    element_size<3>();
    element_size<4>();
    element_size<8>();
    element_size<12>();
    element_size<16>();
    element_size<24>();
    element_size<36>();
    element_size<64>();
    offsets<1>();
    offsets<2>();
    offsets<4>();
    offsets<12>();
    offsets<16>();
    // Words of 16 bytes where the addresses allow, of 4 where only the type does.
    for (std::size_t offset : {0, 4, 8, 16}) {
        indexed<Floats<4>, int>(1000, offset);
        indexed<Floats<6>, int>(1000, offset);
    }
    indexed<float, short>(1000, 0);
    indexed<float, std::uint64_t>(1000, 4, sizeof(std::uint64_t));
    many_elements();
    contract();
    if (test::state().full) beyond_two_to_the_32();
    return test::finish("strided_test");
}

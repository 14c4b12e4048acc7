// SPDX-License-Identifier: Apache-2.0
// `copy` must move every byte of any size from any alignment to any other, touch nothing beside
// them, and reject what its contract calls wrong.
#include <wideload/device/copy.cuh>

#include "support/large.cuh"
#include "support/random.cuh"

namespace {

#ifdef WIDELOAD_NO_OVERLAP
static_assert(!wideload::detail::kernels_overlap());
#endif

void copy_one(std::size_t bytes, std::size_t source_offset, std::size_t destination_offset) {
    test::GuardedBuffer source(bytes, source_offset, 1), destination(bytes, destination_offset, 2);
    const std::string what = "copy of " + std::to_string(bytes) + " bytes, offsets " +
                             std::to_string(source_offset) + " and " +
                             std::to_string(destination_offset);
    test::expect_status(wideload::copy_bytes(source.as<char>(), destination.as<char>(), bytes),
                        cudaSuccess, what);
    std::memcpy(destination.expected(), source.expected(), bytes);
    destination.expect_equal(what);
    source.expect_equal(what + " (source)");
}

void every_pair_of_offsets() {
    for (std::size_t bytes : {1027, 2050}) {
        for (std::size_t source_offset = 0; source_offset <= 16; ++source_offset) {
            for (std::size_t destination_offset = 0; destination_offset <= 16;
                 ++destination_offset) {
                copy_one(bytes, source_offset, destination_offset);
            }
        }
    }
}

void every_size() {
    for (std::size_t bytes :
         {0,   1,   2,   15,  16,  17,  31,  32,   33,   127,  128,  129,   509,
          511, 512, 513, 640, 655, 656, 657, 1021, 4095, 4096, 4097, 65537, 100003}) {
        copy_one(bytes, 0, 0);
        copy_one(bytes, 5, 5);
        copy_one(bytes, 16, 0);
        copy_one(bytes, 3, 14);
        copy_one(bytes, 14, 3);
    }
}

/// Sizes at which threads take two words each.
void two_words_a_thread() {
    const std::size_t held = test::held_threads() * 16;
    copy_one(held * 2, 0, 0);
    copy_one(held * 7 / 4 + 16, 0, 0);
    copy_one(held * 7 / 4 + 100, 5, 5);
    // Two rows a warp where the ends are aligned differently, and one of the last.
    for (const int from : {1, 5, 9, 13, 17, 21, 25, 29}) copy_one(held * 7 / 4 + 777, from, 0);
}

template <class T>
void typed(std::size_t count) {
    test::GuardedBuffer source(count * sizeof(T), 0, 3), destination(count * sizeof(T), 0, 4);
    test::expect_status(wideload::copy(source.as<const T>(), destination.as<T>(), count),
                        cudaSuccess, "typed copy");
    std::memcpy(destination.expected(), source.expected(), count * sizeof(T));
    destination.expect_equal("copy of elements of " + std::to_string(sizeof(T)) + " bytes");
}

void random_copies() {
    test::random_cases(60, [](test::Random& random) {
        copy_one(random.length(test::random_bytes(random)), random.offset(1), random.offset(1));
    });
}

void contract() {
    test::GuardedBuffer buffer(4096, 0, 5);
    char* data = buffer.as<char>();
    using wideload::copy_bytes;
    test::expect_status(copy_bytes(nullptr, nullptr, 0), cudaSuccess, "nothing to copy");
    test::expect_status(copy_bytes(nullptr, data, 1), cudaErrorInvalidValue, "null source");
    test::expect_status(copy_bytes(data, nullptr, 1), cudaErrorInvalidValue, "null destination");
    test::expect_status(copy_bytes(data, data, 4096), cudaSuccess, "onto itself");
    test::expect_status(copy_bytes(data, data + 1, 64), cudaErrorInvalidValue, "overlap");
    test::expect_status(copy_bytes(data + 1, data, 64), cudaErrorInvalidValue, "overlap");
    test::expect_status(wideload::copy(reinterpret_cast<double*>(data),
                                       reinterpret_cast<double*>(data) + 8, SIZE_MAX / 4),
                        cudaErrorInvalidValue, "size past the address space");
    buffer.expect_equal("a rejected copy writes nothing");
}

struct Byte {
    std::size_t shift;
    __host__ __device__ unsigned char operator()(std::size_t i) const {
        return static_cast<unsigned char>(test::mix(i + shift));
    }
};

/// Past 2^32 bytes, where 32-bit arithmetic would wrap.
void beyond_four_gibibytes() {
    const std::size_t bytes = (std::size_t{1} << 32) + 70001;
    test::LargeBuffer<unsigned char> source(bytes + 64), destination(bytes + 64);
    test::generate(source.get(), bytes + 64, Byte{0});
    for (auto [from, to] : {std::pair<int, int>{0, 0}, {3, 11}, {16, 5}}) {
        test::require(cudaMemset(destination.get(), 0xa5, bytes + 64), "cudaMemset");
        test::expect_status(
            wideload::copy_bytes(source.get() + from, destination.get() + to, bytes), cudaSuccess,
            "4 GiB");
        test::expect_values(destination.get() + to, bytes, Byte{static_cast<std::size_t>(from)},
                            "copy past 4 GiB");
        test::expect_values(
            destination.get() + to + bytes, 64 - to, [] __device__(std::size_t) { return 0xa5; },
            "bytes after a copy past 4 GiB");
    }
}

}  // namespace

int main(int argc, char** argv) {
    test::start(argc, argv);
    every_pair_of_offsets();
    every_size();
    two_words_a_thread();
    typed<test::Blob<1>>(1000);
    typed<std::uint16_t>(1001);
    typed<test::Blob<12>>(331);
    typed<double>(77);
    typed<test::Blob<64>>(129);
    random_copies();
    contract();
    if (test::state().full) beyond_four_gibibytes();
    return test::finish("copy_test");
}

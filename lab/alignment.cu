// SPDX-License-Identifier: Apache-2.0
// Casts to wider types that fail and that do not; how the alignment of a struct decides into how
// many accesses its copy falls.
#include <cstdlib>
#include <string>

#include "harness/child.cuh"
#include "harness/lab.cuh"

/// As document 000 writes it: 16 bytes, but aligned like its widest member, to 8.
struct Foo {
    int a, b;
    double c;
};
struct alignas(16) AlignedFoo {
    int a, b;
    double c;
};

/// Words of 4 bytes, aligned like one of them, or like the power of two that holds them (at most
/// the 16 bytes that one access moves).
constexpr int alignment_for(int words) { return words == 1 ? 4 : words == 2 ? 8 : 16; }
template <int kWords>
struct Members {
    int word[kWords];
};
template <int kWords>
struct alignas(alignment_for(kWords)) Aligned {
    int word[kWords];
};

template <class Struct>
__global__ void copy_structs(const Struct* from, Struct* to) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    to[i] = from[i];
}

/// Reads from + offset as if vectors lay there, which only some offsets allow.
template <class Vector>
__global__ void copy_cast(const int* from, int offset, Vector* to) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    to[i] = reinterpret_cast<const Vector*>(from + offset)[i];
}

namespace {

constexpr unsigned kThreads = 256;
constexpr int kMostOffset = 8;
constexpr int kMostWords = 8;

lab::Experiment describe() {
    lab::Experiment experiment;
    experiment.chapter = 2;
    experiment.name = "alignment";
    experiment.title = "Alignment: what a wide access demands of an address";
    experiment.sources = {"000", "001"};
    experiment.question =
        "Which offsets into an array of int may be read as int2 or int4? And which structs does "
        "one "
        "access move?";
    experiment.expectation =
        "An access of 8 or 16 bytes needs an address that is a multiple of as many. cudaMalloc "
        "gives one, and an offset keeps it only where it is a multiple of 2 or 4 ints itself: "
        "d_in + 2 can be read as int2, d_in + 1 cannot and the kernel ends with "
        "cudaErrorMisalignedAddress.\n\n"
        "For a struct the compiler must believe the declaration. `struct {int a, b; double c;}` "
        "has 16 bytes but promises a multiple of 8 only, so its copy is two accesses of 8 bytes; "
        "`alignas(16)` makes it one. A struct whose size is not a power of two is split into its "
        "members, or padded: one access again, but the padding is moved too.\n\n"
        "Each of the split accesses skips over the rest of the struct, so all of them touch the "
        "same sectors: those are counted as often as there are accesses.";
    experiment.series = {{"int2", "int2 read at d_in + offset"},
                         {"int4", "int4 read at d_in + offset"},
                         {"foo", "Foo: struct {int a, b; double c;}"},
                         {"aligned_foo", "the same with alignas(16)"},
                         {"members", "struct of ints"},
                         {"aligned", "struct of ints with alignas(4, 8 or 16)"}};
    experiment.parameters = {{"offset", "offset", "ints"}, {"words", "size of members", "ints"}};
    experiment.columns = {{"error", "ends with"},
                          {"size", "sizeof", "bytes"},
                          {"alignment", "alignof", "bytes"},
                          {"load_instructions", "load instructions"},
                          {"global_ld_requests/warps", "loads a warp"},
                          {"global_ld_sectors/global_ld_requests", "sectors a load"},
                          {"global_ld_degree", "degree of loads", "%"},
                          {"useful_percent", "of the bytes are members", "%"},
                          {"us", "time", "µs"},
                          {"gbps", "useful bandwidth", "GB/s"}};
    experiment.claims = {
        lab::compare("error", "int2")
            .at({{"offset", 1}})
            .equals(cudaErrorMisalignedAddress)
            .holds("d_in + 1 read as int2 ends with error {found}, cudaErrorMisalignedAddress.")
            .fails("d_in + 1 read as int2 ends with error {found}, not with {value}, "
                   "cudaErrorMisalignedAddress."),
        lab::compare("error", "int2")
            .at({{"offset", 2}})
            .equals(cudaSuccess)
            .holds("d_in + 2 read as int2 ends with {found}, cudaSuccess.")
            .fails("d_in + 2 read as int2 ends with error {found}, though it is a multiple of 8 "
                   "bytes."),
        lab::compare("error", "int4")
            .at({{"offset", 2}})
            .equals(cudaErrorMisalignedAddress)
            .holds("For an int4 d_in + 2 is not enough: error {found}.")
            .fails("An int4 read at d_in + 2 ends with {found}, not with error {value}."),
        lab::compare("global_ld_requests", "foo")
            .over("global_ld_requests", "aligned_foo")
            .equals(2)
            .holds("Foo as document 000 writes it takes {ratio} times the loads of its alignas(16) "
                   "form, {left} against {right}, though both have 16 bytes.")
            .fails("Foo as document 000 writes it takes {ratio} times the loads of its alignas(16) "
                   "form, not {value} times."),
        lab::compare("global_ld_degree", "foo")
            .equals(50)
            .holds("Each of Foo's two loads uses {found} % of the bytes that it touches.")
            .fails("Each of Foo's two loads uses {found} % of the bytes that it touches, not "
                   "{value} %."),
        lab::compare("global_ld_requests", "members")
            .at({{"words", 4}})
            .over("global_ld_requests", "aligned", {{"words", 4}})
            .equals(4)
            .holds("Four ints take {ratio} times the loads as they stand that they take with "
                   "alignas(16): {left} against {right}.")
            .fails("Four ints are {ratio} times the loads that alignas(16) leaves, not {value}."),
        lab::compare("global_ld_requests", "members")
            .at({{"words", 3}})
            .over("global_ld_requests", "aligned", {{"words", 3}})
            .equals(3)
            .holds("Three ints take {ratio} times the loads of those padded to 16 bytes.")
            .fails("Three ints take {ratio} times the loads of the padded struct, not {value}."),
        lab::compare("global_ld_sectors", "aligned")
            .at({{"words", 3}})
            .over("global_ld_sectors", "aligned", {{"words", 4}})
            .equals(1)
            .holds("Padding three ints to 16 bytes has its price: they load {left} sectors, as "
                   "many as four ints.")
            .fails("Three ints padded to 16 bytes load {left} sectors, four ints {right}."),
        lab::compare("us", "aligned")
            .at({{"words", 3}})
            .over("us", "members", {{"words", 3}})
            .at_least(1)
            .holds("On this GPU padding three ints takes {ratio} times as long: memory moves the "
                   "padding too.")
            .fails("On this GPU padding three ints pays off, {ratio} times the time."),
    };
    experiment.charts = {
        {"Loads that copy one struct",
         "global_ld_requests/warps",
         "words",
         "bar",
         false,
         false,
         {"members", "aligned"}},
        {"Useful bandwidth, GB/s", "gbps", "words", "line", false, false, {"members", "aligned"}}};
    experiment.pictures = {
        {"lanes",
         "int2 at d_in + 2: the first lane starts within a sector",
         "int2",
         {{"offset", 2}}},
        {"lanes", "Foo: the first load takes every other 8 bytes", "foo"},
        {"lanes", "Foo: the second takes those between", "foo", {}, "global_ld", 1},
        {"lanes", "alignas(16): the only load", "aligned_foo"},
        {"lanes", "Three ints, padded to 16 bytes", "aligned", {{"words", 3}}}};
    return experiment;
}

/// The child's whole work: one launch, and the number of the error that it ends with.
template <class Vector>
int try_cast(int offset) {
    int* from = nullptr;
    Vector* to = nullptr;
    LAB_REQUIRE(cudaMalloc(&from, 32 * sizeof(Vector) + kMostOffset * sizeof(int)));
    LAB_REQUIRE(cudaMalloc(&to, 32 * sizeof(Vector)));
    copy_cast<<<1, 32>>>(from, offset, to);
    std::printf("%d", static_cast<int>(cudaDeviceSynchronize()));
    return 0;
}

template <class Vector>
void cast_at(lab::Session& session, const char* series, int offset) {
    constexpr unsigned kInts = sizeof(Vector) / sizeof(int);
    constexpr unsigned kSectors = sizeof(Vector);  // of 32 lanes
    if (!session.wants(series, {{"offset", offset}})) return;
    const auto error = static_cast<cudaError_t>(
        std::stoi(lab::output_of_child({"--cast", series, std::to_string(offset)})));
    auto point = session.point(series, {{"offset", offset}});
    point.fact("error", error).note("error", cudaGetErrorName(error));
    if (error != cudaSuccess) return point.states();

    const std::size_t vectors = session.pick(std::size_t{1} << 12, std::size_t{1} << 26) / kInts;
    const auto from = session.random<int>(vectors * kInts + kMostOffset);
    const auto to = session.output<int>(vectors * kInts);
    const auto value = from.value;
    const std::uint64_t warps = vectors / 32;
    const bool at_sector = offset * sizeof(int) % 32 == 0;
    point.fact("warps", static_cast<double>(warps))
        .moves(2 * vectors * sizeof(Vector))
        .expects("global_ld_requests", warps, "warps")
        .expects("global_ld_sectors", warps * (kSectors + (at_sector ? 0 : 1)),
                 at_sector ? "warps × bytes / 32" : "warps × (bytes / 32 + 1)")
        .asks("global_ld", warps * 32 * sizeof(Vector), "warps × 32 lanes' bytes")
        .expects_traffic("global_st", warps, "warps", kSectors, "bytes / 32")
        .writes(to, vectors * kInts,
                [=] __host__ __device__(std::size_t i) { return value(i + offset); })
        .run([&](int rotation, cudaStream_t stream) {
            copy_cast<<<lab::blocks_for(vectors, kThreads), kThreads, 0, stream>>>(
                from[rotation], offset, reinterpret_cast<Vector*>(to[rotation]));
        });
}

/// @param accesses  that the copy of one struct falls into
template <class Struct>
void copy(lab::Session& session, const char* series, int words, unsigned accesses) {
    constexpr std::size_t kInts = sizeof(Struct) / sizeof(int);
    const std::size_t count = session.pick(std::size_t{1} << 11, std::size_t{1} << 24);
    const auto from = session.random<int>(count * kInts);
    const auto to = session.output<int>(count * kInts);
    const auto value = from.value;
    const std::uint64_t warps = count / 32;
    // No struct is larger than a sector, so each access touches every sector of the warp's structs.
    session.point(series, {{"words", words}})
        .fact("warps", static_cast<double>(warps))
        .fact("size", sizeof(Struct))
        .fact("alignment", alignof(Struct))
        .fact("useful_percent", 100.0 * words / kInts)
        .moves(2 * count * static_cast<std::size_t>(words) * sizeof(int))
        .expects_traffic("global_ld", accesses * warps, "warps × accesses", sizeof(Struct),
                         "32 × sizeof / 32")
        .asks("global_ld", warps * 32 * sizeof(Struct), "warps × 32 × sizeof")
        .expects_traffic("global_st", accesses * warps, "warps × accesses", sizeof(Struct),
                         "32 × sizeof / 32")
        .writes(to, count * kInts, value)
        .run([&](int rotation, cudaStream_t stream) {
            copy_structs<<<lab::blocks_for(count, kThreads), kThreads, 0, stream>>>(
                reinterpret_cast<const Struct*>(from[rotation]),
                reinterpret_cast<Struct*>(to[rotation]));
        });
}

template <int kWords>
void copy_words(lab::Session& session) {
    copy<Members<kWords>>(session, "members", kWords, kWords);
    copy<Aligned<kWords>>(session, "aligned", kWords, kWords <= 4 ? 1 : 2);
    if constexpr (kWords < kMostWords) copy_words<kWords + 1>(session);
}

void run(lab::Session& session) {
    session.announce(2 * (kMostOffset + 1) + 2 + 2 * kMostWords);
    for (int offset = 0; offset <= kMostOffset; ++offset) cast_at<int2>(session, "int2", offset);
    for (int offset = 0; offset <= kMostOffset; ++offset) cast_at<int4>(session, "int4", offset);
    copy<Foo>(session, "foo", 4, 2);
    copy<AlignedFoo>(session, "aligned_foo", 4, 1);
    copy_words<1>(session);
}

}  // namespace

int main(int argc, char** argv) {
    if (argc == 4 && std::string(argv[1]) == "--cast") {
        const int offset = std::atoi(argv[3]);
        return std::string(argv[2]) == "int2" ? try_cast<int2>(offset) : try_cast<int4>(offset);
    }
    return lab::main_of(argc, argv, describe(), run);
}

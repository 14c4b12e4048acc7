// SPDX-License-Identifier: Apache-2.0
// Structs of 2 to 8 floats, one behind the other or as an array for each field: one field read, and
// all of them.
#include <algorithm>

#include "harness/lab.cuh"

template <unsigned kFields>
struct Record {
    float field[kFields];
};

/// Array of structs: the fields of a record lie side by side, those of neighbours a record apart.
template <unsigned kFields, unsigned kRead>
__global__ void sum_structs(const Record<kFields>* records, float* sums) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = records[i].field[0];
    for (unsigned f = 1; f < kRead; ++f) sum += records[i].field[f];
    sums[i] = sum;
}

/// Struct of arrays: all records' first fields, then all second ones, ...
template <unsigned kFields, unsigned kRead>
__global__ void sum_arrays(const float* fields, float* sums, unsigned n) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = fields[i];
    for (unsigned f = 1; f < kRead; ++f) sum += fields[f * n + i];
    sums[i] = sum;
}

namespace {

constexpr unsigned kThreads = 256;
constexpr unsigned kMostFields = 8;

lab::Experiment describe() {
    lab::Experiment experiment;
    experiment.chapter = 18;
    experiment.name = "aos-soa";
    experiment.title = "AoS and SoA: which fields lie side by side";
    experiment.sources = {"002"};
    experiment.question =
        "Records of several floats may lie one behind the other (array of structs), or each field "
        "in an array of its own (struct of arrays). What does it cost to read one field, and what "
        "to read all?";
    experiment.expectation =
        "In an array of structs of k floats neighbouring lanes read 4k bytes apart: a load touches "
        "4k sectors, up to 32, and uses one float in k. In a struct of arrays it is 4 whatever k "
        "is. The red of {r, g, b} pixels costs 12 sectors for 4.\n\n"
        "Who reads all fields touches the same sectors again with each field, k × 4k in all; yet "
        "every byte is wanted and the L1 keeps a sector until its turn comes, so memory moves as "
        "little as for arrays. One field alone leaves the rest of every sector unused: no cache "
        "helps, and time should follow the record's size.";
    experiment.series = {{"structs_one", "array of structs, one field"},
                         {"arrays_one", "struct of arrays, one field"},
                         {"structs_all", "array of structs, all fields"},
                         {"arrays_all", "struct of arrays, all fields"}};
    experiment.parameters = {{"fields", "fields of a record"}};
    experiment.columns = {{"global_ld_requests/warps", "loads for 32 records"},
                          {"global_ld_sectors/warps", "sectors for 32 records"},
                          {"global_ld_sectors/global_ld_requests", "sectors a load"},
                          {"global_ld_degree", "degree of loads", "%"},
                          {"us", "time", "µs"},
                          {"gbps", "useful bandwidth", "GB/s"},
                          {"copy_percent", "of the best copy", "%"}};
    experiment.claims = {
        lab::compare("global_ld_sectors", "structs_one")
            .at({{"fields", 3}})
            .over("global_ld_sectors", "arrays_one", {{"fields", 3}})
            .equals(3)
            .holds("One colour of an array of pixels takes {ratio} times the sectors that it takes "
                   "from an array of its own: {left} against {right}.")
            .fails(
                "One colour of an array of pixels takes {ratio} times the sectors, not {value}."),
        lab::monotone("global_ld_sectors", "structs_one", "fields", "rising")
            .holds("The larger the record, the more one field costs: {left} to {right} sectors.")
            .fails("The cost of one field does not only rise with the record: not at {where}."),
        lab::monotone("global_ld_sectors", "arrays_one", "fields", "constant")
            .holds(
                "From a struct of arrays one field always costs the same: {left|sector|sectors}.")
            .fails("From a struct of arrays the cost of one field changes at {where}, from {left} "
                   "to {right|sector|sectors}."),
        lab::compare("global_ld_degree", "structs_one")
            .at({{"fields", 8}})
            .equals(12.5)
            .holds("Of eight floats one is used: a degree of {found} %.")
            .fails("Of eight floats one is used, but the degree is {found} %, not {value} %."),
        lab::compare("global_ld_requests", "structs_all")
            .over("global_ld_requests", "arrays_all")
            .equals(1)
            .holds("All fields take as many loads either way, {left}.")
            .fails("All fields take {ratio} times the loads, not as many."),
        lab::compare("global_ld_sectors", "structs_all")
            .at({{"fields", 3}})
            .over("global_ld_sectors", "arrays_all", {{"fields", 3}})
            .equals(3)
            .holds("All three colours touch {ratio} times the sectors as structs: the same ones "
                   "again for each colour.")
            .fails("All three colours touch {ratio} times the sectors as structs, not {value}."),
        lab::compare("us", "structs_one")
            .at({{"fields", 8}})
            .over("us", "arrays_one", {{"fields", 8}})
            .at_least(3)
            .holds("On this GPU one field of eight takes {ratio} times as long from structs.")
            .fails("On this GPU one field of eight takes only {ratio} times as long from structs."),
        lab::compare("us", "structs_all")
            .at({{"fields", 3}})
            .over("us", "arrays_all", {{"fields", 3}})
            .at_most(1.15)
            .holds("All three colours take {ratio} times as long from structs: the L1 serves what "
                   "is asked for again.")
            .fails("All three colours take {ratio} times as long from structs, cache or not."),
    };
    experiment.charts = {{"Sectors that a load moves",
                          "global_ld_sectors/global_ld_requests",
                          "fields",
                          "step",
                          false,
                          false,
                          {"structs_one", "arrays_one"}},
                         {"Useful bandwidth of one field, GB/s",
                          "gbps",
                          "fields",
                          "line",
                          false,
                          false,
                          {"structs_one", "arrays_one"}},
                         {"Useful bandwidth of all fields, GB/s",
                          "gbps",
                          "fields",
                          "line",
                          false,
                          false,
                          {"structs_all", "arrays_all"}}};
    experiment.pictures = {
        {"lanes", "Red of {r, g, b} pixels: every third float", "structs_one", {{"fields", 3}}},
        {"lanes", "Red from an array of reds", "arrays_one", {{"fields", 3}}},
        {"lanes", "One field of eight", "structs_one", {{"fields", 8}}}};
    return experiment;
}

template <unsigned kFields, unsigned kRead>
void read(lab::Session& session, const std::string& way, std::size_t n) {
    const auto data = session.random<float>(n * kFields);
    const auto sums = session.output<float>(n);
    const auto value = data.value;
    const std::uint64_t warps = n / 32;
    const unsigned blocks = lab::blocks_for(n, kThreads);
    const auto point = [&](const std::string& layout, std::uint64_t sectors, const char* formula) {
        lab::Point described = session.point(layout + way, {{"fields", kFields}});
        described.moves((kRead + 1) * n * sizeof(float))
            .fact("warps", static_cast<double>(warps))
            .expects_traffic("global_ld", kRead * warps, "fields read × warps", sectors, formula)
            .asks("global_ld", kRead * warps * 128, "fields read × warps × 128")
            .expects_traffic("global_st", warps, "warps", 4, "4");
        return described;
    };
    point("structs", 4 * std::min(kFields, 8u), "min(4 × fields, 32)")
        .writes(sums, n,
                [=] __host__ __device__(std::size_t i) {
                    float sum = value(i * kFields);
                    for (unsigned f = 1; f < kRead; ++f) sum += value(i * kFields + f);
                    return sum;
                })
        .run([&](int rotation, cudaStream_t stream) {
            sum_structs<kFields, kRead><<<blocks, kThreads, 0, stream>>>(
                reinterpret_cast<const Record<kFields>*>(data[rotation]), sums[rotation]);
        });
    point("arrays", 4, "4")
        .writes(sums, n,
                [=] __host__ __device__(std::size_t i) {
                    float sum = value(i);
                    for (unsigned f = 1; f < kRead; ++f) sum += value(f * n + i);
                    return sum;
                })
        .run([&](int rotation, cudaStream_t stream) {
            sum_arrays<kFields, kRead><<<blocks, kThreads, 0, stream>>>(
                data[rotation], sums[rotation], static_cast<unsigned>(n));
        });
}

template <unsigned kFields>
void read_records(lab::Session& session, std::size_t n) {
    read<kFields, 1>(session, "_one", n);
    read<kFields, kFields>(session, "_all", n);
    if constexpr (kFields < kMostFields) read_records<kFields + 1>(session, n);
}

void run(lab::Session& session) {
    session.announce(4 * (kMostFields - 1));
    read_records<2>(session, session.pick(std::size_t{1} << 12, std::size_t{1} << 25));
}

}  // namespace

LAB_MAIN(describe, run)

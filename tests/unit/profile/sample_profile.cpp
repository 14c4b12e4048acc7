// SPDX-License-Identifier: Apache-2.0
#include "sample_profile.h"

namespace wideload::profile::test {

Profile full_profile() {
    Site load;
    load.opcode = "ld.global.nc.v4.f32";
    load.kind = SiteKind::global_ld;
    load.element_bytes = 4;
    load.vector_width = 4;
    load.ptx_line = 41;
    load.frames =
        std::vector<Frame>{{{"copy.cuh", 7, 14}, "load(float4 const*)"}, {{"main.cu", 20, 0}, ""}};
    load.parameter = "in";
    load.executions = 9;
    load.requests = 8;
    load.active_lanes = 250;
    load.sectors = 130;
    load.ideal_sectors = 128;
    load.distinct_bytes = 4000;
    load.histogram = {{16, 7}, {18, 1}};
    load.patterns = {{Pattern::strided, -64, 7}, {Pattern::contiguous, 0, 1}};
    Sample first;
    first.block = 3;
    first.warp = 2;
    first.mask = 0x7fffffff;
    first.sectors = 16;
    for (unsigned lane = 0; lane < 31; ++lane) {
        first.addresses[lane] = 0xffff'8000'0000'0000 - 64 * lane;
    }
    load.first = first;
    Sample worst = first;
    worst.block.reset();
    worst.warp.reset();
    worst.sectors = 18;
    load.worst = worst;

    Site store;
    store.opcode = "st.shared.f32";
    store.kind = SiteKind::shared_st;
    store.element_bytes = 4;
    store.executions = store.requests.emplace(4);
    store.wavefronts = 8;
    store.ideal_wavefronts = 4;

    Site branch;
    branch.opcode = "bra";
    branch.kind = SiteKind::branch;
    branch.ptx_line = 50;
    branch.executions = 10;
    branch.divergent_executions = 2;

    Launch launch;
    launch.kernel = "copy(float4 const*, float4*, int)";
    launch.mangled = "_Z4copyPK6float4PS_i";
    launch.grid = {4294967295u, 65535, 2};
    launch.block = {32, 8, 1};
    launch.dynamic_shared_bytes = 512;
    launch.static_shared_bytes = 128;
    launch.registers = 24;
    launch.cooperative = true;
    launch.process = 1;
    launch.device = 1;
    launch.stream = 5;
    launch.count = 3;
    launch.summed = 2;
    launch.host_ns = 123456;
    launch.counters = Counters{{"global_ld_requests", 8}, {"thread_inst", 18446744073709551615u}};
    launch.sites = std::vector{load, store, branch};
    Mismatch absent{"shfl.sync.bfly.b32", MismatchKind::absent_lanes, 45, load.frames, 3,
                    std::uint64_t{4},     std::uint64_t{1} << 40,     2,  0xffffffff,  0xffff0000};
    Mismatch unnamed{
        "bar.warp.sync", MismatchKind::unnamed_lanes, 47, {}, 1, std::nullopt, 0, 0, 0x0000ffff,
        0x80000000};
    launch.mismatches = {absent, unnamed};

    Launch failed;
    failed.kernel = "broken";
    failed.mangled = "broken";
    failed.fault = LaunchFault{"misaligned_address",
                               {{"main.cu", 9, 3}, "lane 1 loads 8 bytes", "v = p[1];", "align p"}};

    Profile profile;
    profile.producer = "wideload 0.1.0";
    Process killed{12, "/bin/b", {"./b"}, std::nullopt, 11};
    profile.processes = {{11, "/bin/a", {"./a", "-n", "\"quoted\""}, -1, std::nullopt}, killed};
    profile.devices = {{"h200", "NVIDIA H200", 9, 0, 132}, {"t4", "Tesla T4", 7, 5, 40}};
    profile.options = {8, true, false, "avx2"};
    profile.launches = {launch, failed};
    profile.merged = true;
    profile.diagnostics = {{{"a.ptx", 3, 1}, "unknown directive", "", ""}};
    profile.unsupported_calls = {{"cublasSgemm_v2", 2, "libraries are not run"}};
    profile.machine_code = {{"_Z4copyPK6float4PS_i",
                             "sm_90",
                             24,
                             64,
                             MachineSpills{1, 4, 2, 16},
                             90,
                             {{"LDG.E.128", "global", 16, 2, false, 41},
                              {"UBLKCP.S.G", "global", 0, 1, false, 0},
                              {"STL", "local", 4, 1, true, 43}}}};
    return profile;
}

}  // namespace wideload::profile::test

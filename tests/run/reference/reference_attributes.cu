// SPDX-License-Identifier: Apache-2.0
// What the runtime says of the kernels of reference_kernels.cu, none of which is launched: a line
// of JSON each.
#include <cstdio>

// Its main becomes a function that nothing calls, and only main may end without a return.
#define main launch_all
#define puts(text) return std::puts(text)
#include "reference_kernels.cu"
#undef main
#undef puts

template <class Kernel>
static void show(const char* name, Kernel* kernel) {
    cudaFuncAttributes known;
    CK(cudaFuncGetAttributes(&known, kernel));
    std::printf(
        "{\"kernel\": \"%s\", \"registers\": %d, \"static_shared_bytes\": %zu, \"local_bytes\": "
        "%zu, "
        "\"constant_bytes\": %zu, \"max_threads\": %d, \"ptx_version\": %d, \"binary_version\": "
        "%d, \"blocks\": {",
        name, known.numRegs, known.sharedSizeBytes, known.localSizeBytes, known.constSizeBytes,
        known.maxThreadsPerBlock, known.ptxVersion, known.binaryVersion);
    for (int threads = 32; threads <= known.maxThreadsPerBlock; threads += 32) {
        int blocks = 0;
        CK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, 0));
        std::printf("%s\"%d\": %d", threads == 32 ? "" : ", ", threads, blocks);
    }
    std::printf("}}\n");
}

#define SHOW(...) show(#__VA_ARGS__, __VA_ARGS__)

int main() {
    SHOW(copy_scalar);
    SHOW(copy_vector2);
    SHOW(copy_vector4);
    SHOW(copy_struct);
    SHOW(coalesced_access);
    SHOW(uncoalesced_access);
    SHOW(strided_access);
    SHOW(offset_access);
    SHOW(coalesced_matrix);
    SHOW(uncoalesced_matrix);
    SHOW(add_offset);
    SHOW(add_broadcast);
    SHOW(transpose_write_coalesced);
    SHOW(transpose_read_coalesced);
    SHOW(transpose_ldg);
    SHOW(transpose_shared<0>);
    SHOW(transpose_shared<1>);
    SHOW(vector_add);
    SHOW(add_vec_bounds);
    SHOW(matmul_naive);
    SHOW(matmul_shared<32>);
    SHOW(matmul_shared<16>);
    SHOW(scale_float3);
    SHOW(aos_read_r);
    SHOW(soa_read_r);
    SHOW(reduce_shared_atomic);
    SHOW(reduce_two_pass);
    SHOW(reduce_shuffle);
    SHOW(diverge_branch);
    SHOW(diverge_loop);
    SHOW(bank_stride<1>);
    SHOW(bank_stride<2>);
    SHOW(bank_stride<3>);
    SHOW(bank_stride<4>);
    SHOW(bank_stride<8>);
    SHOW(bank_stride<16>);
    SHOW(bank_stride<32>);
    SHOW(bank_stride<33>);
    SHOW(local_dynamic);
    SHOW(reg33);
}

// SPDX-License-Identifier: Apache-2.0
// A libcudart.so.12 by name and by the version of its symbols: a program linked with it is bound as
// one built with CUDA 12 is. Whoever reaches one of these functions was not redirected.
#include <cstdio>
#include <cstdlib>

#define NEVER_REACHED(function)                                                     \
    extern "C" void function() {                                                    \
        std::fputs(#function " of the program's own runtime was called\n", stderr); \
        std::abort();                                                               \
    }

NEVER_REACHED(__cudaGetKernel)
NEVER_REACHED(__cudaLaunchKernel)
NEVER_REACHED(__cudaPopCallConfiguration)
NEVER_REACHED(__cudaPushCallConfiguration)
NEVER_REACHED(__cudaRegisterFatBinary)
NEVER_REACHED(__cudaRegisterFatBinaryEnd)
NEVER_REACHED(__cudaRegisterFunction)
NEVER_REACHED(__cudaUnregisterFatBinary)
NEVER_REACHED(cudaDeviceSynchronize)
NEVER_REACHED(cudaFree)
NEVER_REACHED(cudaGetErrorString)
NEVER_REACHED(cudaGetLastError)
NEVER_REACHED(cudaMalloc)
NEVER_REACHED(cudaMemcpy)
NEVER_REACHED(cudaMemset)

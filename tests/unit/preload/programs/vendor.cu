// SPDX-License-Identifier: Apache-2.0
// Calls cuBLAS, which cannot run here, and sees it fail.
#include <cublas_v2.h>

#include "expect.h"

int main() {
    cublasHandle_t handle = nullptr;
    EXPECT(cublasCreate(&handle) != CUBLAS_STATUS_SUCCESS);
    EXPECT(cublasCreate(&handle) != CUBLAS_STATUS_SUCCESS);
    EXPECT(cublasGetStatusString(CUBLAS_STATUS_NOT_INITIALIZED) != nullptr);
    std::puts("passed");
}

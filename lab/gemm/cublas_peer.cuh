// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "matrix_product.cuh"

#if __has_include(<cublas_v2.h>)
#include <cublas_v2.h>
#include <dlfcn.h>

#include <string>
#endif

namespace gemm {

/// cublasSgemm in true fp32, where this machine has cuBLAS; found when the program runs, so that
/// the program is built and runs without it.
class CublasPeer {
public:
#if __has_include(<cublas_v2.h>)
    CublasPeer() {
        const std::string name = "libcublas.so." + std::to_string(CUBLAS_VER_MAJOR);
        library_ = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
        if (library_ == nullptr) return;
        const auto create = find<decltype(&cublasCreate_v2)>("cublasCreate_v2");
        const auto set_math = find<decltype(&cublasSetMathMode)>("cublasSetMathMode");
        set_stream_ = find<decltype(&cublasSetStream_v2)>("cublasSetStream_v2");
        multiply_ = find<decltype(&cublasSgemm_v2)>("cublasSgemm_v2");
        if (create == nullptr || set_math == nullptr || set_stream_ == nullptr ||
            multiply_ == nullptr || create(&handle_) != CUBLAS_STATUS_SUCCESS ||
            set_math(handle_, CUBLAS_PEDANTIC_MATH) != CUBLAS_STATUS_SUCCESS) {
            multiply_ = nullptr;
        }
    }
    ~CublasPeer() {
        const auto destroy = find<decltype(&cublasDestroy_v2)>("cublasDestroy_v2");
        if (handle_ != nullptr && destroy != nullptr) destroy(handle_);
    }
    CublasPeer(const CublasPeer&) = delete;
    CublasPeer& operator=(const CublasPeer&) = delete;

    bool found() const { return multiply_ != nullptr; }

    /// False if cuBLAS refused. Its matrices are column-major, so it is asked for Cᵀ = Bᵀ·Aᵀ.
    bool launch(const MatrixProduct& product, cudaStream_t stream) const {
        if (set_stream_(handle_, stream) != CUBLAS_STATUS_SUCCESS) return false;
        const float one = 1.0f;
        const float zero = 0.0f;
        return multiply_(handle_, CUBLAS_OP_N, CUBLAS_OP_N, product.n, product.m, product.k, &one,
                         product.b, product.n, product.a, product.k, &zero, product.c,
                         product.n) == CUBLAS_STATUS_SUCCESS;
    }

private:
    template <class Function>
    Function find(const char* name) const {
        return library_ == nullptr ? nullptr : reinterpret_cast<Function>(dlsym(library_, name));
    }

    void* library_ = nullptr;
    cublasHandle_t handle_ = nullptr;
    decltype(&cublasSetStream_v2) set_stream_ = nullptr;
    decltype(&cublasSgemm_v2) multiply_ = nullptr;
#else
    bool found() const { return false; }
    bool launch(const MatrixProduct&, cudaStream_t) const { return false; }
#endif
};

}  // namespace gemm

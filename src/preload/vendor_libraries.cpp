// SPDX-License-Identifier: Apache-2.0
#include "preload/vendor_libraries.h"

#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <cstring>
#include <initializer_list>

#include "preload/message.h"
#include "preload/redirect.h"

extern "C" __attribute__((visibility("hidden"))) void wideload_vendor_entry();

namespace wideload::preload {
namespace {

constexpr char kMachineCode[] = "the library holds machine code for real ones";
constexpr char kDriverUnderneath[] = "the library watches the driver of real ones";
constexpr char kRuntimeOnly[] = "programs of the runtime API (cuda_runtime.h) can";

/// Each library's own words for what is wrong: a program prints them.
constexpr int kNotInitialised = 1;  // of those with a handle; ncclUnhandledCudaError of NCCL
constexpr int kNotInitialisedOfRandom = 101;  // CURAND_STATUS_NOT_INITIALIZED
constexpr int kNotInitialisedOfCudnn = 1001;  // CUDNN_STATUS_NOT_INITIALIZED since version 9
constexpr int kNotInitialisedOfCupti = 15;    // CUPTI_ERROR_NOT_INITIALIZED
constexpr int kKernelFailed = -1000;      // NPP_CUDA_KERNEL_EXECUTION_ERROR; above 0 are warnings
constexpr int kInvalidPlan = 1;           // CUFFT_INVALID_PLAN
constexpr int kCompressionFailed = 1000;  // nvcompErrorCudaError
constexpr int kDriverNotSupported = 801;  // CUDA_ERROR_NOT_SUPPORTED

/// The first whose prefix a file's name has.
constexpr VendorLibrary kLibraries[] = {
    {"libcublas.so", "cublas", "cuBLAS", kMachineCode, kNotInitialised},
    {"libcublasLt.so", "cublasLt", "cuBLASLt", kMachineCode, kNotInitialised},
    {"libcusparse.so", "cusparse", "cuSPARSE", kMachineCode, kNotInitialised},
    {"libcusparseLt.so", "cusparseLt", "cuSPARSELt", kMachineCode, kNotInitialised},
    {"libcufft.so", "cufft", "cuFFT", kMachineCode, kInvalidPlan},
    {"libcufftMp.so", "cufft", "cuFFTMp", kMachineCode, kInvalidPlan},
    {"libcurand.so", "curand", "cuRAND", kMachineCode, kNotInitialisedOfRandom},
    {"libcusolver.so", "cusolver", "cuSOLVER", kMachineCode, kNotInitialised},
    {"libcusolverMg.so", "cusolverMg", "cuSOLVERMg", kMachineCode, kNotInitialised},
    {"libcudss.so", "cudss", "cuDSS", kMachineCode, kNotInitialised},
    {"libcutensor.so", "cutensor", "cuTENSOR", kMachineCode, kNotInitialised},
    {"libcutensorMg.so", "cutensorMg", "cuTENSORMg", kMachineCode, kNotInitialised},
    {"libcudnn.so.8", "cudnn", "cuDNN", kMachineCode, kNotInitialised},
    {"libcudnn.so", "cudnn", "cuDNN", kMachineCode, kNotInitialisedOfCudnn},
    {"libcudnn_", "cudnn", "cuDNN", kMachineCode, kNotInitialisedOfCudnn},
    {"libnccl.so", "nccl", "NCCL", kMachineCode, kNotInitialised},
    {"libnvjpeg.so", "nvjpeg", "nvJPEG", kMachineCode, kNotInitialised},
    {"libnvjpeg2k.so", "nvjpeg2k", "nvJPEG2000", kMachineCode, kNotInitialised},
    {"libnvcomp.so", "nvcomp", "nvCOMP", kMachineCode, kCompressionFailed},
    {"libnpp", "npp", "NPP", kMachineCode, kKernelFailed},
    {"libcupti.so", "cupti", "CUPTI", kDriverUnderneath, kNotInitialisedOfCupti},
    {"libcuda.so", "cu", "the CUDA driver API", kRuntimeOnly, kDriverNotSupported},
};

/// What a stub hands to wideload_vendor_call.
struct VendorFunction {
    const VendorLibrary* library;
    std::intptr_t failure;  ///< what it returns
    char name[88];
    std::atomic<bool> told;
};

/// Code that loads its record into r11 and goes to the common entry.
struct Stub {
    unsigned char code[24];
    VendorFunction function;
};

/// Memory for stubs, taken in pieces that are made executable at once: their code is written
/// through another mapping of the same pages, so that no page is ever writable and executable.
Stub* next_stub(const Stub*& executable) {
    constexpr std::size_t kPieceBytes = 1u << 20;
    static Stub* writable_piece = nullptr;
    static const Stub* executable_piece = nullptr;
    static std::size_t used = 0;
    if (writable_piece == nullptr || (used + 1) * sizeof(Stub) > kPieceBytes) {
        const int file = memfd_create("wideload-stubs", MFD_CLOEXEC);
        if (file < 0 || ftruncate(file, kPieceBytes) != 0) return nullptr;
        void* writable = mmap(nullptr, kPieceBytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        void* runnable = mmap(nullptr, kPieceBytes, PROT_READ | PROT_EXEC, MAP_SHARED, file, 0);
        close(file);
        if (writable == MAP_FAILED || runnable == MAP_FAILED) return nullptr;
        writable_piece = static_cast<Stub*>(writable);
        executable_piece = static_cast<const Stub*>(runnable);
        used = 0;
    }
    executable = executable_piece + used;
    return writable_piece + used++;
}

void write_code(Stub& stub) {
    const void* record = &stub.function;
    const auto target = reinterpret_cast<void*>(wideload_vendor_entry);
    unsigned char* code = stub.code;
    code[0] = 0x49, code[1] = 0xbb;  // movabs $record, %r11
    std::memcpy(code + 2, &record, 8);
    code[10] = 0x49, code[11] = 0xba;  // movabs $target, %r10
    std::memcpy(code + 12, &target, 8);
    code[20] = 0x41, code[21] = 0xff, code[22] = 0xe2;  // jmp *%r10
}

bool only_describes(const char* name) {
    for (const char* part : {"String", "Name", "Version", "Property", "Properties", "LastError"}) {
        if (std::strstr(name, part) != nullptr) return true;
    }
    return false;
}

/// nppiMalloc_8u_C1 and its kind: a status would be taken for the memory.
bool returns_pointer(const char* name) { return std::strstr(name, "Malloc_") != nullptr; }

}  // namespace

const VendorLibrary* find_vendor_library(const char* path) {
    const char* slash = std::strrchr(path, '/');
    const char* file = slash != nullptr ? slash + 1 : path;
    for (const VendorLibrary& library : kLibraries) {
        if (std::strncmp(file, library.file_prefix, std::strlen(library.file_prefix)) == 0)
            return &library;
    }
    return nullptr;
}

void redirect_vendor_function(const VendorLibrary& library, const char* name,
                              std::uintptr_t address) {
    if (std::strncmp(name, library.function_prefix, std::strlen(library.function_prefix)) != 0)
        return;
    if (only_describes(name) || std::strlen(name) >= sizeof(VendorFunction::name)) return;
    const Stub* executable = nullptr;
    Stub* stub = next_stub(executable);
    if (stub == nullptr) return;
    stub->function.library = &library;
    stub->function.failure = returns_pointer(name) ? 0 : library.failure_status;
    std::strcpy(stub->function.name, name);
    write_code(*stub);
    redirect(address, executable->code);
}

}  // namespace wideload::preload

/// Called by wideload_vendor_entry for every redirected function.
extern "C" __attribute__((visibility("hidden"))) std::intptr_t wideload_vendor_call(void* record) {
    using namespace wideload::preload;
    auto& function = *static_cast<VendorFunction*>(record);
    if (!function.told.exchange(true)) {
        tell(function.name, " of ", function.library->title,
             " was called, which cannot run on a virtual GPU: ", function.library->reason,
             "; it returned a failure");
    }
    return function.failure;
}

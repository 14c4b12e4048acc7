// SPDX-License-Identifier: Apache-2.0
#include "preload/engine/error.h"

#include "preload/engine/api.h"

namespace wideload::preload {
namespace {

struct ErrorRow {
    int value;
    const char* name;
    const char* text;
};

constexpr ErrorRow kErrors[] = {
#define CUDA_ERROR(value, name, text) {value, #name, text},
#include "preload/engine/errors.def"
#undef CUDA_ERROR
};

constexpr ErrorRow kUnrecognized{-1, "unrecognized error code", "unrecognized error code"};

const ErrorRow& find(int error) {
    for (const ErrorRow& row : kErrors) {
        if (row.value == error) return row;
    }
    return kUnrecognized;
}

struct FaultRow {
    gpu::Fault fault;
    const char* name;
    Error error;
    bool sticky;
};

constexpr FaultRow kFaults[] = {
    {gpu::Fault::none, "none", cudaSuccess, false},
    // As CUDA 13 says on an H200; CUDA 12 said cudaErrorInvalidConfiguration.
    {gpu::Fault::invalid_configuration, "invalid_configuration", cudaErrorInvalidValue, false},
    {gpu::Fault::out_of_resources, "out_of_resources", cudaErrorLaunchOutOfResources, false},
    {gpu::Fault::illegal_address, "illegal_address", cudaErrorIllegalAddress, true},
    {gpu::Fault::misaligned_address, "misaligned_address", cudaErrorMisalignedAddress, true},
    // A GPU would run what the engine cannot: this is the engine's limit, not the program's error.
    // The program must not go on with results that were never computed, though many check for
    // errors only at the end.
    {gpu::Fault::unsupported, "unsupported", cudaErrorNotSupported, true},
    {gpu::Fault::bad_operand, "bad_operand", cudaErrorIllegalInstruction, true},
    {gpu::Fault::bad_function_pointer, "bad_function_pointer", cudaErrorInvalidPc, true},
    {gpu::Fault::assertion, "assertion", cudaErrorAssert, true},
    {gpu::Fault::trap, "trap", cudaErrorLaunchFailure, true},
    // On an H200 too, whose stack ends where local memory does.
    {gpu::Fault::stack_overflow, "stack_overflow", cudaErrorIllegalAddress, true},
    {gpu::Fault::timeout, "timeout", cudaErrorLaunchTimeout, true},
    {gpu::Fault::interrupted, "interrupted", cudaErrorLaunchFailure, true},
    {gpu::Fault::internal, "internal", cudaErrorUnknown, true},
};

const FaultRow& row_of(gpu::Fault fault) {
    for (const FaultRow& row : kFaults) {
        if (row.fault == fault) return row;
    }
    return kFaults[0];
}

thread_local Error last_error = cudaSuccess;

}  // namespace

const char* error_name(int error) { return find(error).name; }
const char* error_text(int error) { return find(error).text; }

Error remember(Error error) {
    if (error != cudaSuccess && error != cudaErrorNotReady) last_error = error;
    return error;
}

Error error_of(gpu::Fault fault) { return row_of(fault).error; }
bool is_sticky(gpu::Fault fault) { return row_of(fault).sticky; }
const char* name_of(gpu::Fault fault) { return row_of(fault).name; }

namespace api {

const char* cudaGetErrorName(int error) { return error_name(error); }
const char* cudaGetErrorString(int error) { return error_text(error); }

Error cudaPeekAtLastError() { return last_error; }

Error cudaGetLastError() {
    const Error error = last_error;
    last_error = cudaSuccess;
    return error;
}

}  // namespace api
}  // namespace wideload::preload

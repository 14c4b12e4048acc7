// SPDX-License-Identifier: Apache-2.0
// The structures that programs pass, held against the toolkit's own headers: a wrong offset would
// corrupt the program.
#include "preload/engine/abi.h"

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include "preload/engine/device_properties.h"
#include "preload/engine/error.h"

namespace wideload::preload {
namespace {

#define SAME_MEMBER(own, own_member, theirs, their_member)                                     \
    static_assert(offsetof(own, own_member) == offsetof(theirs, their_member), #their_member); \
    static_assert(sizeof(own::own_member) == sizeof(theirs::their_member), #their_member)

#if CUDART_VERSION >= 13000
static_assert(sizeof(DeviceProperties13) >=
              offsetof(cudaDeviceProp, hostNumaMultinodeIpcSupported));
static_assert(sizeof(DeviceProperties13) <= sizeof(cudaDeviceProp));
using Properties = DeviceProperties13;
#else
static_assert(sizeof(DeviceProperties12) <= sizeof(cudaDeviceProp));
using Properties = DeviceProperties12;
#endif
static_assert(offsetof(Properties, head.totalGlobalMem) ==
              offsetof(cudaDeviceProp, totalGlobalMem));
#define INT(member, attribute) \
    static_assert(offsetof(Properties, member) == offsetof(cudaDeviceProp, member), #member);
#define SIZE(member, attribute) INT(member, attribute)
#define INT2(member, a, b) INT(member, a)
#define INT3(member, a, b, c) INT(member, a)
#if CUDART_VERSION >= 13000
#define INT_12(member, attribute)
#else
#define INT_12(member, attribute) INT(member, attribute)
#endif
#include "preload/engine/device_properties.def"
static_assert(offsetof(Properties, unifiedFunctionPointers) ==
              offsetof(cudaDeviceProp, unifiedFunctionPointers));

static_assert(sizeof(FunctionAttributes) == sizeof(cudaFuncAttributes));
SAME_MEMBER(FunctionAttributes, registers, cudaFuncAttributes, numRegs);
SAME_MEMBER(FunctionAttributes, max_dynamic_shared_bytes, cudaFuncAttributes,
            maxDynamicSharedSizeBytes);
SAME_MEMBER(FunctionAttributes, preferred_shared_carveout, cudaFuncAttributes,
            preferredShmemCarveout);
SAME_MEMBER(FunctionAttributes, non_portable_cluster_allowed, cudaFuncAttributes,
            nonPortableClusterSizeAllowed);

static_assert(sizeof(PointerAttributes) <= sizeof(cudaPointerAttributes));
SAME_MEMBER(PointerAttributes, device_pointer, cudaPointerAttributes, devicePointer);
SAME_MEMBER(PointerAttributes, host_pointer, cudaPointerAttributes, hostPointer);

static_assert(sizeof(Copy3DParameters) == sizeof(cudaMemcpy3DParms));
SAME_MEMBER(Copy3DParameters, source, cudaMemcpy3DParms, srcPtr);
SAME_MEMBER(Copy3DParameters, destination_position, cudaMemcpy3DParms, dstPos);
SAME_MEMBER(Copy3DParameters, destination, cudaMemcpy3DParms, dstPtr);
SAME_MEMBER(Copy3DParameters, kind, cudaMemcpy3DParms, kind);

static_assert(sizeof(LaunchConfig) == sizeof(cudaLaunchConfig_t));
SAME_MEMBER(LaunchConfig, dynamic_shared_bytes, cudaLaunchConfig_t, dynamicSmemBytes);
SAME_MEMBER(LaunchConfig, attributes, cudaLaunchConfig_t, attrs);
SAME_MEMBER(LaunchConfig, attribute_count, cudaLaunchConfig_t, numAttrs);
static_assert(sizeof(LaunchAttribute) == sizeof(cudaLaunchAttribute));
SAME_MEMBER(LaunchAttribute, value, cudaLaunchAttribute, val);
static_assert(LaunchAttribute::kCooperative == int{cudaLaunchAttributeCooperative});
static_assert(LaunchAttribute::kClusterDimension == int{cudaLaunchAttributeClusterDimension});

static_assert(sizeof(KernelNodeParameters) == sizeof(cudaKernelNodeParams));
SAME_MEMBER(KernelNodeParameters, arguments, cudaKernelNodeParams, kernelParams);
static_assert(sizeof(MemsetNodeParameters) == sizeof(cudaMemsetParams));
SAME_MEMBER(MemsetNodeParameters, element_bytes, cudaMemsetParams, elementSize);
static_assert(sizeof(HostNodeParameters) == sizeof(cudaHostNodeParams));
static_assert(sizeof(GraphInstantiateParameters) == sizeof(cudaGraphInstantiateParams));
static_assert(sizeof(GraphUpdateResult) == sizeof(cudaGraphExecUpdateResultInfo));
static_assert(sizeof(MemoryAccess) == sizeof(cudaMemAccessDesc));
static_assert(sizeof(ChannelFormat) == sizeof(cudaChannelFormatDesc));
static_assert(sizeof(PitchedPointer) == sizeof(cudaPitchedPtr));

static_assert(int{kDeviceToDevice} == int{cudaMemcpyDeviceToDevice} &&
              int{kDefaultKind} == int{cudaMemcpyDefault});

// The names are the enumeration's own: those that programs test for must have its values.
// A program must never go on as if a launch that failed had been well.
TEST(Errors, StandForEveryFault) {
    for (int i = 1; i <= static_cast<int>(gpu::Fault::internal); ++i) {
        const auto fault = static_cast<gpu::Fault>(i);
        EXPECT_NE(error_of(fault), cudaSuccess) << i;
        EXPECT_STRNE(name_of(fault), "none") << i;
    }
}

TEST(Errors, HaveTheToolkitsValues) {
    EXPECT_STREQ(error_name(::cudaErrorIllegalAddress), "cudaErrorIllegalAddress");
    EXPECT_STREQ(error_name(::cudaErrorMisalignedAddress), "cudaErrorMisalignedAddress");
    EXPECT_STREQ(error_name(::cudaErrorLaunchTimeout), "cudaErrorLaunchTimeout");
    EXPECT_STREQ(error_name(::cudaErrorCooperativeLaunchTooLarge),
                 "cudaErrorCooperativeLaunchTooLarge");
    EXPECT_STREQ(error_name(::cudaErrorNoKernelImageForDevice), "cudaErrorNoKernelImageForDevice");
    EXPECT_STREQ(error_name(::cudaErrorInvalidPtx), "cudaErrorInvalidPtx");
}

}  // namespace
}  // namespace wideload::preload

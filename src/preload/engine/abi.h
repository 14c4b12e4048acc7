// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

/// The structures of the CUDA runtime's interface as programs pass them, laid out as in CUDA 12
/// and 13. The toolkit's own headers describe one version each; these do not depend on which is
/// installed. tests/unit/preload/abi_test.cpp holds them against the headers at hand.
namespace wideload::preload {

/// cudaError_t, with the runtime's own names.
enum Error : int {
#define CUDA_ERROR(value, name, text) name = value,
#include "preload/engine/errors.def"
#undef CUDA_ERROR
};

// Handles.
struct Stream;
struct Event;
struct Graph;
struct GraphNode;
struct GraphExecutable;
struct MemoryPool;
struct KernelRegistration;  ///< cudaKernel_t and cudaFunction_t
struct FatBinaryRegistration;

/// cudaStreamLegacy and cudaStreamPerThread.
inline Stream* const kLegacyStream = reinterpret_cast<Stream*>(1);
inline Stream* const kPerThreadStream = reinterpret_cast<Stream*>(2);

/// The last cudaFuncCache: cudaFuncCachePreferEqual.
inline constexpr int kMostCacheConfig = 3;

struct Dimensions {
    std::uint32_t x, y, z;
};

enum CopyKind : int { kHostToHost, kHostToDevice, kDeviceToHost, kDeviceToDevice, kDefaultKind };

struct Extent {
    std::size_t width, height, depth;
};

struct Position {
    std::size_t x, y, z;
};

struct PitchedPointer {
    void* pointer;
    std::size_t pitch, x_size, y_size;
};

/// cudaChannelFormatDesc: bits of each component of an element, and their kind.
struct ChannelFormat {
    int x, y, z, w;
    int kind;
};

/// cudaMemcpy3DParms
struct Copy3DParameters {
    void* source_array;
    Position source_position;
    PitchedPointer source;
    void* destination_array;
    Position destination_position;
    PitchedPointer destination;
    Extent extent;
    CopyKind kind;
};

/// cudaPointerAttributes
struct PointerAttributes {
    enum Type : int { kUnregistered, kHost, kDevice, kManaged } type;
    int device;
    void* device_pointer;
    void* host_pointer;
    // CUDA 13 appended eight reserved longs, which are left as they are.
};

/// cudaFuncAttributes
struct FunctionAttributes {
    std::size_t shared_bytes, constant_bytes, local_bytes;
    int max_threads_per_block, registers, ptx_version, binary_version, cache_mode_ca;
    int max_dynamic_shared_bytes, preferred_shared_carveout;
    int cluster_dimension_must_be_set, cluster_width, cluster_height, cluster_depth;
    int cluster_scheduling_policy, non_portable_cluster_allowed;
    int reserved[16];
};

/// cudaLaunchAttribute
struct LaunchAttribute {
    enum Id : int { kCooperative = 2, kClusterDimension = 4 } id;
    char padding[4];
    union Value {
        char bytes[64];
        int cooperative;
        Dimensions cluster;
    } value;
};

/// cudaLaunchConfig_t
struct LaunchConfig {
    Dimensions grid, block;
    std::size_t dynamic_shared_bytes;
    Stream* stream;
    const LaunchAttribute* attributes;
    unsigned attribute_count;
};

/// cudaKernelNodeParams
struct KernelNodeParameters {
    const void* function;
    Dimensions grid, block;
    unsigned shared_bytes;
    void** arguments;
    void** extra;
};

/// cudaMemsetParams
struct MemsetNodeParameters {
    void* destination;
    std::size_t pitch;
    unsigned value, element_bytes;
    std::size_t width, height;
};

using HostFunction = void (*)(void* data);
using StreamCallback = void (*)(Stream*, Error, void* data);

/// cudaHostNodeParams
struct HostNodeParameters {
    HostFunction function;
    void* data;
};

/// cudaGraphInstantiateParams
struct GraphInstantiateParameters {
    unsigned long long flags;
    Stream* upload_stream;
    GraphNode* error_node;
    int result;
};

/// cudaGraphExecUpdateResultInfo
struct GraphUpdateResult {
    int result;
    GraphNode* error_node;
    GraphNode* error_from_node;
};

/// cudaMemLocation
struct MemoryLocation {
    int type, id;
};

/// cudaMemAccessDesc
struct MemoryAccess {
    MemoryLocation location;
    int flags;
};

}  // namespace wideload::preload

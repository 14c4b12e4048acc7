// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "preload/engine/abi.h"

/// The runtime's functions as the engine implements them, under the runtime's names; what each does
/// is in NVIDIA's manual of the runtime API. Everything is carried out before the call returns, in
/// the order of the calls, which CUDA's rules for streams allow; a kernel's fault is nevertheless
/// only reported by the next call that synchronises. Enumerations that only pass through are ints.
namespace wideload::preload::api {

// registration
void** __cudaRegisterFatBinary(void* wrapper);
void __cudaRegisterFatBinaryEnd(void** handle);
void __cudaUnregisterFatBinary(void** handle);
void __cudaRegisterFunction(void** handle, const char* host_function, char* device_function,
                            const char* device_name, int thread_limit, void* tid, void* bid,
                            void* block, void* grid, int* warp_size);
void __cudaRegisterVar(void** handle, char* host_variable, char* device_address,
                       const char* device_name, int external, std::size_t bytes, int constant,
                       int global);
void __cudaRegisterManagedVar(void** handle, void** host_pointer, char* device_address,
                              const char* device_name, int external, std::size_t bytes,
                              int constant, int global);
void __cudaRegisterHostVar(void** handle, const char* device_name, char* host_variable,
                           std::size_t bytes);
char __cudaInitModule(void** handle);

// launch
unsigned __cudaPushCallConfiguration(Dimensions grid, Dimensions block, std::size_t shared_bytes,
                                     Stream* stream);
Error __cudaPopCallConfiguration(Dimensions* grid, Dimensions* block, std::size_t* shared_bytes,
                                 void* stream);
Error __cudaGetKernel(KernelRegistration** kernel, const void* function);
Error __cudaLaunchKernel(KernelRegistration* kernel, Dimensions grid, Dimensions block,
                         void** arguments, std::size_t shared_bytes, Stream* stream);
Error cudaLaunchKernel(const void* function, Dimensions grid, Dimensions block, void** arguments,
                       std::size_t shared_bytes, Stream* stream);
Error cudaLaunchCooperativeKernel(const void* function, Dimensions grid, Dimensions block,
                                  void** arguments, std::size_t shared_bytes, Stream* stream);
Error cudaLaunchKernelExC(const LaunchConfig* config, const void* function, void** arguments);
Error cudaLaunchKernelExC_ptsz(const LaunchConfig* config, const void* function, void** arguments);
Error cudaLaunchHostFunc(Stream* stream, HostFunction function, void* data);

// functions
Error cudaFuncGetAttributes(FunctionAttributes* attributes, const void* function);
Error cudaFuncSetAttribute(const void* function, int attribute, int value);
Error cudaFuncSetCacheConfig(const void* function, int config);
Error cudaFuncSetSharedMemConfig(const void* function, int config);
Error cudaFuncGetName(const char** name, const void* function);
Error cudaFuncGetParamInfo(const void* function, std::size_t index, std::size_t* offset,
                           std::size_t* bytes);
Error cudaGetFuncBySymbol(KernelRegistration** handle, const void* function);
Error cudaGetKernel(KernelRegistration** kernel, const void* function);
Error cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* function,
                                                    int block_size, std::size_t shared_bytes);
Error cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, const void* function,
                                                             int block_size,
                                                             std::size_t shared_bytes,
                                                             unsigned flags);
Error cudaOccupancyAvailableDynamicSMemPerBlock(std::size_t* bytes, const void* function,
                                                int blocks, int block_size);

// errors
const char* cudaGetErrorName(int error);
const char* cudaGetErrorString(int error);
Error cudaGetLastError();
Error cudaPeekAtLastError();

// device
Error cudaGetDeviceCount(int* count);
Error cudaGetDevice(int* device);
Error cudaSetDevice(int device);
Error cudaInitDevice(int device, unsigned device_flags, unsigned flags);
Error cudaSetValidDevices(int* devices, int count);
Error cudaChooseDevice(int* device, const void* properties);
Error cudaGetDeviceFlags(unsigned* flags);
Error cudaSetDeviceFlags(unsigned flags);
Error cudaGetDeviceProperties(void* properties, int device);
Error cudaGetDeviceProperties_12(void* properties, int device);
Error cudaDeviceGetAttribute(int* value, int attribute, int device);
Error cudaDeviceGetPCIBusId(char* text, int length, int device);
Error cudaDeviceGetByPCIBusId(int* device, const char* text);
Error cudaDeviceGetP2PAttribute(int* value, int attribute, int source, int destination);
Error cudaDeviceCanAccessPeer(int* can, int device, int peer);
Error cudaDeviceEnablePeerAccess(int peer, unsigned flags);
Error cudaDeviceDisablePeerAccess(int peer);
Error cudaDeviceFlushGPUDirectRDMAWrites(int target, int scope);
Error cudaDeviceGetCacheConfig(int* config);
Error cudaDeviceSetCacheConfig(int config);
Error cudaDeviceGetSharedMemConfig(int* config);
Error cudaDeviceSetSharedMemConfig(int config);
Error cudaDeviceGetLimit(std::size_t* value, int limit);
Error cudaDeviceSetLimit(int limit, std::size_t value);
Error cudaDeviceGetStreamPriorityRange(int* least, int* greatest);
Error cudaDeviceSynchronize();
Error cudaDeviceReset();
Error cudaCtxResetPersistingL2Cache();
Error cudaDriverGetVersion(int* version);
Error cudaRuntimeGetVersion(int* version);
Error cudaProfilerStart();
Error cudaProfilerStop();

// memory
Error cudaMalloc(void** pointer, std::size_t bytes);
Error cudaMallocPitch(void** pointer, std::size_t* pitch, std::size_t width, std::size_t height);
Error cudaMalloc3D(PitchedPointer* pointer, Extent extent);
Error cudaMallocManaged(void** pointer, std::size_t bytes, unsigned flags);
Error cudaMallocHost(void** pointer, std::size_t bytes);
Error cudaHostAlloc(void** pointer, std::size_t bytes, unsigned flags);
Error cudaFree(void* pointer);
Error cudaFreeHost(void* pointer);
Error cudaMallocAsync(void** pointer, std::size_t bytes, Stream* stream);
Error cudaMallocFromPoolAsync(void** pointer, std::size_t bytes, MemoryPool* pool, Stream* stream);
Error cudaFreeAsync(void* pointer, Stream* stream);
Error cudaHostRegister(void* pointer, std::size_t bytes, unsigned flags);
Error cudaHostUnregister(void* pointer);
Error cudaHostGetDevicePointer(void** device_pointer, void* pointer, unsigned flags);
Error cudaHostGetFlags(unsigned* flags, void* pointer);
Error cudaPointerGetAttributes(PointerAttributes* attributes, const void* pointer);
Error cudaMemGetInfo(std::size_t* free, std::size_t* total);
Error cudaMemAdvise(const void* pointer, std::size_t bytes, int advice, MemoryLocation location);
Error cudaMemPrefetchAsync(const void* pointer, std::size_t bytes);
Error cudaStreamAttachMemAsync(Stream* stream, void* pointer, std::size_t bytes, unsigned flags);

// memory pools
Error cudaDeviceGetDefaultMemPool(MemoryPool** pool, int device);
Error cudaDeviceGetMemPool(MemoryPool** pool, int device);
Error cudaDeviceSetMemPool(int device, MemoryPool* pool);
Error cudaMemPoolCreate(MemoryPool** pool, const void* properties);
Error cudaMemPoolDestroy(MemoryPool* pool);
Error cudaMemPoolGetAttribute(MemoryPool* pool, int attribute, void* value);
Error cudaMemPoolSetAttribute(MemoryPool* pool, int attribute, void* value);
Error cudaMemPoolGetAccess(int* flags, MemoryPool* pool, MemoryLocation* location);
Error cudaMemPoolSetAccess(MemoryPool* pool, const MemoryAccess* access, std::size_t count);
Error cudaMemPoolTrimTo(MemoryPool* pool, std::size_t bytes);

// copies
Error cudaMemcpy(void* destination, const void* source, std::size_t bytes, CopyKind kind);
Error cudaMemcpyAsync(void* destination, const void* source, std::size_t bytes, CopyKind kind,
                      Stream* stream);
Error cudaMemcpy2D(void* destination, std::size_t destination_pitch, const void* source,
                   std::size_t source_pitch, std::size_t width, std::size_t height, CopyKind kind);
Error cudaMemcpy2DAsync(void* destination, std::size_t destination_pitch, const void* source,
                        std::size_t source_pitch, std::size_t width, std::size_t height,
                        CopyKind kind, Stream* stream);
Error cudaMemcpy3D(const Copy3DParameters* parameters);
Error cudaMemcpy3DAsync(const Copy3DParameters* parameters, Stream* stream);
Error cudaMemcpyPeer(void* destination, int destination_device, const void* source,
                     int source_device, std::size_t bytes);
Error cudaMemcpyPeerAsync(void* destination, int destination_device, const void* source,
                          int source_device, std::size_t bytes, Stream* stream);
Error cudaMemset(void* pointer, int value, std::size_t bytes);
Error cudaMemsetAsync(void* pointer, int value, std::size_t bytes, Stream* stream);
Error cudaMemset2D(void* pointer, std::size_t pitch, int value, std::size_t width,
                   std::size_t height);
Error cudaMemset2DAsync(void* pointer, std::size_t pitch, int value, std::size_t width,
                        std::size_t height, Stream* stream);
Error cudaMemset3D(PitchedPointer pointer, int value, Extent extent);
Error cudaMemset3DAsync(PitchedPointer pointer, int value, Extent extent, Stream* stream);

// CUDA arrays
ChannelFormat cudaCreateChannelDesc(int x, int y, int z, int w, int kind);

// symbols
Error cudaGetSymbolAddress(void** pointer, const void* symbol);
Error cudaGetSymbolSize(std::size_t* bytes, const void* symbol);
Error cudaMemcpyToSymbol(const void* symbol, const void* source, std::size_t bytes,
                         std::size_t offset, CopyKind kind);
Error cudaMemcpyToSymbolAsync(const void* symbol, const void* source, std::size_t bytes,
                              std::size_t offset, CopyKind kind, Stream* stream);
Error cudaMemcpyFromSymbol(void* destination, const void* symbol, std::size_t bytes,
                           std::size_t offset, CopyKind kind);
Error cudaMemcpyFromSymbolAsync(void* destination, const void* symbol, std::size_t bytes,
                                std::size_t offset, CopyKind kind, Stream* stream);

// streams
Error cudaStreamCreate(Stream** stream);
Error cudaStreamCreateWithFlags(Stream** stream, unsigned flags);
Error cudaStreamCreateWithPriority(Stream** stream, unsigned flags, int priority);
Error cudaStreamDestroy(Stream* stream);
Error cudaStreamQuery(Stream* stream);
Error cudaStreamSynchronize(Stream* stream);
Error cudaStreamWaitEvent(Stream* stream, Event* event, unsigned flags);
Error cudaStreamAddCallback(Stream* stream, StreamCallback callback, void* data, unsigned flags);
Error cudaStreamGetDevice(Stream* stream, int* device);
Error cudaStreamGetFlags(Stream* stream, unsigned* flags);
Error cudaStreamGetId(Stream* stream, unsigned long long* id);
Error cudaStreamGetPriority(Stream* stream, int* priority);
Error cudaStreamGetAttribute(Stream* stream, int attribute, LaunchAttribute::Value* value);
Error cudaStreamSetAttribute(Stream* stream, int attribute, const LaunchAttribute::Value* value);
Error cudaStreamCopyAttributes(Stream* destination, Stream* source);

// stream capture
Error cudaStreamBeginCapture(Stream* stream, int mode);
Error cudaStreamEndCapture(Stream* stream, Graph** graph);
Error cudaStreamIsCapturing(Stream* stream, int* status);
Error cudaStreamGetCaptureInfo(Stream* stream, int* status, unsigned long long* id, Graph** graph,
                               GraphNode* const** dependencies, const void** edge_data,
                               std::size_t* dependency_count);
Error cudaStreamGetCaptureInfo_12(Stream* stream, int* status, unsigned long long* id);
Error cudaThreadExchangeStreamCaptureMode(int* mode);

// events
Error cudaEventCreate(Event** event);
Error cudaEventCreateWithFlags(Event** event, unsigned flags);
Error cudaEventDestroy(Event* event);
Error cudaEventRecord(Event* event, Stream* stream);
Error cudaEventRecordWithFlags(Event* event, Stream* stream, unsigned flags);
Error cudaEventQuery(Event* event);
Error cudaEventSynchronize(Event* event);
Error cudaEventElapsedTime(float* milliseconds, Event* start, Event* end);

// graphs
Error cudaGraphCreate(Graph** graph, unsigned flags);
Error cudaGraphDestroy(Graph* graph);
Error cudaGraphClone(Graph** clone, Graph* original);
Error cudaGraphAddKernelNode(GraphNode** node, Graph* graph, GraphNode* const* dependencies,
                             std::size_t count, const KernelNodeParameters* parameters);
Error cudaGraphAddMemcpyNode(GraphNode** node, Graph* graph, GraphNode* const* dependencies,
                             std::size_t count, const Copy3DParameters* parameters);
Error cudaGraphAddMemcpyNode1D(GraphNode** node, Graph* graph, GraphNode* const* dependencies,
                               std::size_t count, void* destination, const void* source,
                               std::size_t bytes, CopyKind kind);
Error cudaGraphAddMemsetNode(GraphNode** node, Graph* graph, GraphNode* const* dependencies,
                             std::size_t count, const MemsetNodeParameters* parameters);
Error cudaGraphAddHostNode(GraphNode** node, Graph* graph, GraphNode* const* dependencies,
                           std::size_t count, const HostNodeParameters* parameters);
Error cudaGraphAddEmptyNode(GraphNode** node, Graph* graph, GraphNode* const* dependencies,
                            std::size_t count);
Error cudaGraphAddChildGraphNode(GraphNode** node, Graph* graph, GraphNode* const* dependencies,
                                 std::size_t count, Graph* child);
Error cudaGraphAddDependencies(Graph* graph, GraphNode* const* from, GraphNode* const* to,
                               const void* edge_data, std::size_t count);
Error cudaGraphAddDependencies_12(Graph* graph, GraphNode* const* from, GraphNode* const* to,
                                  std::size_t count);
Error cudaGraphGetNodes(Graph* graph, GraphNode** nodes, std::size_t* count);
Error cudaGraphGetRootNodes(Graph* graph, GraphNode** nodes, std::size_t* count);
Error cudaGraphNodeGetType(GraphNode* node, int* type);
Error cudaGraphKernelNodeGetParams(GraphNode* node, KernelNodeParameters* parameters);
Error cudaGraphKernelNodeSetParams(GraphNode* node, const KernelNodeParameters* parameters);
Error cudaGraphInstantiate(GraphExecutable** executable, Graph* graph, unsigned long long flags);
Error cudaGraphInstantiateWithFlags(GraphExecutable** executable, Graph* graph,
                                    unsigned long long flags);
Error cudaGraphInstantiateWithParams(GraphExecutable** executable, Graph* graph,
                                     GraphInstantiateParameters* parameters);
Error cudaGraphExecDestroy(GraphExecutable* executable);
Error cudaGraphExecKernelNodeSetParams(GraphExecutable* executable, GraphNode* node,
                                       const KernelNodeParameters* parameters);
Error cudaGraphExecMemcpyNodeSetParams1D(GraphExecutable* executable, GraphNode* node,
                                         void* destination, const void* source, std::size_t bytes,
                                         CopyKind kind);
Error cudaGraphExecUpdate(GraphExecutable* executable, Graph* graph, GraphUpdateResult* result);
Error cudaGraphUpload(GraphExecutable* executable, Stream* stream);
Error cudaGraphLaunch(GraphExecutable* executable, Stream* stream);

}  // namespace wideload::preload::api

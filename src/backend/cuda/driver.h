#pragma once

#include <memory>
#include <string>
#include <type_traits>

namespace cavs::cuda {

// The part of CUDA's driver API that the library uses, declared from the documented binary interface. So the library
// builds without CUDA, and programs start on machines without a driver.

using Status = int;                        // CUresult
using DevicePointer = unsigned long long;  // CUdeviceptr
using DeviceNumber = int;                  // CUdevice
using ContextHandle = struct Context*;     // CUcontext
using StreamHandle = struct StreamOf*;     // CUstream
using EventHandle = struct EventOf*;       // CUevent
using ModuleHandle = struct ModuleOf*;     // CUmodule
using FunctionHandle = struct FunctionOf*;
using GraphHandle = struct GraphOf*;          // CUgraph
using GraphExecHandle = struct GraphExecOf*;  // CUgraphExec

/// CUlaunchAttribute and CUlaunchConfig.
struct LaunchAttribute {
  int id;
  int unused;
  union {
    int number;
    char bytes[64];
  };
};
struct LaunchConfig {
  unsigned grid[3], block[3], shared_bytes;
  StreamHandle stream;
  LaunchAttribute* attributes;
  unsigned attribute_count;
};
/// CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION: the launch may start before the previous launch has ended.
inline constexpr int kBeginsEarly = 6;

inline constexpr Status kSuccess = 0, kOutOfMemory = 2, kUnavailable = 46, kNoDevice = 100, kMemoryError = 214,
                        kLinkError = 220, kNotReady = 600, kIllegalAddress = 700, kLaunchTimeout = 702,
                        kAssertion = 710, kStackError = 714, kLaunchFailed = 719, kLaunchTooLarge = 720;

/// CUdevice_attribute
inline constexpr int kMaxThreadsPerBlock = 1, kProcessorCount = 16, kComputeMajor = 75, kComputeMinor = 76,
                     kCooperativeLaunch = 95, kMostSharedBytes = 97, kClockRate = 13, kMemoryClockRate = 36,
                     kMemoryBusWidth = 37;
/// CUfunction_attribute
inline constexpr int kMostDynamicShared = 8;
/// CUstream_flags, CUevent_flags
inline constexpr unsigned kNonBlocking = 1, kEventDefault = 0;
/// CU_STREAM_CAPTURE_MODE_THREAD_LOCAL
inline constexpr int kThreadLocal = 1;

/// All functions of the driver that the library calls, as f(member, symbol, type).
// clang-format off
#define CAVS_CUDA_DRIVER(f) \
  f(initialise, "cuInit", Status(unsigned flags)) \
  f(error_name, "cuGetErrorName", Status(Status, const char** name)) \
  f(error_text, "cuGetErrorString", Status(Status, const char** text)) \
  f(version, "cuDriverGetVersion", Status(int* version)) \
  f(device_count, "cuDeviceGetCount", Status(int* count)) \
  f(device_get, "cuDeviceGet", Status(DeviceNumber*, int number)) \
  f(device_name, "cuDeviceGetName", Status(char* name, int bytes, DeviceNumber)) \
  f(device_attribute, "cuDeviceGetAttribute", Status(int* value, int attribute, DeviceNumber)) \
  f(retain_context, "cuDevicePrimaryCtxRetain", Status(ContextHandle*, DeviceNumber)) \
  f(release_context, "cuDevicePrimaryCtxRelease_v2", Status(DeviceNumber)) \
  f(set_context, "cuCtxSetCurrent", Status(ContextHandle)) \
  f(memory_info, "cuMemGetInfo_v2", Status(std::size_t* free, std::size_t* all)) \
  f(allocate, "cuMemAlloc_v2", Status(DevicePointer*, std::size_t bytes)) \
  f(free, "cuMemFree_v2", Status(DevicePointer)) \
  f(allocate_host, "cuMemHostAlloc", Status(void**, std::size_t bytes, unsigned flags)) \
  f(free_host, "cuMemFreeHost", Status(void*)) \
  f(upload, "cuMemcpyHtoDAsync_v2", Status(DevicePointer, const void*, std::size_t bytes, StreamHandle)) \
  f(download, "cuMemcpyDtoHAsync_v2", Status(void*, DevicePointer, std::size_t bytes, StreamHandle)) \
  f(copy, "cuMemcpyDtoDAsync_v2", Status(DevicePointer, DevicePointer, std::size_t bytes, StreamHandle)) \
  f(fill, "cuMemsetD32Async", Status(DevicePointer, unsigned value, std::size_t count, StreamHandle)) \
  f(create_stream, "cuStreamCreateWithPriority", Status(StreamHandle*, unsigned flags, int priority)) \
  f(destroy_stream, "cuStreamDestroy_v2", Status(StreamHandle)) \
  f(synchronise, "cuStreamSynchronize", Status(StreamHandle)) \
  f(wait_event, "cuStreamWaitEvent", Status(StreamHandle, EventHandle, unsigned flags)) \
  f(create_event, "cuEventCreate", Status(EventHandle*, unsigned flags)) \
  f(destroy_event, "cuEventDestroy_v2", Status(EventHandle)) \
  f(record, "cuEventRecord", Status(EventHandle, StreamHandle)) \
  f(synchronise_event, "cuEventSynchronize", Status(EventHandle)) \
  f(query_event, "cuEventQuery", Status(EventHandle)) \
  f(elapsed, "cuEventElapsedTime", Status(float* milliseconds, EventHandle begin, EventHandle end)) \
  f(load_module, "cuModuleLoadData", Status(ModuleHandle*, const void* image)) \
  f(unload_module, "cuModuleUnload", Status(ModuleHandle)) \
  f(get_function, "cuModuleGetFunction", Status(FunctionHandle*, ModuleHandle, const char* name)) \
  f(set_function_attribute, "cuFuncSetAttribute", Status(FunctionHandle, int attribute, int value)) \
  f(active_blocks, "cuOccupancyMaxActiveBlocksPerMultiprocessor", Status(int* blocks, FunctionHandle, int threads, \
    std::size_t shared_bytes)) \
  f(launch, "cuLaunchCooperativeKernel", Status(FunctionHandle, unsigned grid_x, unsigned grid_y, unsigned grid_z, \
    unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes, StreamHandle, void** arguments)) \
  f(launch_by, "cuLaunchKernelEx", Status(const LaunchConfig*, FunctionHandle, void** arguments, void** extra)) \
  f(begin_capture, "cuStreamBeginCapture_v2", Status(StreamHandle, int mode)) \
  f(end_capture, "cuStreamEndCapture", Status(StreamHandle, GraphHandle*)) \
  f(instantiate, "cuGraphInstantiateWithFlags", Status(GraphExecHandle*, GraphHandle, unsigned long long flags)) \
  f(launch_graph, "cuGraphLaunch", Status(GraphExecHandle, StreamHandle)) \
  f(destroy_graph, "cuGraphDestroy", Status(GraphHandle)) \
  f(destroy_graph_exec, "cuGraphExecDestroy", Status(GraphExecHandle))
// clang-format on

/// NVRTC, which compiles CUDA C++ without a driver.
using NvrtcStatus = int;                 // nvrtcResult
using NvrtcProgram = struct ProgramOf*;  // nvrtcProgram
inline constexpr NvrtcStatus kNvrtcCompilation = 6;
// clang-format off
#define CAVS_NVRTC(f) \
  f(error_text, "nvrtcGetErrorString", const char*(NvrtcStatus)) \
  f(version, "nvrtcVersion", NvrtcStatus(int* major, int* minor)) \
  f(architecture_count, "nvrtcGetNumSupportedArchs", NvrtcStatus(int* count)) \
  f(architectures, "nvrtcGetSupportedArchs", NvrtcStatus(int* numbers)) \
  f(create, "nvrtcCreateProgram", NvrtcStatus(NvrtcProgram*, const char* source, const char* name, int headers, \
    const char* const* header_sources, const char* const* header_names)) \
  f(destroy, "nvrtcDestroyProgram", NvrtcStatus(NvrtcProgram*)) \
  f(compile, "nvrtcCompileProgram", NvrtcStatus(NvrtcProgram, int count, const char* const* options)) \
  f(log_size, "nvrtcGetProgramLogSize", NvrtcStatus(NvrtcProgram, std::size_t*)) \
  f(log, "nvrtcGetProgramLog", NvrtcStatus(NvrtcProgram, char*)) \
  f(cubin_size, "nvrtcGetCUBINSize", NvrtcStatus(NvrtcProgram, std::size_t*)) \
  f(cubin, "nvrtcGetCUBIN", NvrtcStatus(NvrtcProgram, char*))
// clang-format on

#define CAVS_MEMBER(member, symbol, ...) std::add_pointer_t<__VA_ARGS__> member = nullptr;

/// The functions of CUDA's driver. It is a value, so tests and tools may set other functions.
struct Driver {
  CAVS_CUDA_DRIVER(CAVS_MEMBER)
  std::shared_ptr<void> library;  // the library that contains the functions; it stays open while it is referenced
  std::string library_name;
};

struct Nvrtc {
  CAVS_NVRTC(CAVS_MEMBER)
  std::shared_ptr<void> library;
  std::string library_name;
};

#undef CAVS_MEMBER

/// Returns the value of an environment variable; "" if it is not set.
std::string from_environment(const char* name);

/// Opens libcuda.so.1, or the library that CAVS_CUDA_DRIVER in the environment gives. Accesses no device.
/// @throws UserError that says what is missing and what to install.
Driver open_driver();

/// Returns the folder of Python packages that contains this library; "" if the library is not in a Python module.
std::string python_packages();

/// Opens NVRTC: the library in the environment variable CAVS_NVRTC. Else libnvrtc of CUDA 13 or 12 that the process has
/// loaded, that the system finds, that is in /usr/local/cuda, or that is in packages from PyPI.
/// @param driver_version  as cuDriverGetVersion returns it; 0 if unknown. The driver cannot load code from an NVRTC of
/// a newer major version, so such an NVRTC is used only if there is no other
/// @param packages        the folder of packages from PyPI; "" if there is none
/// @throws UserError as open_driver().
Nvrtc open_nvrtc(int driver_version = 0, const std::string& packages = python_packages());

/// @throws UserError with the call and CUDA's reason, unless `status` is success.
void check(const Driver& driver, Status status, const char* call);

}  // namespace cavs::cuda

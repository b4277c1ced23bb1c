// The functions of CUDA's driver in the stand-in, a shared library that replaces libcuda.so.1 in tests.

#include <algorithm>
#include <cstring>

#include "cuda/standin/device_model.h"

using namespace cavs::cuda;  // NOLINT: all names are the driver's

namespace {

DeviceModel& model() { return DeviceModel::current(); }

const char* name_of(Status status) {
  switch (status) {
    case 0:
      return "CUDA_SUCCESS";
    case 1:
      return "CUDA_ERROR_INVALID_VALUE";
    case kOutOfMemory:
      return "CUDA_ERROR_OUT_OF_MEMORY";
    case kUnavailable:
      return "CUDA_ERROR_DEVICE_UNAVAILABLE";
    case kNoDevice:
      return "CUDA_ERROR_NO_DEVICE";
    case 200:
      return "CUDA_ERROR_INVALID_IMAGE";
    case 209:
      return "CUDA_ERROR_NO_BINARY_FOR_GPU";
    case 500:
      return "CUDA_ERROR_NOT_FOUND";
    case kNotReady:
      return "CUDA_ERROR_NOT_READY";
    case kIllegalAddress:
      return "CUDA_ERROR_ILLEGAL_ADDRESS";
    case kLaunchFailed:
      return "CUDA_ERROR_LAUNCH_FAILED";
    case kLaunchTooLarge:
      return "CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE";
    default:
      return nullptr;
  }
}

}  // namespace

extern "C" {

/// For tests: returns the text of all misuse since the last call; empty if there was none.
const char* cavs_standin_faults() {
  static std::string text;
  text.clear();
  for (int device = 0; device < DeviceModel::kMost; ++device) text += DeviceModel::of(device).take_faults();
  return text.c_str();
}
long long cavs_standin_launches_of(int device) { return DeviceModel::of(device).launches(); }
const char* cavs_standin_failed_kernel() { return DeviceModel::of(0).failed_kernel().c_str(); }
long long cavs_standin_launches() { return cavs_standin_launches_of(0); }
long long cavs_standin_copied_bytes() { return DeviceModel::of(0).copied_bytes(); }
long long cavs_standin_graph_launches() { return DeviceModel::of(0).graph_launches(); }
long long cavs_standin_waits() { return DeviceModel::of(0).waits(); }
long long cavs_standin_event_waits() { return DeviceModel::of(0).event_waits(); }
/// For tests: treats memory of a framework as memory of the GPU.
void cavs_standin_lend(void* at, std::size_t bytes) { DeviceModel::of(0).lend(at, bytes); }
long long cavs_standin_uploads_beside_launches() { return DeviceModel::of(0).uploads_beside_launches(); }

Status cuInit(unsigned) { return StandIn::of_environment().devices > 0 ? kSuccess : kNoDevice; }
Status cuGetErrorName(Status status, const char** name) {
  *name = name_of(status);
  return *name == nullptr ? 1 : kSuccess;
}
Status cuGetErrorString(Status status, const char** text) {
  *text = name_of(status) == nullptr ? nullptr : "of the stand-in";
  return *text == nullptr ? 1 : kSuccess;
}
Status cuDriverGetVersion(int* version) {
  *version = 13000;
  return kSuccess;
}
Status cuDeviceGetCount(int* count) {
  *count = StandIn::of_environment().devices;
  return kSuccess;
}
Status cuDeviceGet(DeviceNumber* device, int number) {
  const int devices = std::min(StandIn::of_environment().devices, DeviceModel::kMost);
  if (number >= devices) return 101;  // CUDA_ERROR_INVALID_DEVICE
  *device = number;
  return kSuccess;
}
Status cuDeviceGetName(char* name, int bytes, DeviceNumber) {
  std::strncpy(name, "a stand-in", static_cast<std::size_t>(bytes));
  return kSuccess;
}
Status cuDeviceGetAttribute(int* value, int attribute, DeviceNumber) {
  const StandIn like = StandIn::of_environment();
  switch (attribute) {
    case kMaxThreadsPerBlock:
      *value = like.threads;
      return kSuccess;
    case kProcessorCount:
      *value = like.processors;
      return kSuccess;
    case kComputeMajor:
      *value = like.compute / 10;
      return kSuccess;
    case kComputeMinor:
      *value = like.compute % 10;
      return kSuccess;
    case kCooperativeLaunch:
      *value = like.cooperative;
      return kSuccess;
    case kClockRate:
      *value = 1'755'000;
      return kSuccess;
    case kMemoryClockRate:
      *value = 2'619'000;
      return kSuccess;
    case kMemoryBusWidth:
      *value = 5120;
      return kSuccess;
    case kMostSharedBytes:
      *value = like.shared;
      return kSuccess;
    default:
      return model().fault("the stand-in does not know the requested attribute of the device");
  }
}
Status cuDevicePrimaryCtxRetain(ContextHandle* context, DeviceNumber device) {
  *context = reinterpret_cast<ContextHandle>(&DeviceModel::of(device));
  return DeviceModel::of(device).retain();
}
Status cuDevicePrimaryCtxRelease_v2(DeviceNumber device) { return DeviceModel::of(device).release(); }
Status cuCtxSetCurrent(ContextHandle context) {
  return context == nullptr ? DeviceModel::make_none_current()
                            : reinterpret_cast<DeviceModel*>(context)->make_current();
}

Status cuMemGetInfo_v2(std::size_t* free, std::size_t* all) {
  return model().in_context("cuMemGetInfo", [&] {
    *free = static_cast<std::size_t>(std::max<std::int64_t>(0, model().free_memory()));
    *all = static_cast<std::size_t>(StandIn::of_environment().memory);
    return kSuccess;
  });
}
Status cuMemAlloc_v2(DevicePointer* at, std::size_t bytes) {
  return model().in_context("cuMemAlloc", [&] { return model().allocate(at, bytes); });
}
Status cuMemFree_v2(DevicePointer at) {
  return model().in_context("cuMemFree", [&] { return model().free(at); });
}
Status cuMemHostAlloc(void** at, std::size_t bytes, unsigned) {
  return model().in_context("cuMemHostAlloc", [&] { return model().allocate_host(at, bytes); });
}
Status cuMemFreeHost(void* at) {
  return model().in_context("cuMemFreeHost", [&] { return model().free_host(at); });
}
Status cuMemcpyHtoDAsync_v2(DevicePointer to, const void* from, std::size_t bytes, StreamHandle stream) {
  return model().in_context("cuMemcpyHtoDAsync",
                            [&] { return model().upload(to, from, bytes, model().stream_of(stream)); });
}
Status cuMemcpyDtoHAsync_v2(void* to, DevicePointer from, std::size_t bytes, StreamHandle stream) {
  return model().in_context("cuMemcpyDtoHAsync",
                            [&] { return model().download(to, from, bytes, model().stream_of(stream)); });
}
Status cuMemcpyDtoDAsync_v2(DevicePointer to, DevicePointer from, std::size_t bytes, StreamHandle stream) {
  return model().in_context("cuMemcpyDtoDAsync",
                            [&] { return model().copy(to, from, bytes, model().stream_of(stream)); });
}
Status cuMemsetD32Async(DevicePointer to, unsigned value, std::size_t count, StreamHandle stream) {
  return model().in_context("cuMemsetD32Async",
                            [&] { return model().fill(to, value, count, model().stream_of(stream)); });
}

Status cuStreamCreateWithPriority(StreamHandle* stream, unsigned, int priority) {
  return model().in_context("cuStreamCreateWithPriority", [&] {
    *stream = model().create_stream(priority);
    return kSuccess;
  });
}
Status cuStreamDestroy_v2(StreamHandle stream) {
  return model().in_context("cuStreamDestroy", [&] { return model().destroy_stream(stream); });
}
Status cuStreamSynchronize(StreamHandle stream) {
  double end = 0;
  const Status status = model().in_context("cuStreamSynchronize", [&] {
    StreamOf* const waited = model().stream_of(stream);
    const Status done = model().synchronise(waited);
    if (done == kSuccess) end = waited->clock;
    return done;
  });
  DeviceModel::wait_until(end);
  return status;
}
Status cuStreamWaitEvent(StreamHandle stream, EventHandle event, unsigned) {
  return model().in_context("cuStreamWaitEvent", [&] { return model().wait_event(model().stream_of(stream), event); });
}
Status cuEventCreate(EventHandle* event, unsigned) {
  return model().in_context("cuEventCreate", [&] {
    *event = model().create_event();
    return kSuccess;
  });
}
Status cuEventDestroy_v2(EventHandle event) {
  return model().in_context("cuEventDestroy", [&] { return model().destroy_event(event); });
}
Status cuEventRecord(EventHandle event, StreamHandle stream) {
  return model().in_context("cuEventRecord", [&] { return model().record(event, model().stream_of(stream)); });
}
Status cuEventSynchronize(EventHandle event) {
  double end = 0;
  const Status status = model().in_context("cuEventSynchronize", [&] {
    const Status done = model().synchronise(event);
    if (done == kSuccess) end = event->time;
    return done;
  });
  DeviceModel::wait_until(end);
  return status;
}
Status cuEventQuery(EventHandle event) {
  return model().in_context("cuEventQuery", [&] { return model().query(event); });
}
Status cuEventElapsedTime(float* milliseconds, EventHandle begin, EventHandle end) {
  return model().in_context("cuEventElapsedTime", [&] {
    if (begin->done == 0 || end->done < end->recorded) return kNotReady;
    *milliseconds = static_cast<float>(end->time - begin->time);
    return kSuccess;
  });
}

Status cuModuleLoadData(ModuleHandle* module, const void* image) {
  return model().in_context("cuModuleLoadData", [&] { return model().load(module, image); });
}
Status cuModuleUnload(ModuleHandle module) {
  return model().in_context("cuModuleUnload", [&] { return model().unload(module); });
}
Status cuModuleGetFunction(FunctionHandle* function, ModuleHandle module, const char* name) {
  return model().in_context("cuModuleGetFunction", [&] { return model().find(function, module, name); });
}
Status cuFuncSetAttribute(FunctionHandle function, int attribute, int value) {
  return model().in_context("cuFuncSetAttribute", [&] {
    return attribute == kMostDynamicShared ? model().allow_shared(function, value)
                                           : model().fault("an attribute is set that the stand-in does not know");
  });
}
Status cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, FunctionHandle function, int threads,
                                                   std::size_t shared_bytes) {
  return model().in_context("cuOccupancyMaxActiveBlocksPerMultiprocessor", [&] {
    const CubinTrailer& trailer = function->module->trailer;
    const bool fits = !function->runs() ||
                      (threads == trailer.threads &&
                       trailer.static_shared + static_cast<int>(shared_bytes) <= StandIn::of_environment().shared);
    *blocks = fits ? 1 : 0;
    return kSuccess;
  });
}
Status cuLaunchCooperativeKernel(FunctionHandle function, unsigned blocks, unsigned, unsigned, unsigned threads,
                                 unsigned, unsigned, unsigned shared_bytes, StreamHandle stream, void** arguments) {
  return model().in_context("cuLaunchCooperativeKernel", [&] {
    return model().launch(function, blocks, threads, shared_bytes, arguments[0], model().stream_of(stream));
  });
}
Status cuLaunchKernelEx(const LaunchConfig* config, FunctionHandle function, void** arguments, void**) {
  return model().in_context("cuLaunchKernelEx", [&] {
    return model().launch(function, config->grid[0], config->block[0], config->shared_bytes, arguments[0],
                          model().stream_of(config->stream));
  });
}
Status cuStreamBeginCapture_v2(StreamHandle stream, int) {
  return model().in_context("cuStreamBeginCapture", [&] { return model().begin_capture(stream); });
}
Status cuStreamEndCapture(StreamHandle stream, GraphHandle* graph) {
  return model().in_context("cuStreamEndCapture", [&] { return model().end_capture(stream, graph); });
}
Status cuGraphInstantiateWithFlags(GraphExecHandle* exec, GraphHandle graph, unsigned long long) {
  return model().in_context("cuGraphInstantiate", [&] { return model().instantiate(exec, graph); });
}
Status cuGraphLaunch(GraphExecHandle exec, StreamHandle stream) {
  return model().in_context("cuGraphLaunch", [&] { return model().launch(exec, model().stream_of(stream)); });
}
Status cuGraphDestroy(GraphHandle graph) {
  return model().in_context("cuGraphDestroy", [&] { return model().destroy(graph); });
}
Status cuGraphExecDestroy(GraphExecHandle exec) {
  return model().in_context("cuGraphExecDestroy", [&] { return model().destroy(exec); });
}

}  // extern "C"

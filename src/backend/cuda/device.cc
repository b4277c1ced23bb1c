#include "backend/cuda/device.h"

#include <algorithm>

#include "support/bytes.h"
#include "support/check.h"

namespace cavs::cuda {

DeviceRef Device::open(Driver driver, int index) {
  const Status status = driver.initialise(0);
  int count = 0;
  if (status == kSuccess) check(driver, driver.device_count(&count), "cuDeviceGetCount");
  user_check(status != kNoDevice && (status != kSuccess || count > 0),
             "CUDA's driver finds no GPU; check nvidia-smi and CUDA_VISIBLE_DEVICES, or use "
             "device cpu");
  check(driver, status, "cuInit");
  user_check(index < count, "there is no device cuda:{}; CUDA shows {} GPU{}, from cuda:0 on", index, count,
             count == 1 ? "" : "s");
  DeviceNumber number = 0;
  check(driver, driver.device_get(&number, index), "cuDeviceGet");
  return DeviceRef(new Device(std::move(driver), number));
}

Device::Device(Driver driver, DeviceNumber number) : driver_(std::move(driver)), number_(number) {
  char name[256] = {};
  check(driver_, driver_.device_name(name, sizeof name - 1, number), "cuDeviceGetName");
  const auto attribute = [&](int which) {
    int value = 0;
    check(driver_, driver_.device_attribute(&value, which, number), "cuDeviceGetAttribute");
    return value;
  };
  properties_ = {.name = name,
                 .compute = 10 * attribute(kComputeMajor) + attribute(kComputeMinor),
                 .processors = attribute(kProcessorCount),
                 .max_threads = attribute(kMaxThreadsPerBlock),
                 .shared_bytes = attribute(kMostSharedBytes),
                 .is_cooperative = attribute(kCooperativeLaunch) != 0,
                 .clock_khz = attribute(kClockRate),
                 .memory_clock_khz = attribute(kMemoryClockRate),
                 .memory_bus_bits = attribute(kMemoryBusWidth)};
  check(driver_, driver_.version(&properties_.driver_version), "cuDriverGetVersion");
  check(driver_, driver_.retain_context(&context_, number), "cuDevicePrimaryCtxRetain");
}

Device::~Device() { driver_.release_context(number_); }

void Device::make_current() const { check(driver_, driver_.set_context(context_), "cuCtxSetCurrent"); }

std::int64_t Device::free_memory() const {
  std::size_t free = 0, all = 0;
  call("cuMemGetInfo", driver_.memory_info, &free, &all);
  return static_cast<std::int64_t>(free);
}

namespace {

/// Returns a new size, larger by at least half, so that a small increase later needs no allocation.
std::int64_t grown(std::int64_t from, std::int64_t to) { return std::max(to, from + from / 2); }

}  // namespace

void DeviceMemory::reserve(std::int64_t bytes) {
  if (bytes <= bytes_) return;
  const std::int64_t more = grown(bytes_, bytes);
  free();
  device_->make_current();
  Status status = device_->driver().allocate(&pointer_, static_cast<std::size_t>(more));
  bytes_ = more;
  if (status == kOutOfMemory && more > bytes) {
    status = device_->driver().allocate(&pointer_, static_cast<std::size_t>(bytes));
    bytes_ = bytes;
  }
  if (status != kSuccess) {
    pointer_ = 0;
    bytes_ = 0;
  }
  user_check(status != kOutOfMemory,
             "not enough GPU memory: {} are needed in one piece, {} are free; try a smaller batch or hidden "
             "size, or end other programs that use the GPU",
             format_bytes(bytes), format_bytes(device_->free_memory()));
  check(device_->driver(), status, "cuMemAlloc");
}

void DeviceMemory::free() {
  if (pointer_ == 0) return;
  device_->try_make_current();
  device_->driver().free(pointer_);
  pointer_ = 0;
  bytes_ = 0;
}

DeviceMemory::~DeviceMemory() { free(); }

void PinnedMemory::reserve(std::int64_t bytes) {
  if (bytes <= bytes_) return;
  const std::int64_t more = grown(bytes_, bytes);
  free();
  device_->call("cuMemHostAlloc", device_->driver().allocate_host, &pointer_, static_cast<std::size_t>(more), 0U);
  bytes_ = more;
}

void PinnedMemory::free() {
  if (pointer_ == nullptr) return;
  device_->try_make_current();
  device_->driver().free_host(pointer_);
  pointer_ = nullptr;
  bytes_ = 0;
}

PinnedMemory::~PinnedMemory() { free(); }

Event::Event(DeviceRef device) : device_(std::move(device)) {
  device_->call("cuEventCreate", device_->driver().create_event, &handle_, kEventDefault);
}

Event::~Event() {
  device_->try_make_current();
  device_->driver().destroy_event(handle_);
}

void Event::synchronise() const { device_->call("cuEventSynchronize", device_->driver().synchronise_event, handle_); }

bool Event::is_done() const {
  device_->make_current();
  const Status status = device_->driver().query_event(handle_);
  if (status != kNotReady) check(device_->driver(), status, "cuEventQuery");
  return status == kSuccess;
}

double Event::milliseconds_since(const Event& begin) const {
  float milliseconds = 0;
  device_->call("cuEventElapsedTime", device_->driver().elapsed, &milliseconds, begin.handle_, handle_);
  return milliseconds;
}

Stream::Stream(DeviceRef device, Priority priority) : device_(std::move(device)), is_owned_(true) {
  device_->call("cuStreamCreateWithPriority", device_->driver().create_stream, &handle_, kNonBlocking,
                static_cast<int>(priority));
}

Stream::Stream(DeviceRef device, StreamHandle borrowed)
    : device_(std::move(device)), handle_(borrowed), is_owned_(false) {}

/// Waits, because work in progress may use memory that its owner frees next.
Stream::~Stream() {
  if (!is_owned_) return;
  device_->try_make_current();
  device_->driver().synchronise(handle_);
  device_->driver().destroy_stream(handle_);
}

void Stream::upload(DevicePointer to, const void* from, std::int64_t bytes) const {
  if (bytes > 0)
    device_->call("cuMemcpyHtoDAsync", device_->driver().upload, to, from, static_cast<std::size_t>(bytes), handle_);
}

void Stream::download(void* to, DevicePointer from, std::int64_t bytes) const {
  if (bytes > 0)
    device_->call("cuMemcpyDtoHAsync", device_->driver().download, to, from, static_cast<std::size_t>(bytes), handle_);
}

void Stream::copy(DevicePointer to, DevicePointer from, std::int64_t bytes) const {
  if (bytes > 0)
    device_->call("cuMemcpyDtoDAsync", device_->driver().copy, to, from, static_cast<std::size_t>(bytes), handle_);
}

void Stream::clear(DevicePointer at, std::int64_t bytes) const {
  CAVS_ASSERT(bytes % 4 == 0);
  device_->call("cuMemsetD32Async", device_->driver().fill, at, 0U, static_cast<std::size_t>(bytes / 4), handle_);
}

void Stream::record(const Event& event) const {
  device_->call("cuEventRecord", device_->driver().record, event.handle(), handle_);
}

void Stream::wait_for(const Event& event) const {
  device_->call("cuStreamWaitEvent", device_->driver().wait_event, handle_, event.handle(), 0U);
}

void Stream::synchronise() const { device_->call("cuStreamSynchronize", device_->driver().synchronise, handle_); }

Module::Module(DeviceRef device, const void* cubin) : device_(std::move(device)) {
  device_->call("cuModuleLoadData", device_->driver().load_module, &handle_, cubin);
}

Module::~Module() {
  device_->try_make_current();
  device_->driver().unload_module(handle_);
}

Kernel::Kernel(std::shared_ptr<const Module> module, const char* name, int shared_bytes)
    : module_(std::move(module)), shared_bytes_(shared_bytes) {
  const Driver& driver = device().driver();
  device().call("cuModuleGetFunction", driver.get_function, &function_, module_->handle(), name);
  if (shared_bytes > 0)
    device().call("cuFuncSetAttribute", driver.set_function_attribute, function_, kMostDynamicShared, shared_bytes);
}

int Kernel::blocks_per_processor(int threads) const {
  int blocks = 0;
  device().call("cuOccupancyMaxActiveBlocksPerMultiprocessor", device().driver().active_blocks, &blocks, function_,
                threads, static_cast<std::size_t>(shared_bytes_));
  return blocks;
}

void Kernel::launch_together_with(const Stream& stream, int blocks, int threads, void** arguments) const {
  device().call("cuLaunchCooperativeKernel", device().driver().launch, function_, static_cast<unsigned>(blocks), 1U, 1U,
                static_cast<unsigned>(threads), 1U, 1U, static_cast<unsigned>(shared_bytes_), stream.handle(),
                arguments);
}

void Kernel::launch_with(const Stream& stream, int blocks, int threads, void** arguments, bool begins_early) const {
  LaunchAttribute attribute{.id = kBeginsEarly, .unused = 0, .bytes = {}};
  attribute.number = 1;
  const LaunchConfig config{.grid = {static_cast<unsigned>(blocks), 1, 1},
                            .block = {static_cast<unsigned>(threads), 1, 1},
                            .shared_bytes = static_cast<unsigned>(shared_bytes_),
                            .stream = stream.handle(),
                            .attributes = &attribute,
                            .attribute_count = begins_early ? 1U : 0U};
  device().call("cuLaunchKernelEx", device().driver().launch_by, &config, function_, arguments,
                static_cast<void**>(nullptr));
}

Graph::Graph(DeviceRef device, const Stream& stream, const std::function<void()>& launches)
    : device_(std::move(device)) {
  const Driver& driver = device_->driver();
  GraphHandle captured = nullptr;
  device_->call("cuStreamBeginCapture", driver.begin_capture, stream.handle(), kThreadLocal);
  try {
    launches();
  } catch (...) {
    driver.end_capture(stream.handle(), &captured);
    throw;
  }
  device_->call("cuStreamEndCapture", driver.end_capture, stream.handle(), &captured);
  const Status status = driver.instantiate(&handle_, captured, 0ULL);
  driver.destroy_graph(captured);
  check(driver, status, "cuGraphInstantiate");
}

Graph::~Graph() {
  device_->try_make_current();
  device_->driver().destroy_graph_exec(handle_);
}

void Graph::launch(const Stream& stream) const {
  device_->call("cuGraphLaunch", device_->driver().launch_graph, handle_, stream.handle());
}

}  // namespace cavs::cuda

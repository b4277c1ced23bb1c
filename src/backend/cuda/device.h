#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "backend/cuda/driver.h"

namespace cavs::cuda {

inline constexpr int kOldestCompute = 80;  // sm_80, the oldest GPU with the instruction `mma` for bf16

/// Properties of a GPU, as CUDA reports them.
struct DeviceProperties {
  std::string name;
  int compute = 0;                      // 10 * major + minor version; 90 for sm_90
  int processors = 0, max_threads = 0;  // multiprocessors; most threads of a block
  int shared_bytes = 0;                 // most shared memory of a block
  bool is_cooperative = false;          // true if the blocks of a launch can wait for each other
  int clock_khz = 0, memory_clock_khz = 0, memory_bus_bits = 0;
  int driver_version = 0;  // CUDA version of the driver; 12030 for 12.3

  std::string architecture() const { return "sm_" + std::to_string(compute); }
};

/// A GPU's primary context. Memory, streams and kernels of the GPU keep it alive. Threads may share it. A thread must
/// make it current before calling the driver; the members of this file's classes do so.
class Device {
 public:
  /// @param index  number among the GPUs that CUDA shows (see CUDA_VISIBLE_DEVICES). @throws UserError if there is none
  static std::shared_ptr<const Device> open(Driver driver, int index = 0);
  ~Device();
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  const Driver& driver() const { return driver_; }
  const DeviceProperties& properties() const { return properties_; }
  /// Returns the number of free bytes.
  std::int64_t free_memory() const;
  /// True if both objects are for the same GPU.
  bool is_same(const Device& other) const { return context_ == other.context_; }
  void make_current() const;
  /// Makes the context current in a destructor. Ignores errors, which the failing call has already reported.
  void try_make_current() const noexcept { driver_.set_context(context_); }
  /// Calls a function of the driver on the calling thread. @throws UserError with the call's name
  template <typename... Parameters, typename... Arguments>
  void call(const char* name, Status (*function)(Parameters...), Arguments... arguments) const {
    make_current();
    check(driver_, function(arguments...), name);
  }

 private:
  Device(Driver driver, DeviceNumber number);

  Driver driver_;
  DeviceNumber number_;
  ContextHandle context_ = nullptr;
  DeviceProperties properties_;
};

using DeviceRef = std::shared_ptr<const Device>;

/// Memory of the GPU, or pinned memory of the host for asynchronous copies. Growing the memory loses its contents, so
/// no work may be using it.
class DeviceMemory {
 public:
  explicit DeviceMemory(DeviceRef device) : device_(std::move(device)) {}
  ~DeviceMemory();
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;

  /// Makes the memory at least this large. @throws UserError if the GPU does not have enough memory
  void reserve(std::int64_t bytes);
  std::int64_t bytes() const { return bytes_; }
  DevicePointer at(std::int64_t byte = 0) const { return pointer_ + static_cast<DevicePointer>(byte); }
  /// Returns a pointer for kernels. The host must not dereference it.
  template <typename T>
  T* as() const {
    return reinterpret_cast<T*>(pointer_);
  }

 private:
  void free();

  DeviceRef device_;
  DevicePointer pointer_ = 0;
  std::int64_t bytes_ = 0;
};

class PinnedMemory {
 public:
  explicit PinnedMemory(DeviceRef device) : device_(std::move(device)) {}
  ~PinnedMemory();
  PinnedMemory(const PinnedMemory&) = delete;
  PinnedMemory& operator=(const PinnedMemory&) = delete;

  void reserve(std::int64_t bytes);
  std::int64_t bytes() const { return bytes_; }
  template <typename T>
  T* as() const {
    return static_cast<T*>(pointer_);
  }

 private:
  void free();

  DeviceRef device_;
  void* pointer_ = nullptr;
  std::int64_t bytes_ = 0;
};

/// A point in the work of a stream.
class Event {
 public:
  explicit Event(DeviceRef device);
  ~Event();
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  EventHandle handle() const { return handle_; }
  void synchronise() const;
  /// True if the work before the event is done, or if the event was never recorded. Does not wait.
  bool is_done() const;
  /// Returns the time between two events by the GPU's clock. Both must be done.
  double milliseconds_since(const Event& begin) const;

 private:
  DeviceRef device_;
  EventHandle handle_ = nullptr;
};

/// Priority of a stream: the GPU's processors run blocks of kHigh first. The values are CUDA's.
enum class Priority : int { kHigh = -1, kLow = 0 };

/// A queue of work that runs in order. Copies are asynchronous: the host memory must not change until a copy is done.
class Stream {
 public:
  explicit Stream(DeviceRef device, Priority priority = Priority::kHigh);
  /// Wraps the caller's stream, which must outlive this object. nullptr is CUDA's default stream.
  Stream(DeviceRef device, StreamHandle borrowed);
  ~Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  StreamHandle handle() const { return handle_; }
  void upload(DevicePointer to, const void* from, std::int64_t bytes) const;
  void download(void* to, DevicePointer from, std::int64_t bytes) const;
  void copy(DevicePointer to, DevicePointer from, std::int64_t bytes) const;
  /// Sets memory to zero. @param bytes  a multiple of 4
  void clear(DevicePointer at, std::int64_t bytes) const;
  void record(const Event& event) const;
  /// Makes later work of this stream wait for the event.
  void wait_for(const Event& event) const;
  void synchronise() const;

 private:
  DeviceRef device_;
  StreamHandle handle_ = nullptr;
  const bool is_owned_;
};

/// A cubin (compiled kernels) that is loaded on a GPU.
class Module {
 public:
  /// @throws UserError if the GPU cannot load the cubin
  Module(DeviceRef device, const void* cubin);
  ~Module();
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;

  const DeviceRef& device() const { return device_; }
  ModuleHandle handle() const { return handle_; }

 private:
  DeviceRef device_;
  ModuleHandle handle_ = nullptr;
};

/// A kernel of a module. It keeps the module alive.
class Kernel {
 public:
  /// @param shared_bytes  dynamic shared memory per block
  /// @throws UserError if the module has no such kernel, or if the GPU does not have so much shared memory
  Kernel(std::shared_ptr<const Module> module, const char* name, int shared_bytes = 0);

  /// Returns the number of blocks of `threads` threads that a processor can run at a time.
  int blocks_per_processor(int threads) const;
  /// Launches blocks that all run at the same time and may wait for each other. @param argument  a structure (copied)
  template <typename Argument>
  void launch_together(const Stream& stream, int blocks, int threads, Argument argument) const {
    void* arguments[] = {&argument};
    launch_together_with(stream, blocks, threads, arguments);
  }
  /// Launches blocks that do not wait for each other.
  /// @param begins_early  true if the launch may start before the previous one has ended. Then the kernel itself waits
  template <typename Argument>
  void launch(const Stream& stream, int blocks, int threads, Argument argument, bool begins_early = false) const {
    void* arguments[] = {&argument};
    launch_with(stream, blocks, threads, arguments, begins_early);
  }

 private:
  void launch_together_with(const Stream& stream, int blocks, int threads, void** arguments) const;
  void launch_with(const Stream& stream, int blocks, int threads, void** arguments, bool begins_early) const;
  const Device& device() const { return *module_->device(); }

  std::shared_ptr<const Module> module_;
  FunctionHandle function_ = nullptr;
  int shared_bytes_;
};

/// A series of launches that is submitted by one call. Memory that the launches use must outlive the graph.
class Graph {
 public:
  /// @param stream    no other work may use it during the capture
  /// @param launches  function that submits launches to the stream; they are recorded in the graph, and not run
  Graph(DeviceRef device, const Stream& stream, const std::function<void()>& launches);
  ~Graph();
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  void launch(const Stream& stream) const;

 private:
  DeviceRef device_;
  GraphExecHandle handle_ = nullptr;
};

}  // namespace cavs::cuda

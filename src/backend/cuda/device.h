#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "backend/cuda/driver.h"

namespace cavs::cuda {

inline constexpr int kOldestCompute = 80;  // the persistent kernel needs `mma`

/// Properties of a GPU, as CUDA reports them.
struct DeviceProperties {
  std::string name;
  int compute = 0;  // 10 major + minor; 90 is sm_90
  int processors = 0, max_threads = 0;
  int shared_bytes = 0;  // shared memory that a block can have
  bool is_cooperative = false;
  int clock_khz = 0, memory_clock_khz = 0, memory_bus_bits = 0;
  int driver_version = 0;  // of CUDA; 12030 is 12.3

  std::string architecture() const { return "sm_" + std::to_string(compute); }
};

/// A GPU's primary context. Memory, streams and kernels of the GPU keep it alive. Threads may share it. Before a call
/// to the driver, a thread must make it current; the members of this file do so.
class Device {
 public:
  /// @param index  among the GPUs that CUDA shows (see CUDA_VISIBLE_DEVICES). @throws UserError if there is none
  static std::shared_ptr<const Device> open(Driver driver, int index = 0);
  ~Device();
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  const Driver& driver() const { return driver_; }
  const DeviceProperties& properties() const { return properties_; }
  /// Number of free bytes.
  std::int64_t free_memory() const;
  /// True if both are the same GPU.
  bool is_same(const Device& other) const { return context_ == other.context_; }
  void make_current() const;
  /// For destructors. Errors are ignored: the failing call has already reported them.
  void try_make_current() const noexcept { driver_.set_context(context_); }
  /// Calls a function of the driver on the calling thread. @throws UserError naming the call
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

/// Memory of the GPU, or pinned memory of the host for asynchronous copies. Growing it loses its contents, so nothing
/// may be using it.
class DeviceMemory {
 public:
  explicit DeviceMemory(DeviceRef device) : device_(std::move(device)) {}
  ~DeviceMemory();
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;

  /// Makes room for at least this many bytes. @throws UserError if the GPU does not have enough memory
  void reserve(std::int64_t bytes);
  std::int64_t bytes() const { return bytes_; }
  DevicePointer at(std::int64_t byte = 0) const { return pointer_ + static_cast<DevicePointer>(byte); }
  /// A pointer for kernels. The host must not dereference it.
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

/// A point in a stream's work.
class Event {
 public:
  explicit Event(DeviceRef device);
  ~Event();
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  EventHandle handle() const { return handle_; }
  void synchronise() const;
  /// True if the work before it is done, or if it was never recorded. Does not wait.
  bool is_done() const;
  double milliseconds_since(const Event& begin) const;

 private:
  DeviceRef device_;
  EventHandle handle_ = nullptr;
};

/// Blocks of a stream of high priority get the GPU's processors first. The values are CUDA's.
enum class Priority : int { kHigh = -1, kLow = 0 };

/// A queue of work that runs in order. Copies are asynchronous: their host memory must not change until they are done.
class Stream {
 public:
  explicit Stream(DeviceRef device, Priority priority = Priority::kHigh);
  /// Wraps the caller's stream, which must outlive this object; nullptr is CUDA's default stream.
  Stream(DeviceRef device, StreamHandle borrowed);
  ~Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  StreamHandle handle() const { return handle_; }
  void upload(DevicePointer to, const void* from, std::int64_t bytes) const;
  void download(void* to, DevicePointer from, std::int64_t bytes) const;
  void copy(DevicePointer to, DevicePointer from, std::int64_t bytes) const;
  void clear(DevicePointer at, std::int64_t bytes) const;
  void record(const Event& event) const;
  /// Makes later work wait for the event.
  void wait_for(const Event& event) const;
  void synchronise() const;

 private:
  DeviceRef device_;
  StreamHandle handle_ = nullptr;
  const bool is_owned_;
};

/// A loaded cubin.
class Module {
 public:
  /// @throws UserError if the GPU cannot load it
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

/// A kernel of a module. Keeps the module alive.
class Kernel {
 public:
  /// @param shared_bytes  dynamic shared memory per block
  /// @throws UserError if the module has no such kernel, or the GPU does not have this much shared memory
  Kernel(std::shared_ptr<const Module> module, const char* name, int shared_bytes = 0);

  /// Number of blocks of this many threads that a processor can hold at a time.
  int blocks_per_processor(int threads) const;
  /// Launches blocks that all run at the same time and may wait for each other. @param argument  a structure (copied)
  template <typename Argument>
  void launch_together(const Stream& stream, int blocks, int threads, Argument argument) const {
    void* arguments[] = {&argument};
    launch_together_with(stream, blocks, threads, arguments);
  }
  /// Launches blocks that do not wait for each other.
  /// @param begins_early  true if it may start before the previous launch has ended; the kernel itself then waits
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

/// A series of launches that one call submits. Memory that they use must outlive it.
class Graph {
 public:
  /// @param stream    nothing else may use it during the capture
  /// @param launches  submits launches to the stream; they are recorded in the graph and not run
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

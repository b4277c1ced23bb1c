#pragma once

// A model of a GPU behind the functions of CUDA's driver. Memory of the host serves as its memory, and kernels run on
// fibers (emulated CUDA threads). Work runs only when the program waits for it, so that a missing wait shows. Work on
// the default stream runs at once, because a framework whose tensors are on the host uses this stream without waiting.
// A misuse is a fault, which makes the call fail.

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "backend/cuda/batched/launch.h"
#include "backend/cuda/driver.h"
#include "cuda/standin/races.h"

namespace cavs::cuda {

/// Properties of the GPU, from the environment's CAVS_STANDIN, such as "processors=2 threads=64 memory=1000000".
struct StandIn {
  int processors = 3, threads = 64;
  int shared = 99 << 10;  // maximum bytes of shared memory of a block
  int compute = 90, cooperative = 1, devices = 1;
  std::int64_t memory = std::int64_t{1} << 30;
  int registers = 255;  // registers per thread; kernels that need more spill
  int fail_launch = 0;  // number, from 1, of the launch that fails; 0 for none
  int fail_with = kIllegalAddress;
  int kernels = 1;  // 0 accepts any cubin and runs no kernels; all values of a step are 0
  // Nanoseconds that each launch takes on the GPU, while the program continues; a caller that waits for the launch
  // sleeps for the rest. With 0 no time passes, and the clock counts launches.
  int kernel_ns = 0;
  int call_ns = 0;       // nanoseconds that each call takes on the host, if time passes
  int ignored_wait = 0;  // number, from 1, of the wait for an event that is ignored; 0 for none

  static StandIn of_environment();
};

/// Data at the end of a "cubin", which here is a shared library.
struct CubinTrailer {
  char magic[8] = {'s', 't', 'a', 'n', 'd', 'i', 'n', '1'};
  int threads = 0, registers = 0, local_bytes = 0, compute = 0;
  int static_shared = 0;  // bytes of static shared memory per block
};

struct EventOf {
  std::int64_t recorded = 0;  // number of the last record() of the event, or 0
  std::int64_t done = 0;      // number of the last record() that the stream has executed
  double time = 0;            // time of that, in milliseconds on the stream's clock
  StreamOf* stream = nullptr;
  std::map<std::int64_t, Races::Clock> known;  // number of a record() -> operations that are done before it
};

struct Pending {
  static constexpr const char* kLaunch = "a launch";
  const char* what;
  std::set<const void*> uses;  // allocations and modules that the operation uses
  std::function<Status()> run;
  double asked = 0;      // time of the call that requested it, in milliseconds on the streams' clocks
  Races::Clock known{};  // operations that the program knew to be done at the call
};

struct GraphOf {
  std::vector<Pending> launches;
};
struct GraphExecOf {
  std::shared_ptr<const std::vector<Pending>> launches;
  std::set<const void*> uses;  // allocations and modules of all launches
};

struct StreamOf {
  std::deque<Pending> pending;
  double clock = 0;
  int number = 0;                     // number of the stream in Races
  bool is_low = false;                // true for low priority: its work runs whenever the host waits for anything
  std::unique_ptr<GraphOf> captured;  // the graph that is being captured, or nullptr
};

struct ModuleOf {
  void* library = nullptr;
  CubinTrailer trailer;
  std::string folder;
};

struct FunctionOf {
  ModuleOf* module = nullptr;
  std::string name;
  std::variant<void (*)(KernelArguments), void (*)(Launch)> kernel;  // nullptr if kernels do not run
  bool runs() const {
    return std::visit([](auto f) { return f != nullptr; }, kernel);
  }
  int most_shared = 48 << 10;  // maximum bytes of dynamic shared memory of a launch
};

class DeviceModel {
 public:
  /// Returns a GPU by its number, from 0 to kMost - 1.
  static DeviceModel& of(int number);
  static constexpr int kMost = 4;
  /// Returns the GPU of the calling thread's current context; without a context the first GPU, whose calls then fail.
  static DeviceModel& current();

  /// Returns the text of all faults since the last call; empty if there were none.
  std::string take_faults();
  Status fault(const std::string& text);
  std::int64_t launches() const { return launches_; }
  /// Returns the name of the kernel of the last failed launch.
  const std::string& failed_kernel() const { return failed_kernel_; }
  std::int64_t graph_launches() const { return graph_launches_; }
  std::int64_t uploads_beside_launches() const { return uploads_beside_launches_; }
  std::int64_t copied_bytes() const { return copied_bytes_; }
  /// Returns the number of requests that a stream waits for an event; waits() counts calls in which the host waits.
  std::int64_t event_waits() const { return event_waits_; }
  std::int64_t waits() const { return waits_; }

  Status retain();
  Status release();
  Status make_current();
  static Status make_none_current();
  /// Runs a call of the driver, which fails without a context.
  /// @param f  does the work and returns the status; the model is locked meanwhile
  template <typename F>
  Status in_context(const char* call, F f) {
    const std::lock_guard lock(mutex_);
    if (!is_current()) return fault(std::string(call) + " on a thread without a context");
    if (broken_ != kSuccess) return broken_;
    pass_call();
    return f();
  }

  Status allocate(DevicePointer* at, std::size_t bytes);
  Status free(DevicePointer at);
  /// Registers memory that a framework has allocated.
  void lend(void* at, std::size_t bytes);
  Status allocate_host(void** at, std::size_t bytes);
  Status free_host(void* at);
  std::int64_t free_memory() const;

  Status upload(DevicePointer to, const void* from, std::size_t bytes, StreamOf* stream);
  Status download(void* to, DevicePointer from, std::size_t bytes, StreamOf* stream);
  Status copy(DevicePointer to, DevicePointer from, std::size_t bytes, StreamOf* stream);
  Status fill(DevicePointer to, unsigned value, std::size_t count, StreamOf* stream);
  /// Launches a kernel. @param argument  KernelArguments for the persistent kernel, whose blocks run at the same time;
  /// Launch for other kernels
  Status launch(FunctionOf* function, unsigned blocks, unsigned threads, unsigned shared_bytes, const void* argument,
                StreamOf* stream);
  Status begin_capture(StreamOf* stream);
  Status end_capture(StreamOf* stream, GraphOf** graph);
  Status instantiate(GraphExecOf** exec, GraphOf* graph);
  Status launch(GraphExecOf* exec, StreamOf* stream);
  Status destroy(GraphOf* graph);
  Status destroy(GraphExecOf* exec);
  Status allow_shared(FunctionOf* function, int bytes);
  bool is_known(const FunctionOf* function) const;

  /// Creates a stream. From the first stream of low priority on, accesses are checked for races between streams.
  StreamOf* create_stream(int priority);
  Status destroy_stream(StreamOf* stream);
  Status synchronise(StreamOf* stream);
  EventOf* create_event();
  Status destroy_event(EventOf* event);
  Status record(EventOf* event, StreamOf* stream);
  Status wait_event(StreamOf* stream, EventOf* event);
  Status synchronise(EventOf* event);
  Status query(EventOf* event) const;
  /// Returns the stream of a handle of the program; nullptr is the default stream.
  StreamOf* stream_of(StreamOf* handle) { return handle == nullptr ? &default_stream_ : handle; }
  /// Sleeps until the GPU's clock has reached this time.
  static void wait_until(double time);
  static void pass_call();

  Status load(ModuleOf** module, const void* image);
  Status unload(ModuleOf* module);
  Status find(FunctionOf** function, ModuleOf* module, const char* name);

 private:
  static constexpr std::size_t kGuard = 256;
  struct Memory {
    std::unique_ptr<char[]> bytes;  // kGuard bytes, the memory, kGuard bytes; nullptr for memory of a framework
    std::size_t size = 0;
    char* lent = nullptr;
    mutable bool is_clear = false;  // true if it was set to zeros, because kernels that would write it do not run
    mutable Races::Touches touches = {};
    char* begin() const { return bytes == nullptr ? lent : bytes.get() + kGuard; }
    bool is_whole() const;
  };

  bool is_current() const;
  const Memory* find_device(DevicePointer at, std::size_t bytes, std::size_t* after = nullptr) const;
  const Memory* find_host(const void* at, std::size_t bytes) const;
  bool is_in_use(const void* what) const;
  bool is_launched() const;  // true if a launch is not yet done
  bool is_stream(StreamOf* stream) const { return stream == &default_stream_ || streams_.contains(stream); }
  Status enqueue(StreamOf* stream, Pending operation);
  Status execute_next(StreamOf* stream);
  Status finish(StreamOf* stream);
  Status execute_low();
  Status execute_until(EventOf* event, StreamOf* stream, std::int64_t recorded);
  Status run_kernel(const FunctionOf& function, int blocks, int shared_bytes, const KernelArguments& arguments,
                    const std::function<void()>& kernel);
  void look(DevicePointer at, std::size_t bytes, bool writes);
  Status check_launch(const KernelArguments& arguments, int blocks);
  Status check_arguments(const KernelArguments& arguments);

  std::recursive_mutex mutex_;
  std::vector<std::string> faults_;
  std::string failed_kernel_;
  int contexts_ = 0;
  StreamOf* executing_ = nullptr;  // stream whose work runs; for the launches of a graph, the stream of the graph
  Status broken_ = kSuccess;       // after a failure: status of all further calls
  std::map<char*, Memory> device_, host_, lent_;  // lent_: may have memory that the framework has freed
  StreamOf default_stream_;
  Races races_;
  bool is_watched_ = false;  // true to check for races
  std::string racing_;       // operation of the last reported race
  const char* doing_ = "";   // name of the current operation
  std::map<StreamOf*, std::unique_ptr<StreamOf>> streams_;
  std::map<EventOf*, std::unique_ptr<EventOf>> events_;
  std::map<ModuleOf*, std::unique_ptr<ModuleOf>> modules_;
  std::vector<std::unique_ptr<FunctionOf>> functions_;
  std::map<GraphOf*, std::unique_ptr<GraphOf>> graphs_;
  std::map<GraphExecOf*, std::unique_ptr<GraphExecOf>> graph_execs_;
  std::int64_t launches_ = 0, graph_launches_ = 0, uploads_beside_launches_ = 0, copied_bytes_ = 0, records_ = 0,
               waits_ = 0, event_waits_ = 0;
};

}  // namespace cavs::cuda

#pragma once

// A model of a GPU, as its driver presents it. Host memory serves as its memory, and kernels run on fibers. Work runs
// only when the program waits for it, so a missing wait shows. Work on the default stream runs at once: a framework
// whose tensors are on the host and which does not wait may use this stream. Misuse is a fault, which makes the call
// fail.

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
  int shared = 100 << 10;  // largest shared memory of a block in bytes
  int compute = 90, cooperative = 1, devices = 1;
  std::int64_t memory = std::int64_t{1} << 30;
  int registers = 255;  // per thread; kernels that need more spill
  int fail_launch = 0;  // number, from 1, of the launch that fails
  int fail_with = kIllegalAddress;
  int kernels = 1;  // 0 accepts any cubin and runs no kernels; all values of a step are 0
  // Nanoseconds per launch. They pass while the program does other things, and a caller that waits sleeps for the rest.
  // If 0, no time passes, and the clock counts launches.
  int kernel_ns = 0;
  int call_ns = 0;       // nanoseconds of the host per call, if time passes
  int ignored_wait = 0;  // number, from 1, of the request to wait for an event that is ignored

  static StandIn of_environment();
};

/// Data at the end of a "cubin", which is a shared library.
struct CubinTrailer {
  char magic[8] = {'s', 't', 'a', 'n', 'd', 'i', 'n', '1'};
  int threads = 0, registers = 0, local_bytes = 0, compute = 0;
  int static_shared = 0;  // shared memory of a block in bytes
};

struct EventOf {
  std::int64_t recorded = 0;  // number of the last operation that records it, or 0
  std::int64_t done = 0;      // number of the last executed operation that records it
  double time = 0;            // on the stream's clock, in milliseconds
  StreamOf* stream = nullptr;
  std::map<std::int64_t, Races::Clock> known;  // by recording operation: what is known to be done
};

struct Pending {
  static constexpr const char* kLaunch = "a launch";
  const char* what;
  std::set<const void*> uses;  // allocations and modules
  std::function<Status()> run;
  double asked = 0;      // time of the program's call, in milliseconds on the streams' clocks
  Races::Clock known{};  // what the program knew to be done at the call
};

struct GraphOf {
  std::vector<Pending> launches;
};
struct GraphExecOf {
  std::shared_ptr<const std::vector<Pending>> launches;
  std::set<const void*> uses;  // of all launches
};

struct StreamOf {
  std::deque<Pending> pending;
  double clock = 0;
  int number = 0;                     // number in Races
  bool is_low = false;                // low priority: pending work runs whenever the host waits for anything
  std::unique_ptr<GraphOf> captured;  // nullptr if launches are not captured
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
  int most_shared = 48 << 10;  // limit of dynamic shared memory of a launch in bytes
};

class DeviceModel {
 public:
  /// @param number  number from 0, below kMost
  static DeviceModel& of(int number);
  static constexpr int kMost = 4;
  /// The device of the calling thread's current context. Without a context it is the first GPU, whose calls then fail.
  static DeviceModel& current();

  /// Text of all faults since the last call, or empty.
  std::string take_faults();
  Status fault(const std::string& text);
  std::int64_t launches() const { return launches_; }
  /// The kernel of the last failed launch.
  const std::string& failed_kernel() const { return failed_kernel_; }
  std::int64_t graph_launches() const { return graph_launches_; }
  std::int64_t uploads_beside_launches() const { return uploads_beside_launches_; }
  std::int64_t copied_bytes() const { return copied_bytes_; }
  /// Number of requests that a stream waits for an event, and of calls in which the host waits for the GPU.
  std::int64_t event_waits() const { return event_waits_; }
  std::int64_t waits() const { return waits_; }

  Status retain();
  Status release();
  Status make_current();
  static Status make_none_current();
  /// Runs a call, which fails without a context. @param f  returns the status; runs with the model locked
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
  /// @param argument  KernelArguments for the persistent kernel, whose blocks run together, or Launch for other kernels
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

  /// Once a stream of low priority exists, accesses are checked for races between streams.
  StreamOf* create_stream(int priority);
  Status destroy_stream(StreamOf* stream);
  Status synchronise(StreamOf* stream);
  EventOf* create_event();
  Status destroy_event(EventOf* event);
  Status record(EventOf* event, StreamOf* stream);
  Status wait_event(StreamOf* stream, EventOf* event);
  Status synchronise(EventOf* event);
  Status query(EventOf* event) const;
  /// The stream of a program's handle; nullptr is the default stream.
  StreamOf* stream_of(StreamOf* handle) { return handle == nullptr ? &default_stream_ : handle; }
  /// Returns when the GPU's clock has reached this time.
  static void wait_until(double time);
  static void pass_call();

  Status load(ModuleOf** module, const void* image);
  Status unload(ModuleOf* module);
  Status find(FunctionOf** function, ModuleOf* module, const char* name);

 private:
  static constexpr std::size_t kGuard = 256;
  struct Memory {
    std::unique_ptr<char[]> bytes;  // guard, memory, guard; nullptr for memory of a framework
    std::size_t size = 0;
    char* lent = nullptr;
    mutable bool is_clear = false;  // zeroed, because no kernel runs that would write it
    mutable Races::Touches touches = {};
    char* begin() const { return bytes == nullptr ? lent : bytes.get() + kGuard; }
    bool is_whole() const;
  };

  bool is_current() const;
  const Memory* find_device(DevicePointer at, std::size_t bytes, std::size_t* after = nullptr) const;
  const Memory* find_host(const void* at, std::size_t bytes) const;
  bool is_in_use(const void* what) const;
  bool is_launched() const;  // launched and not yet done
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
  StreamOf* executing_ = nullptr;  // stream whose work is running; for a graph, the stream that launched it
  Status broken_ = kSuccess;       // status of all calls after a failure
  std::map<char*, Memory> device_, host_, lent_;  // lent: may include memory that the framework has freed since
  StreamOf default_stream_;
  Races races_;
  bool is_watched_ = false;  // checks for races
  std::string racing_;       // subject of the last reported race
  const char* doing_ = "";   // the current operation
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

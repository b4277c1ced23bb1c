#pragma once

// A GPU as its driver shows it, without one: memory of the host stands for its memory, kernels run on fibers. Nothing
// happens before somebody waits for it, so a program that does not wait sees that nothing has happened. Work on the
// default stream is done at once: a framework whose tensors are the host's, and which does not wait, may use it. What a
// program must not do is a fault: it is kept as text, and the call fails.

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

/// What the GPU is like: the environment's CAVS_STANDIN, as in "processors=2 threads=64 memory=1000000".
struct StandIn {
  int processors = 3, threads = 64;
  int shared = 100 << 10;  // bytes that a block may have
  int compute = 90, cooperative = 1, devices = 1;
  std::int64_t memory = std::int64_t{1} << 30;
  int registers = 255;  // of a thread; a kernel that wants more spills
  int fail_launch = 0;  // the launch of this number, from 1, breaks off
  int fail_with = kIllegalAddress;
  int kernels = 1;  // 0: takes any cubin and runs none; all values of a step are 0
  // Above 0: a launch takes so much time, which passes while the program does other things; a caller that waits for it
  // waits as long. 0: no time passes, and the clock counts launches.
  int kernel_ns = 0;
  int call_ns = 0;    // then, of the host, for each call
  int lose_wait = 0;  // no stream waits for an event where this number, from 1, is asked for

  static StandIn of_environment();
};

/// What stands at the end of a "cubin", which is a shared library.
struct CubinTrailer {
  char magic[8] = {'s', 't', 'a', 'n', 'd', 'i', 'n', '1'};
  int threads = 0, registers = 0, local_bytes = 0, compute = 0;
  int static_shared = 0;  // bytes of shared memory of a block
};

struct EventOf {
  std::int64_t recorded = 0;  // number of the last operation that records it; 0: never
  std::int64_t done = 0;      // of the last one that was executed
  double time = 0;            // of the stream's clock, in milliseconds
  StreamOf* stream = nullptr;
  std::map<std::int64_t, Races::Clock> known;  // what is done when it is, by the number that records it
};

struct Pending {
  static constexpr const char* kLaunch = "a launch";
  const char* what;
  std::set<const void*> uses;  // allocations and modules
  std::function<Status()> run;
  double asked = 0;      // when the program asked for it, in milliseconds of the streams' clocks
  Races::Clock known{};  // then, by the program, to be done
};

struct GraphOf {
  std::vector<Pending> launches;
};
struct GraphExecOf {
  std::shared_ptr<const std::vector<Pending>> launches;
  std::set<const void*> uses;  // of all
};

struct StreamOf {
  std::deque<Pending> pending;
  double clock = 0;
  int number = 0;       // of the races
  bool is_low = false;  // of low priority: what is not waited for happens when the host waits for anything
  std::unique_ptr<GraphOf> captured;  // nullptr: what is launched is launched
};

struct ModuleOf {
  void* library = nullptr;
  CubinTrailer trailer;
  std::string folder;
};

struct FunctionOf {
  ModuleOf* module = nullptr;
  std::string name;
  std::variant<void (*)(KernelArguments), void (*)(Launch)> kernel;  // nullptr where no kernel is to run
  bool runs() const {
    return std::visit([](auto f) { return f != nullptr; }, kernel);
  }
  int most_shared = 48 << 10;  // bytes of dynamic shared memory that a launch may give
};

class DeviceModel {
 public:
  /// @param number  from 0, below kMost
  static DeviceModel& of(int number);
  static constexpr int kMost = 4;
  /// Of the context that the calling thread has made current; the first GPU's, which calls then refuse, where it has
  /// none.
  static DeviceModel& current();

  /// Text of all faults since the last call; empty: none.
  std::string take_faults();
  Status fault(const std::string& text);
  std::int64_t launches() const { return launches_; }
  /// The kernel of the last launch that broke off.
  const std::string& failed_kernel() const { return failed_kernel_; }
  std::int64_t graph_launches() const { return graph_launches_; }
  std::int64_t uploads_beside_launches() const { return uploads_beside_launches_; }
  std::int64_t copied_bytes() const { return copied_bytes_; }
  /// Calls in which the host waits for the GPU; those in which a stream is to wait for an event.
  std::int64_t event_waits() const { return event_waits_; }
  std::int64_t waits() const { return waits_; }

  Status retain();
  Status release();
  Status make_current();
  static Status make_none_current();
  /// A call: fails without a context. @param f  returns its status, with the model locked
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
  /// Memory that a framework has allocated.
  void lend(void* at, std::size_t bytes);
  Status allocate_host(void** at, std::size_t bytes);
  Status free_host(void* at);
  std::int64_t free_memory() const;

  Status upload(DevicePointer to, const void* from, std::size_t bytes, StreamOf* stream);
  Status download(void* to, DevicePointer from, std::size_t bytes, StreamOf* stream);
  Status copy(DevicePointer to, DevicePointer from, std::size_t bytes, StreamOf* stream);
  Status fill(DevicePointer to, unsigned value, std::size_t count, StreamOf* stream);
  /// @param argument  KernelArguments of the persistent kernel, whose blocks run together; Launch of another
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

  /// From the first one of low priority on, accesses are looked at for races between streams.
  StreamOf* create_stream(int priority);
  Status destroy_stream(StreamOf* stream);
  Status synchronise(StreamOf* stream);
  EventOf* create_event();
  Status destroy_event(EventOf* event);
  Status record(EventOf* event, StreamOf* stream);
  Status wait_event(StreamOf* stream, EventOf* event);
  Status synchronise(EventOf* event);
  Status query(EventOf* event) const;
  /// The stream that a program's handle means: nullptr is the default stream.
  StreamOf* stream_of(StreamOf* handle) { return handle == nullptr ? &default_stream_ : handle; }
  /// Returns when the GPU's clock says so.
  static void wait_until(double time);
  static void pass_call();

  Status load(ModuleOf** module, const void* image);
  Status unload(ModuleOf* module);
  Status find(FunctionOf** function, ModuleOf* module, const char* name);

 private:
  static constexpr std::size_t kGuard = 256;
  struct Memory {
    std::unique_ptr<char[]> bytes;  // a guard, the memory, a guard; nullptr: the memory is a framework's
    std::size_t size = 0;
    char* lent = nullptr;
    mutable bool is_clear = false;  // no kernel runs, and one would have written it
    mutable Races::Touches touches = {};
    char* begin() const { return bytes == nullptr ? lent : bytes.get() + kGuard; }
    bool is_whole() const;
  };

  bool is_current() const;
  const Memory* find_device(DevicePointer at, std::size_t bytes, std::size_t* after = nullptr) const;
  const Memory* find_host(const void* at, std::size_t bytes) const;
  bool is_in_use(const void* what) const;
  bool is_launched() const;  // and not yet done
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
  StreamOf* executing_ = nullptr;  // whose work is being done: of a graph, not that on which it was captured
  Status broken_ = kSuccess;       // what every call says from now on
  std::map<char*, Memory> device_, host_, lent_;  // lent: what a framework has freed since may be there, too
  StreamOf default_stream_;
  Races races_;
  bool is_watched_ = false;  // for races
  std::string racing_;       // what the last race was reported of
  const char* doing_ = "";   // the operation at hand
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

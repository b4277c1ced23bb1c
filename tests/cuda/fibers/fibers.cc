#include "cuda/fibers/fibers.h"

#include <ucontext.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <numeric>
#include <optional>
#include <random>
#include <utility>

#include "cuda/fibers/free_stacks.h"
#include "cuda/fibers/thread_sanitizer.h"
#include "cuda/matrix_fragments.h"
#include "cuda/ptx/fault.h"
#include "cuda/ptx/memory.h"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/common_interface_defs.h>
#endif

namespace cavs::cuda {
namespace {

constexpr int kLanes = 32;
constexpr int kWord = 4;  // bytes of a counter

constexpr ptx::AccessForm kWeak{.bytes = kWord, .count = 1}, kFixed{.fixed = true, .bytes = kWord, .count = 1},
    kWeakHalf{.bytes = 2, .count = 1}, kAcquire{.order = ptx::Order::kAcquire, .bytes = kWord, .count = 1},
    kRelease{.order = ptx::Order::kRelease, .bytes = kWord, .count = 1};

enum class Meeting { kNone, kSync, kSyncWarp, kShuffle, kMatrices };

class Grid {
 public:
  /// @param memory  memory that the kernel may access; nullptr to check no accesses
  Grid(int blocks, int threads, std::uint64_t seed, const std::span<const LaunchBuffer>* memory,
       const std::function<void()>& kernel, int shared_bytes, const AccessWatcher* watcher)
      : blocks_(blocks),
        threads_(threads),
        shared_bytes_(shared_bytes),
        watcher_(watcher),
        kernel_(kernel),
        random_(seed),
        fibers_(static_cast<std::size_t>(blocks) * threads),
        syncs_(static_cast<std::size_t>(blocks)),
        shared_(static_cast<std::size_t>(blocks)),
        shared_words_(static_cast<std::size_t>(blocks)),
        warps_(fibers_.size() / kLanes) {
    if (memory == nullptr) return;
    memory_.emplace([](std::uint32_t) { return std::string("the kernel"); }, blocks, threads);
    for (const LaunchBuffer& buffer : *memory) add_memory(buffer);
  }

  std::vector<std::string> run() {
    self = this;
    main_.has_begun = true;
    ucontext_t context;
    getcontext(&context);
    for (int f = 0; f < static_cast<int>(fibers_.size()); ++f) {
      Fiber& fiber = fibers_[f];
      fiber.stack = free_stacks.take();
      fiber.context = context;
      fiber.context.uc_stack = {.ss_sp = fiber.stack.memory.get(), .ss_flags = 0, .ss_size = kStackBytes};
      makecontext(&fiber.context, enter, 0);
      ready_.push_back(f);
    }
    tsan::release(&self);
    change(main_, next());
    const tsan::IgnoredAccesses own_memory;
    for (Fiber& fiber : fibers_)
      if (!fiber.has_ended) fiber.stack.seen.stop(this, fiber.has_begun);
    tsan::acquire(this);
    if (finished_ < fibers_.size() && !is_stopped_) report_waiting();
    self = nullptr;
    for (Fiber& fiber : fibers_)
      if (fiber.has_ended) free_stacks.keep(std::move(fiber.stack));
    return std::move(faults_);
  }

  static Grid& current() { return *self; }
  int thread() const { return at_ % threads_; }
  int block() const { return at_ / threads_; }
  int blocks() const { return blocks_; }

  void* shared(int bytes) { return of_block(shared_, "shared memory", bytes); }
  void* shared_words(int bytes) {
    if (shared_bytes_ != kAnyBytes && shared_bytes_ != bytes)
      give_up("a launch gives other shared memory than is used");
    return of_block(shared_words_, "dynamic shared memory", bytes);
  }
  bool load(const void* p, int bytes) {
    return look(p, bytes, false, [&](auto at) { memory_->read({at_, 0, weak(bytes)}, at, weak(bytes)->bytes); });
  }
  bool load_fixed(const void* p, int bytes) {
    return look(p, bytes, false, [&](std::uint64_t at) { memory_->read({at_, 0, &kFixed}, at, kWord); });
  }
  bool store(const void* p, int bytes) {
    return look(p, bytes, true, [&](auto at) { memory_->write({at_, 0, weak(bytes)}, at, weak(bytes)->bytes); });
  }

  void sync() { meet(syncs_[block()], Meeting::kSync, block() * threads_, threads_); }
  void sync_warp() { meet(warps_[at_ / kLanes].group, Meeting::kSyncWarp, at_ / kLanes * kLanes, kLanes); }
  /// Shuffles, which orders no accesses to memory. No lane is two shuffles ahead of another, so two buffers suffice.
  unsigned long long shuffle_xor(unsigned long long bits, int mask) {
    Warp& warp = warps_[at_ / kLanes];
    unsigned long long* const numbers = warp.numbers[warp.shuffles % 2];
    const int lane = at_ % kLanes;
    numbers[lane] = bits;
    if (warp.group.arrived == kLanes - 1) ++warp.shuffles;
    meet(warp.group, Meeting::kShuffle, at_ / kLanes * kLanes, kLanes);
    return numbers[lane ^ mask];
  }

  template <auto kAddProduct>
  void multiply_matrices(float* sums, const unsigned* a, const unsigned* b) {
    Warp& warp = warps_[at_ / kLanes];
    MatrixFactors* const factors = warp.factors[warp.products % 2];
    const int lane = at_ % kLanes;
    std::copy_n(a, 4, factors[lane].a);
    std::copy_n(b, 2, factors[lane].b);
    if (warp.group.arrived == kLanes - 1) ++warp.products;
    meet(warp.group, Meeting::kMatrices, at_ / kLanes * kLanes, kLanes);
    kAddProduct(factors, lane, sums);
  }

  void signal(unsigned* counter, unsigned value) {
    tsan::release(counter);
    if (look(counter, kWord, true, [&](std::uint64_t at) { memory_->write({at_, 0, &kRelease}, at, kWord); }))
      *counter = value;
    wake();
  }
  /// Adds 1 to a counter. A thread that reads the sum is ordered after all threads that added to the counter.
  void arrive(unsigned* counter) {
    tsan::release(counter);
    if (look(counter, kWord, true, [&](auto at) { memory_->change({at_, 0, &kRelease}, at, kWord); })) ++*counter;
    wake();
  }
  /// Reads a counter. A thread gets the values in order, and the next value only if it paused after a read.
  unsigned acquire(const unsigned* counter) {
    tsan::acquire(counter);
    unsigned value = *counter;
    look(counter, kWord, false, [&](std::uint64_t at) {
      if (!std::exchange(fibers_[at_].has_waited, false)) memory_->forget_last_read(at_);
      std::memcpy(&value, memory_->read({at_, 0, &kAcquire}, at, kWord), kWord);
    });
    return value;
  }
  void pause() {
    fibers_[at_].has_waited = true;
    const bool goes_on = memory_ && memory_->has_newer(at_);
    (goes_on ? ready_ : paused_).push_back(at_);
    leave();
  }

 private:
  static const ptx::AccessForm* weak(int bytes) { return bytes == kWeakHalf.bytes ? &kWeakHalf : &kWeak; }

  struct Fiber {
    ucontext_t context{};  // with which the fiber begins
    void* place[5] = {};   // buffer of __builtin_setjmp, where the fiber continues
    Stack stack;
    void* fake_stack = nullptr;  // AddressSanitizer's data about the fiber
    bool has_begun = false, has_ended = false;
    bool has_waited = false;  // true if the fiber paused after its last read of a counter
    Meeting waits = Meeting::kNone;
  };
  using BlockMemory = std::unique_ptr<std::max_align_t[]>;

  /// Returns memory of the running fiber's block, which is allocated at the first call.
  void* of_block(std::vector<BlockMemory>& memories, const char* what, int bytes) {
    BlockMemory& memory = memories[block()];
    if (memory == nullptr) {
      memory = std::make_unique<std::max_align_t[]>(static_cast<std::size_t>(bytes) / sizeof(std::max_align_t) + 1);
      if (memory_)
        add_memory({std::string(what) + " of block " + std::to_string(block()), memory.get(),
                    static_cast<std::size_t>(bytes), false});
    }
    return memory.get();
  }
  void add_memory(const LaunchBuffer& buffer) {
    memory_->add(buffer.name, static_cast<unsigned char*>(buffer.data), reinterpret_cast<std::uint64_t>(buffer.data),
                 buffer.bytes, buffer.written);
  }

  /// Calls f for the address of each word, and returns true. A fault ends the launch: the main stack goes on.
  template <typename F>
  bool look(const void* p, int bytes, bool writes, F f) {
    if (watcher_ != nullptr) {
      const tsan::RunsAs launching_thread(main_.stack.seen);  // which holds the watcher's locks
      watcher_->look(watcher_->watcher, p, bytes, writes);
    }
    if (!memory_) return true;
    try {
      const auto begin = reinterpret_cast<std::uint64_t>(p);
      for (std::uint64_t at = begin; at < begin + static_cast<unsigned>(bytes); at += kWord) f(at);
      return true;
    } catch (const ptx::Fault& fault) {
      faults_.emplace_back(fault.what());
    }
    is_stopped_ = true;
    change(fibers_[at_], main_, true);
    return false;
  }

  /// Threads that meet at a barrier: a block or a warp.
  struct Group {
    int arrived = 0;
    unsigned meetings = 0;  // number of completed meetings
    Meeting meeting = Meeting::kNone;
    std::vector<int> waiting;
  };
  struct Warp {
    Group group;
    unsigned long long numbers[2][kLanes] = {};
    MatrixFactors factors[2][kLanes];
    unsigned shuffles = 0, products = 0;
  };

  void meet(Group& group, Meeting meeting, int first, int count) {
    if (group.arrived == 0) group.meeting = meeting;
    if (group.meeting != meeting && faults_.empty())
      faults_.emplace_back("some lanes of a warp meet at one place, some at another");
    // ThreadSanitizer orders threads by the address `place`. No thread is two meetings ahead, so two addresses suffice.
    const void* const place = reinterpret_cast<const char*>(&group) + group.meetings % 2;
    const bool orders = meeting == Meeting::kSync || meeting == Meeting::kSyncWarp;
    if (orders) tsan::release(place);
    if (++group.arrived < count) {
      group.waiting.push_back(at_);
      fibers_[at_].waits = meeting;
      leave();
      if (orders) tsan::acquire(place);
      return;
    }
    if (orders) tsan::acquire(place);
    group.arrived = 0;
    ++group.meetings;
    if (orders && memory_) {
      std::vector<int> threads(static_cast<std::size_t>(count));
      std::iota(threads.begin(), threads.end(), first);
      memory_->meet(threads);
    }
    for (const int f : group.waiting) fibers_[f].waits = Meeting::kNone;
    ready_.insert(ready_.end(), group.waiting.begin(), group.waiting.end());
    group.waiting.clear();
  }

  void wake() {
    ready_.insert(ready_.end(), paused_.begin(), paused_.end());
    paused_.clear();
  }

  void report_waiting() {
    constexpr const char* kNames[] = {"on a counter", "in sync()", "in sync_warp()", "in shuffle_xor()",
                                      "in multiply_matrices()"};
    const auto f = std::ranges::find_if(
        fibers_, [&](const Fiber& fiber) { return fiber.stack.memory != nullptr && fiber.waits != Meeting::kNone; });
    const int number = f != fibers_.end() ? static_cast<int>(f - fibers_.begin()) : paused_.front();
    faults_.push_back("thread " + std::to_string(number % threads_) + " of block " + std::to_string(number / threads_) +
                      " waits " + kNames[static_cast<int>(fibers_[number].waits)] + " for ever");
  }

  /// Returns a random fiber that can run; the main stack if there is none.
  Fiber& next() {
    if (ready_.empty()) return main_;
    std::swap(ready_[random_() % ready_.size()], ready_.back());
    at_ = ready_.back();
    ready_.pop_back();
    return fibers_[at_];
  }

  /// Ends the running fiber. Returns this fiber and the fiber that runs next.
  std::pair<Fiber*, Fiber*> end() {
    const tsan::IgnoredAccesses own_memory;
    Fiber& ended = fibers_[at_];
    ended.has_ended = true;
    ++finished_;
    return {&ended, &next()};
  }

  /// Switches from the running fiber to the next one.
  void leave() {
    Fiber& from = fibers_[at_];
    Fiber& to = next();
    if (&to != &from) change(from, to);
  }

  /// Switches to another fiber. Not inlined, so that the compiler keeps no values in registers across the jump. Not
  /// instrumented: AddressSanitizer would clear its data about the whole stack before the jump, and ThreadSanitizer
  /// would keep a call that never returns.
  [[gnu::noinline, gnu::no_sanitize_address, gnu::no_sanitize_thread]] void change(
      Fiber& from, Fiber& to, [[maybe_unused]] bool for_good = false) {
#if defined(__SANITIZE_ADDRESS__)
    const bool to_main = &to == &main_;
    __sanitizer_start_switch_fiber(for_good ? nullptr : &from.fake_stack, to_main ? main_stack_ : to.stack.memory.get(),
                                   to_main ? main_stack_bytes_ : kStackBytes);
#endif
    tsan::ThreadOf(to.stack.seen).enter();
    if (__builtin_setjmp(from.place) == 0) go_on(to);
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_finish_switch_fiber(from.fake_stack, nullptr, nullptr);
#endif
  }

  /// Continues fiber `to`. Jumps instead of swapcontext(), which calls the system for the signal mask, and for which
  /// AddressSanitizer clears its data about a whole stack. The caller informs the sanitizers.
  [[noreturn, gnu::noinline, gnu::no_sanitize_address, gnu::no_sanitize_thread]] static void go_on(Fiber& to) {
    if (to.has_begun) __builtin_longjmp(to.place, 1);
    to.has_begun = true;
    setcontext(&to.context);
    std::abort();
  }

  [[gnu::no_sanitize_thread]] static void enter() {
    tsan::acquire(&self);
    Grid& grid = current();
#if defined(__SANITIZE_ADDRESS__)
    const void* stack = nullptr;
    std::size_t bytes = 0;
    __sanitizer_finish_switch_fiber(nullptr, &stack, &bytes);
    if (grid.main_stack_ == nullptr) grid.main_stack_bytes_ = bytes;
    if (grid.main_stack_ == nullptr) grid.main_stack_ = stack;
#endif
    grid.kernel_();
    tsan::release(&grid);
    const auto [from, to] = grid.end();
    grid.change(*from, *to, true);
  }

  static thread_local Grid* self;
  static thread_local FreeStacks free_stacks;

  const int blocks_, threads_, shared_bytes_;
  const AccessWatcher* const watcher_;
  const std::function<void()>& kernel_;
  std::optional<ptx::Memory> memory_;
  std::vector<std::string> faults_;
  std::mt19937_64 random_;
  Fiber main_;
  std::vector<Fiber> fibers_;
  std::vector<int> ready_, paused_;
  std::vector<Group> syncs_;
  std::vector<BlockMemory> shared_, shared_words_;  // [blocks]: static and dynamic shared memory
  std::vector<Warp> warps_;
  int at_ = 0;
  std::size_t finished_ = 0;
  bool is_stopped_ = false;  // true if a fault ended the launch before all fibers had finished
  [[maybe_unused]] const void* main_stack_ = nullptr;
  [[maybe_unused]] std::size_t main_stack_bytes_ = 0;
};

thread_local Grid* Grid::self = nullptr;
thread_local FreeStacks Grid::free_stacks;

}  // namespace

/// Calls a function of the grid, whose accesses to its own memory ThreadSanitizer ignores.
template <auto kFunction, typename... Arguments>
auto on_grid(Arguments... arguments) {
  const tsan::IgnoredAccesses own_memory;
  return (Grid::current().*kFunction)(arguments...);
}

const FiberFunctions kFiberFunctions{
    .thread = on_grid<&Grid::thread>,
    .processor = on_grid<&Grid::block>,
    .processors = on_grid<&Grid::blocks>,
    .sync = on_grid<&Grid::sync>,
    .sync_warp = on_grid<&Grid::sync_warp>,
    .shuffle_xor = on_grid<&Grid::shuffle_xor>,
    .multiply_matrices = on_grid<&Grid::multiply_matrices<add_product>>,
    .multiply_matrices_tf32 = on_grid<&Grid::multiply_matrices<add_product_tf32>>,
    .shared = on_grid<&Grid::shared>,
    .shared_words = on_grid<&Grid::shared_words>,
    .load = on_grid<&Grid::load>,
    .load_fixed = on_grid<&Grid::load_fixed>,
    .store = on_grid<&Grid::store>,
    .signal = on_grid<&Grid::signal>,
    .arrive = on_grid<&Grid::arrive>,
    .acquire = on_grid<&Grid::acquire>,
    .pause = on_grid<&Grid::pause>,
};

std::vector<std::string> launch_on_fibers(int blocks, int threads, std::uint64_t seed,
                                          const std::span<const LaunchBuffer>* memory,
                                          const std::function<void()>& kernel, int shared_bytes,
                                          const AccessWatcher* watcher) {
  return Grid(blocks, threads, seed, memory, kernel, shared_bytes, watcher).run();
}

}  // namespace cavs::cuda

#include "cuda/fibers/fibers.h"

#include <ucontext.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <random>
#include <thread>
#include <vector>

#if defined(__SANITIZE_THREAD__)
#include <sanitizer/tsan_interface.h>
#elif defined(__SANITIZE_ADDRESS__)
#include <sanitizer/common_interface_defs.h>
#endif

// ThreadSanitizer is told that fibers are threads that nothing but sync() and sync_warp() orders, so that it reports
// threads of one block that race; what the fibers share to make this work is hidden from it.
#define CAVS_HIDDEN __attribute__((no_sanitize("thread")))

namespace cavs::cuda {
namespace {

constexpr std::size_t kStackBytes = std::size_t{256} << 10;
constexpr auto kPatience = std::chrono::seconds(120);

[[noreturn]] void give_up(const char* what, int block) {
  std::fprintf(stderr, "fibers: block %d: %s\n", block, what);
  std::abort();
}

/// What some fibers meet at.
struct Barrier {
  int size = 0, arrived = 0;
  std::vector<int> waiting;
};

class Block {
 public:
  Block(int number, int blocks, int threads, std::uint64_t seed, const std::function<void()>& kernel)
      : number_(number), blocks_(blocks), kernel_(kernel), random_(seed * 7919 + static_cast<std::uint64_t>(number)) {
    fibers_.resize(static_cast<std::size_t>(threads));
    all_.size = threads;
    warps_.resize(static_cast<std::size_t>((threads + 31) / 32));
    for (Warp& warp : warps_) warp.barrier.size = 32;
  }

  CAVS_HIDDEN void run() {
    self = this;
    for (int f = 0; f < static_cast<int>(fibers_.size()); ++f) {
      Fiber& fiber = fibers_[f];
      fiber.stack = std::make_unique<char[]>(kStackBytes);
      getcontext(&fiber.context);
      fiber.context.uc_stack.ss_sp = fiber.stack.get(), fiber.context.uc_stack.ss_size = kStackBytes;
      makecontext(&fiber.context, enter, 0);
#if defined(__SANITIZE_THREAD__)
      fiber.shadow = __tsan_create_fiber(0);
#endif
      ready_.push_back(f);
    }
#if defined(__SANITIZE_THREAD__)
    main_.shadow = __tsan_get_current_fiber();
#endif
    while (!ready_.empty()) change_to(take_any());
    if (finished_ != static_cast<int>(fibers_.size())) give_up("some threads wait where not all come", number_);
#if defined(__SANITIZE_THREAD__)
    for (Fiber& fiber : fibers_) __tsan_destroy_fiber(fiber.shadow);
#endif
  }

  int thread() const { return at_; }
  int number() const { return number_; }
  int blocks() const { return blocks_; }

  CAVS_HIDDEN void sync() {
    release(&all_);
    meet(all_);
    acquire(&all_);
  }
  CAVS_HIDDEN void sync_warp() {
    Barrier& warp = warps_[at_ / 32].barrier;
    release(&warp);
    meet(warp);
    acquire(&warp);
  }
  /// Twice, so that nobody overwrites a number that is still wanted.
  CAVS_HIDDEN unsigned long long shuffle_xor(unsigned long long bits, int mask) {
    Warp& warp = warps_[at_ / 32];
    warp.numbers[at_ % 32] = bits;
    meet(warp.barrier);
    const unsigned long long found = warp.numbers[(at_ % 32) ^ mask];
    meet(warp.barrier);
    return found;
  }
  CAVS_HIDDEN void pause() {
    if (std::chrono::steady_clock::now() - start_ > kPatience) give_up("it waits for ever", number_);
    if (ready_.empty()) std::this_thread::yield();
    ready_.push_back(at_);
    leave();
  }

 private:
  struct Fiber {
    ucontext_t context{};
    std::unique_ptr<char[]> stack;
    void* shadow = nullptr;  // what a sanitizer knows it by
  };
  struct Warp {
    Barrier barrier;
    unsigned long long numbers[32] = {};
  };

  static void release([[maybe_unused]] void* what) {
#if defined(__SANITIZE_THREAD__)
    __tsan_release(what);
#endif
  }
  static void acquire([[maybe_unused]] void* what) {
#if defined(__SANITIZE_THREAD__)
    __tsan_acquire(what);
#endif
  }

  CAVS_HIDDEN void meet(Barrier& barrier) {
    if (++barrier.arrived < barrier.size) {
      barrier.waiting.push_back(at_);
      return leave();
    }
    barrier.arrived = 0;
    ready_.insert(ready_.end(), barrier.waiting.begin(), barrier.waiting.end());
    barrier.waiting.clear();
  }

  CAVS_HIDDEN int take_any() {
    const std::size_t which = random_() % ready_.size();
    std::swap(ready_[which], ready_.back());
    const int fiber = ready_.back();
    ready_.pop_back();
    return fiber;
  }

  CAVS_HIDDEN void change_to(int fiber) {
    at_ = fiber;
    change(main_, fibers_[fiber], fibers_[fiber].stack.get());
  }
  /// From a fiber to whichever comes next.
  CAVS_HIDDEN void leave() {
    Fiber& from = fibers_[at_];
    change(from, main_, nullptr);
  }

  CAVS_HIDDEN void change(Fiber& from, Fiber& to, [[maybe_unused]] char* stack) {
#if defined(__SANITIZE_THREAD__)
    __tsan_switch_to_fiber(to.shadow, __tsan_switch_to_fiber_no_sync);
#elif defined(__SANITIZE_ADDRESS__)
    __sanitizer_start_switch_fiber(&from.shadow, stack != nullptr ? stack : main_stack_,
                                   stack != nullptr ? kStackBytes : main_stack_bytes_);
#endif
    swapcontext(&from.context, &to.context);
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_finish_switch_fiber(from.shadow, nullptr, nullptr);
#endif
  }

  CAVS_HIDDEN static void enter() {
    Block* const block = self;
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_finish_switch_fiber(nullptr, &block->main_stack_, &block->main_stack_bytes_);
#endif
    block->kernel_();
    ++block->finished_;
    block->leave();
  }

  static thread_local Block* self;
  friend Block& current_block();

  const int number_, blocks_;
  const std::function<void()>& kernel_;
  std::mt19937_64 random_;
  Fiber main_;
  std::vector<Fiber> fibers_;
  std::vector<int> ready_;
  Barrier all_;
  std::vector<Warp> warps_;
  int at_ = 0, finished_ = 0;
  [[maybe_unused]] const void* main_stack_ = nullptr;
  [[maybe_unused]] std::size_t main_stack_bytes_ = 0;
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

thread_local Block* Block::self = nullptr;

Block& current_block() { return *Block::self; }

}  // namespace

const FiberFunctions kFiberFunctions{
    .thread = [] { return current_block().thread(); },
    .processor = [] { return current_block().number(); },
    .processors = [] { return current_block().blocks(); },
    .sync = [] { current_block().sync(); },
    .sync_warp = [] { current_block().sync_warp(); },
    .shuffle_xor = [](unsigned long long bits, int mask) { return current_block().shuffle_xor(bits, mask); },
    .pause = [] { current_block().pause(); },
};

void launch_on_fibers(int blocks, int threads, std::uint64_t seed, const std::function<void()>& kernel) {
  std::vector<std::thread> running;
  for (int b = 0; b < blocks; ++b)
    running.emplace_back([=, &kernel] { Block(b, blocks, threads, seed, kernel).run(); });
  for (std::thread& thread : running) thread.join();
}

}  // namespace cavs::cuda

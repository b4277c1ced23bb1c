#include "execute/counter.h"

#if defined(__linux__)
#include <linux/futex.h>
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <climits>
#else
#include <thread>
#endif
#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace cavs::inline v0_1 {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kSpinsBetweenClocks = 16;

#if defined(__linux__)
void sleep_while(const std::atomic<std::int32_t>& number, std::int32_t seen, std::chrono::nanoseconds at_most) {
  const timespec limit{at_most.count() / 1'000'000'000, at_most.count() % 1'000'000'000};
  syscall(SYS_futex, &number, FUTEX_WAIT_PRIVATE, seen, at_most.count() > 0 ? &limit : nullptr, nullptr, 0);
}
void wake_all(std::atomic<std::int32_t>& number) {
  syscall(SYS_futex, &number, FUTEX_WAKE_PRIVATE, INT_MAX, nullptr, nullptr, 0);
}
/// True if a thread can make all other threads of the process execute a memory fence, so that they need none.
bool can_make_others_pass_a_barrier() {
  static const bool can = syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0;
  return can;
}
void make_others_pass_a_barrier() { syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0); }
#else
bool can_make_others_pass_a_barrier() { return false; }
void make_others_pass_a_barrier() {}
void sleep_while(const std::atomic<std::int32_t>& number, std::int32_t seen, std::chrono::nanoseconds at_most) {
  if (at_most.count() > 0)
    std::this_thread::sleep_for(at_most);
  else
    number.wait(seen, std::memory_order_acquire);
}
void wake_all(std::atomic<std::int32_t>& number) { number.notify_all(); }
#endif

}  // namespace

void pause_spinning() {
#if defined(__x86_64__)
  _mm_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

void Counter::set(std::int32_t value) {
  // A thread that goes to sleep must see the new number, or this thread must see the sleeper. That needs a fence
  // between the store and the load below. Numbers are set far more often than threads sleep, and a fence waits until
  // the other core has given up the cache line. So, if the system supports it, the thread that goes to sleep makes this
  // thread execute a fence.
  if (cheap_) {
    value_.store(value, std::memory_order_release);
    std::atomic_signal_fence(std::memory_order_seq_cst);
  } else {
    value_.exchange(value, std::memory_order_seq_cst);
  }
  if (sleepers_.load(std::memory_order_seq_cst) > 0) wake_all(value_);
}

Counter::Counter() : cheap_(can_make_others_pass_a_barrier()) {}

bool Counter::spin_briefly(std::int32_t target) const {
  for (int i = 0; i < kSpinsBetweenClocks; ++i) {
    if (reached(target)) return true;
    pause_spinning();
  }
  return reached(target);
}

void Counter::spin(std::int32_t target, std::chrono::nanoseconds time) const {
  if (time.count() == 0) return;
  const Clock::time_point end = Clock::now() + time;
  while (!spin_briefly(target) && Clock::now() < end) {
  }
}

void Counter::sleep(std::int32_t target, std::chrono::nanoseconds at_most) const {
  const std::int32_t seen = value();
  if (reached(target)) return;
  sleepers_.fetch_add(1, std::memory_order_seq_cst);
  if (cheap_) make_others_pass_a_barrier();
  if (value_.load(std::memory_order_seq_cst) == seen) sleep_while(value_, seen, at_most);
  sleepers_.fetch_sub(1, std::memory_order_relaxed);
}

}  // namespace cavs::inline v0_1

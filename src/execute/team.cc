#include "execute/team.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "support/check.h"

#if defined(__linux__)
#include <sched.h>
#endif
#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace cavs {
namespace {

constexpr int kSpins = 4000;  // some 50 us: longer than an instruction's imbalance, shorter than a scheduler's slice
constexpr int kLeastSpins = 8;
constexpr int kYields = 200;  // between runs, before sleep

void pause() {
#if defined(__x86_64__)
  _mm_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

/// Processors that this process may use.
int processors() {
#if defined(__linux__)
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) return CPU_COUNT(&set);
#endif
  return static_cast<int>(std::thread::hardware_concurrency());
}

/// A counter on a cache line of its own: written by one thread, watched by the others.
struct alignas(64) Flag {
  std::atomic<std::int32_t> value{0};
};

/// How long a worker spins before it yields. It learns: where a machine has no processor for everyone, whom it waits
/// for may be waiting for this very processor, and every spin is lost.
struct alignas(64) Patience {
  int spins = kSpins;

  void succeeded() { spins = std::min(kSpins, 2 * spins); }
  void failed() { spins = std::max(kLeastSpins, spins / 4); }
};

/// Whether a flag has come to `target`; counters wrap around.
bool reached(const Flag& flag, std::int32_t target) {
  const auto ahead =
      static_cast<std::uint32_t>(flag.value.load(std::memory_order_acquire)) - static_cast<std::uint32_t>(target);
  return ahead < 0x80000000U;
}
std::int32_t next(std::int32_t value) { return static_cast<std::int32_t>(static_cast<std::uint32_t>(value) + 1); }

}  // namespace

struct Team::Impl {
  explicit Impl(int size) : Impl(size, processors()) {
    try {
      for (int worker = 1; worker < size; ++worker) threads.emplace_back([this, worker] { work(worker); });
    } catch (const std::system_error& error) {  // ~Impl stops those that there are
      user_error("{} threads can't be started ({}); try fewer --threads", size, error.what());
    }
  }

  Impl(int size, int available)
      : arrived(static_cast<std::size_t>(size)),
        done(static_cast<std::size_t>(size)),
        patience(static_cast<std::size_t>(size)),
        spins(size > available ? 0 : kSpins) {}

  ~Impl() {
    stop = true;
    start.value.store(next(start.value.load(std::memory_order_relaxed)), std::memory_order_release);
    start.value.notify_all();
    for (std::thread& t : threads) t.join();
  }

  void work(int worker) {
    for (std::int32_t run = 0;;) {
      wait_for_start(run);
      run = next(run);
      if (stop) return;
      call(worker);
      done[static_cast<std::size_t>(worker)].value.store(run, std::memory_order_release);
    }
  }

  /// Waits until `start` leaves `seen`: spins, yields, then sleeps.
  void wait_for_start(std::int32_t seen) const {
    for (int i = 0; i < spins + kYields; ++i) {
      if (start.value.load(std::memory_order_acquire) != seen) return;
      if (i < spins)
        pause();
      else
        std::this_thread::yield();
    }
    start.value.wait(seen, std::memory_order_acquire);
  }

  void call(int worker) {
    try {
      (*job)(worker);
    } catch (...) {
      keep_error();
    }
  }

  void keep_error() {
    const std::lock_guard lock(error_mutex);
    if (!error) error = std::current_exception();
  }

  void wait(int worker, const Flag& flag, std::int32_t target) {
    if (reached(flag, target)) return;
    Patience& own = patience[static_cast<std::size_t>(worker)];
    for (int i = std::min(spins, own.spins); i > 0; --i) {
      pause();
      if (reached(flag, target)) return own.succeeded();
    }
    own.failed();
    while (!reached(flag, target)) std::this_thread::yield();
  }

  void wait_busily(int worker, std::int32_t target, const std::function<bool()>& meanwhile) {
    const int patient = std::min(spins, patience[static_cast<std::size_t>(worker)].spins);
    for (int idle = 0; !reached(arrived.front(), target); ++idle)
      if (meanwhile() || (slack && worker + 1 == static_cast<int>(arrived.size()) && run_slice()))
        idle = 0;
      else if (idle < patient)
        pause();
      else
        std::this_thread::yield();
  }

  bool all_arrived(std::int32_t target) const {
    for (const Flag& f : arrived)
      if (!reached(f, target)) return false;
    return true;
  }

  /// One slice of the owner's work; false when there is none left.
  bool run_slice() {
    try {
      if (slack()) return true;
    } catch (...) {
      keep_error();
    }
    slack = nullptr;
    return false;
  }

  Flag start;                 // counts runs
  std::vector<Flag> arrived;  // [size]: barriers that each worker has come to
  std::vector<Flag> done;     // [size]: runs that each worker has ended
  std::vector<Patience> patience;
  int spins;  // at most
  bool stop = false;
  const std::function<void(int)>* job = nullptr;
  std::function<bool()> slack;  // owned by the last worker while a run lasts
  std::mutex error_mutex;
  std::exception_ptr error;
  std::vector<std::thread> threads;
};

Team::Team(int size) : impl_(std::make_unique<Impl>(size < 1 ? 1 : size)) {}
Team::~Team() = default;

bool Team::is_crowded() const { return impl_->spins == 0; }
int Team::size() const { return static_cast<int>(impl_->arrived.size()); }

void Team::run(const std::function<void(int worker)>& f) {
  Impl& team = *impl_;
  if (size() == 1) return f(0);
  team.job = &f;
  const std::int32_t run = next(team.start.value.load(std::memory_order_relaxed));
  team.start.value.store(run, std::memory_order_release);
  team.start.value.notify_all();
  team.call(0);
  for (int worker = 1; worker < size(); ++worker) team.wait(0, team.done[static_cast<std::size_t>(worker)], run);
  if (team.error) std::rethrow_exception(std::exchange(team.error, nullptr));
}

void Team::barrier(int worker, const std::function<bool()>& meanwhile) {
  Impl& team = *impl_;
  if (size() == 1) return;
  Flag& own = team.arrived[static_cast<std::size_t>(worker)];
  const std::int32_t target = next(own.value.load(std::memory_order_relaxed));
  if (meanwhile) team.wait_busily(worker, target, meanwhile);
  own.value.store(target, std::memory_order_release);
  if (worker == size() - 1)
    while (team.slack && !team.all_arrived(target) && team.run_slice()) {
    }
  // Everyone watches everyone: with a few workers, one transfer of a cache line each.
  for (const Flag& other : team.arrived) team.wait(worker, other, target);
}

void Team::set_slack(std::function<bool()> slice) { impl_->slack = std::move(slice); }

}  // namespace cavs

#include "execute/team.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "execute/counter.h"
#include "execute/pace.h"
#include "support/available_threads.h"
#include "support/check.h"
#include "support/process.h"

namespace cavs::inline v0_1 {
namespace {

using Clock = std::chrono::steady_clock;

/// Thrown in a worker when another worker's exception has ended the run, so that the worker leaves the run.
struct RunEnded {};

/// True if CAVS_TEAM keeps the team together. @throws UserError for an unknown value of CAVS_TEAM.
bool is_kept_together() {
  const char* const value = std::getenv("CAVS_TEAM");
  const std::string_view team = value == nullptr ? "" : value;
  user_check(team.empty() || team == "together", "CAVS_TEAM is '{}'; expected together, or leave it unset", team);
  return team == "together";
}

double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

}  // namespace

struct Team::Impl {
  Impl(int size, Alone alone) : Impl(size, processors(), alone == Alone::kAllowed && !is_kept_together()) {
    try {
      for (int worker = 1; worker < size; ++worker) threads.emplace_back([this, worker] { work(worker); });
    } catch (const std::system_error& refusal) {  // ~Impl stops the threads that were started
      user_error("{} threads can't be started ({}); try fewer threads", size, refusal.what());
    }
  }

  Impl(int size, int available, bool alone)
      : arrived(static_cast<std::size_t>(size)),
        done(static_cast<std::size_t>(size)),
        waits(static_cast<std::size_t>(size)),
        pace(size),
        spin(size > available ? std::chrono::microseconds(0) : kSpinTime),
        may_be_alone(alone) {}

  ~Impl() {
    stop = true;
    start.set(next(start.value()));
    for (std::thread& t : threads) t.join();
  }

  void work(int worker) {
    for (std::int32_t run = 0;;) {
      run = next(run);
      Clock::duration idle{};  // time between runs, which is not reported
      wait(start, run, idle);
      if (stop) return;
      call(worker);
      done[static_cast<std::size_t>(worker)].set(run);
    }
  }

  void call(int worker) {
    try {
      (*job)(worker);
    } catch (const RunEnded&) {
      leave(worker);
    } catch (...) {
      keep_error();
      leave(worker);
    }
  }

  void keep_error() {
    const std::lock_guard lock(error_mutex);
    if (!error) error = std::current_exception();
  }

  /// Ends the run for workers that wait for this worker at a barrier, because it will not arrive.
  void leave(int worker) {
    ended.store(true, std::memory_order_release);
    Counter& own = arrived[static_cast<std::size_t>(worker)];
    own.set(next(own.value()));
  }

  void throw_if_ended() const {
    if (ended.load(std::memory_order_acquire)) throw RunEnded();
  }

  /// Waits until the counter reaches `target`. @param waited  the time is added to it, unless the wait is short
  void wait(const Counter& counter, std::int32_t target, Clock::duration& waited) {
    if (counter.reached(target) || (spin.count() > 0 && counter.spin_briefly(target))) return;
    const Clock::time_point begin = Clock::now();
    counter.spin(target, spin);
    while (!counter.reached(target)) counter.sleep(target);
    waited += Clock::now() - begin;
  }

  void wait_for_all(int worker, std::int32_t target) {
    for (const Counter& other : arrived) {
      wait(other, target, waits_of(worker));
      throw_if_ended();
    }
  }

  void run_together(const std::function<void(int)>& f) {
    for (Waits& w : waits) w.time = {};
    job = &f;
    const std::int32_t run = next(start.value());
    start.set(run);
    call(0);
    for (std::size_t worker = 1; worker < done.size(); ++worker) wait(done[worker], run, waits_of(0));
    rethrow();
  }

  void run_alone(const std::function<void(int)>& f) {
    is_alone = true;
    try {
      f(0);
    } catch (...) {
      is_alone = false;
      throw;
    }
    is_alone = false;
  }

  void wait_busily(int worker, std::int32_t target, const std::function<bool()>& meanwhile) {
    const Counter& first = arrived.front();
    for (std::chrono::nanoseconds idle{0}; !first.reached(target);) {
      if (meanwhile() || (slack && worker + 1 == static_cast<int>(arrived.size()) && run_slice())) {
        idle = std::chrono::nanoseconds(0);
      } else if (idle < spin) {
        first.spin(target, kLook);
        idle += kLook;
        waits_of(worker) += kLook;
      } else {
        first.sleep(target, kSpinTime);
      }
    }
    throw_if_ended();
  }

  Clock::duration& waits_of(int worker) { return waits[static_cast<std::size_t>(worker)].time; }

  /// Returns the seconds that all workers together waited in the last run.
  double seconds_of_waits() const {
    Clock::duration all{};
    for (const Waits& w : waits) all += w.time;
    return std::chrono::duration<double>(all).count();
  }

  bool all_arrived(std::int32_t target) const {
    return std::ranges::all_of(arrived, [=](const Counter& c) { return c.reached(target); });
  }

  /// Call after a run. Makes all workers' counts of barriers equal again, and rethrows the first exception.
  void rethrow() {
    if (ended.exchange(false))
      for (Counter& c : arrived) c.set(0);
    if (error) std::rethrow_exception(std::exchange(error, nullptr));
  }

  /// Runs one slice of the work for the slack. Returns false if no slice is left.
  bool run_slice() {
    try {
      if (slack()) return true;
    } catch (...) {
      keep_error();
    }
    slack = nullptr;
    return false;
  }

  /// Time that a waiting worker spins between two looks for other work.
  static constexpr std::chrono::microseconds kLook{2};

  /// Time that a worker has waited in a run. It has its own pair of cache lines.
  struct alignas(128) Waits {
    Clock::duration time{};
  };

  Counter start;                 // number of runs that have begun
  std::vector<Counter> arrived;  // [workers] number of barriers that the worker has reached
  std::vector<Counter> done;     // [workers] number of runs that the worker has finished
  std::vector<Waits> waits;      // [workers]
  Pace pace;
  std::chrono::nanoseconds spin;
  const bool may_be_alone;
  bool is_alone = false, was_alone = false;
  std::atomic<bool> ended = false;  // true after an exception in the current run
  bool stop = false;
  const std::function<void(int)>* job = nullptr;
  std::function<bool()> slack;  // only the last worker uses it during a run
  std::mutex error_mutex;
  std::exception_ptr error;
  std::vector<std::thread> threads;
  HomeProcess home;
};

Team::Team(int size, Alone alone) : impl_(std::make_unique<Impl>(size < 1 ? 1 : size, alone)) {}

Team::~Team() {
  if (!impl_->home.is_here()) static_cast<void>(impl_.release());  // a forked process has no threads to join
}

bool Team::is_crowded() const { return impl_->spin.count() == 0; }
int Team::size() const { return impl_->is_alone ? 1 : static_cast<int>(impl_->arrived.size()); }

bool Team::choose_alone() {
  Impl& team = *impl_;
  return team.may_be_alone && team.arrived.size() > 1 && team.pace.choose_alone(Clock::now());
}

void Team::run(const std::function<void(int worker)>& f, std::optional<bool> alone) {
  Impl& team = *impl_;
  if (size() == 1) return f(0);
  team.home.expect_here("a session of several threads");
  if (alone.value_or(team.was_alone))
    team.run_alone(f);
  else
    team.run_together(f);
}

void Team::run_and_compare(const std::function<void(int worker)>& f, bool alone, double work) {
  const Clock::time_point begin = Clock::now();
  impl_->was_alone = alone;
  run(f, alone);
  if (impl_->may_be_alone) impl_->pace.add(alone, work, seconds_since(begin), alone ? 0 : impl_->seconds_of_waits());
}

void Team::barrier(int worker, const std::function<bool()>& meanwhile) {
  Impl& team = *impl_;
  if (size() == 1) return;
  Counter& own = team.arrived[static_cast<std::size_t>(worker)];
  const std::int32_t target = next(own.value());
  if (meanwhile) team.wait_busily(worker, target, meanwhile);
  own.set(target);
  if (worker == size() - 1)
    while (team.slack && !team.all_arrived(target) && team.run_slice()) {
    }
  // Every worker reads the counters of all others. For few workers this is fast: one transfer of a cache line each.
  team.wait_for_all(worker, target);
}

void Team::set_slack(std::function<bool()> slice) { impl_->slack = std::move(slice); }

void Team::finish_slack() {
  Impl& team = *impl_;
  if (!team.slack) return;
  const Clock::time_point begin = Clock::now();
  while (team.run_slice()) {
  }
  if (team.may_be_alone) team.pace.add_rest(seconds_since(begin));
  team.rethrow();
}

}  // namespace cavs::inline v0_1

#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

namespace cavs::inline v0_1 {

/// How long a thread spins for another one before it sleeps: longer than most steps' imbalance, far shorter than a
/// time slice of the operating system, which is what a descheduled thread costs.
inline constexpr std::chrono::microseconds kSpinTime{100};

/// A number that threads wait for, on a pair of cache lines of its own, as processors fetch them in pairs. Who waits
/// spins, then sleeps on a futex (elsewhere than on Linux, in std::atomic::wait), and never yields: beside another
/// program that is busy, a yield gives it the whole time slice. What a thread wrote before set(), all read who saw the
/// number.
class alignas(128) Counter {
 public:
  Counter();

  std::int32_t value() const { return value_.load(std::memory_order_acquire); }

  /// Whether it has come to `target`; numbers wrap around.
  bool reached(std::int32_t target) const {
    return static_cast<std::uint32_t>(value()) - static_cast<std::uint32_t>(target) < 0x80000000U;
  }

  /// Sets the number and wakes all who sleep.
  void set(std::int32_t value);

  /// Spins for less than a microsecond, without a look at the clock. @return whether the number has come to `target`
  bool spin_briefly(std::int32_t target) const;
  /// Until the number has come to `target`, or the time is over. It may come there in many steps.
  void spin(std::int32_t target, std::chrono::nanoseconds time) const;
  /// Until the number has changed, or the time is over, or for no reason; so ask again.
  /// @param at_most  zero: no limit
  void sleep(std::int32_t target, std::chrono::nanoseconds at_most = {}) const;

 private:
  std::atomic<std::int32_t> value_{0};
  mutable std::atomic<std::int32_t> sleepers_{0};
  const bool cheap_;  // see set()
};

/// The number after `value`; wraps around.
inline std::int32_t next(std::int32_t value) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(value) + 1);
}

/// Tells the processor that this thread spins.
void pause_spinning();

}  // namespace cavs::inline v0_1

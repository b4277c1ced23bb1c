#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

namespace cavs::inline v0_1 {

/// Time that a waiting thread spins before it sleeps. It is longer than workers wait for each other in most steps, and
/// far shorter than a time slice of the system, which is how long a wait for a descheduled thread lasts.
inline constexpr std::chrono::microseconds kSpinTime{100};

/// A number that threads wait for. It has its own pair of cache lines, since processors fetch lines in pairs. A waiting
/// thread spins, then sleeps on a futex (std::atomic::wait on other systems than Linux). It never yields, because a
/// yield gives a whole time slice to another busy program. A thread that sees the number also sees all that was written
/// before set().
class alignas(128) Counter {
 public:
  Counter();

  std::int32_t value() const { return value_.load(std::memory_order_acquire); }

  /// True if the number has reached `target`. Numbers wrap around.
  bool reached(std::int32_t target) const {
    return static_cast<std::uint32_t>(value()) - static_cast<std::uint32_t>(target) < 0x80000000U;
  }

  /// Sets the number and wakes all sleeping threads.
  void set(std::int32_t value);

  /// Spins for less than a microsecond, without reading the clock. Returns true if the number has reached `target`.
  bool spin_briefly(std::int32_t target) const;
  /// Spins until the number has reached `target` or the time is over.
  void spin(std::int32_t target, std::chrono::nanoseconds time) const;
  /// Sleeps until the number changes or the time is over; not at all if it has reached `target`. May also wake for no
  /// reason, so check the number again.
  /// @param at_most  longest time of sleep, or zero for no limit
  void sleep(std::int32_t target, std::chrono::nanoseconds at_most = {}) const;

 private:
  std::atomic<std::int32_t> value_{0};
  mutable std::atomic<std::int32_t> sleepers_{0};
  const bool cheap_;  // true if set() needs no fence
};

/// Returns value + 1, which wraps around.
inline std::int32_t next(std::int32_t value) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(value) + 1);
}

/// Executes the processor's instruction for a thread that spins, such as `pause`.
void pause_spinning();

}  // namespace cavs::inline v0_1

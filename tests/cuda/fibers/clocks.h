#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace cavs::cuda {

/// What the threads of a launch know of each other: vector clocks. A thread's own clock ticks when it lets others know.
class ThreadClocks {
 public:
  using Time = std::vector<std::uint32_t>;  // [threads]

  explicit ThreadClocks(int threads)
      : times_(static_cast<std::size_t>(threads), Time(static_cast<std::size_t>(threads))) {
    for (int t = 0; t < threads; ++t) times_[t][t] = 1;
  }
  std::uint32_t known(int thread, int other) const { return times_[thread][other]; }
  std::uint32_t own(int thread) const { return times_[thread][thread]; }

  /// Threads [first, first + count) meet.
  void meet(int first, int count) {
    Time all = times_[first];
    for (int t = first + 1; t < first + count; ++t) learn(all, times_[t]);
    for (int t = first; t < first + count; ++t) times_[t] = all, ++times_[t][t];
  }
  /// What the thread knows; what it does from now on is not in it.
  Time release(int thread) {
    Time now = times_[thread];
    ++times_[thread][thread];
    return now;
  }
  void acquire(int thread, const Time& then) { learn(times_[thread], then); }

  static void learn(Time& time, const Time& other) {
    for (std::size_t t = 0; t < time.size(); ++t) time[t] = std::max(time[t], other[t]);
  }

 private:
  std::vector<Time> times_;
};

/// Numbers by which threads let others know. A thread sees the values of one, one after the other, and the next only
/// where it waits after a look, so that it learns from none that is later than what it waits for.
class Counters {
 public:
  explicit Counters(ThreadClocks& clocks) : clocks_(clocks) {}

  void set(int thread, unsigned* counter, unsigned value) {
    values_[counter].push_back({value, clocks_.release(thread)});
    *counter = value;
  }
  /// Who sees the sum sees what all have done who added to it.
  void add(int thread, unsigned* counter) {
    std::vector<Value>& values = values_[counter];
    ThreadClocks::Time then = clocks_.release(thread);
    if (!values.empty()) ThreadClocks::learn(then, values.back().then);
    values.push_back({++*counter, std::move(then)});
  }
  unsigned look(int thread, const unsigned* counter) {
    last_[thread] = counter;
    const std::size_t seen = seen_[{thread, counter}];
    return seen == 0 ? 0 : values_[counter][seen - 1].value;
  }
  /// Of the one that the thread looked at last. @return whether there is a later value, which it sees now
  bool see_next(int thread) {
    const unsigned* const counter = last_.at(thread);
    const std::vector<Value>& values = values_[counter];
    std::size_t& seen = seen_[{thread, counter}];
    if (seen == values.size()) return false;
    clocks_.acquire(thread, values[seen++].then);
    return true;
  }

 private:
  struct Value {
    unsigned value;
    ThreadClocks::Time then;
  };

  ThreadClocks& clocks_;
  std::map<const unsigned*, std::vector<Value>> values_;
  std::map<std::pair<int, const unsigned*>, std::size_t> seen_;  // values of a counter, by thread
  std::map<int, const unsigned*> last_;                          // that a thread looked at
};

}  // namespace cavs::cuda

#include "measure/rounds.h"

#include <algorithm>
#include <chrono>
#include <ctime>

#include "support/check.h"

namespace cavs::inline v0_1 {
namespace {

constexpr std::int64_t kMinRounds = 3;

}  // namespace

double WorkClock::now() const {
  timespec time{};
  CAVS_ASSERT(clock_gettime(one_thread_ ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC, &time) == 0);
  return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) * 1e-6;
}

double RoundTimes::best() const {
  double sum = 0;
  for (const auto& times : times_) {
    CAVS_ASSERT(!times.empty());
    sum += *std::min_element(times.begin(), times.end());
  }
  return sum;
}

double RoundTimes::median() const {
  double sum = 0;
  for (std::vector<double> times : times_) {
    CAVS_ASSERT(!times.empty());
    const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
    std::nth_element(times.begin(), middle, times.end());
    sum += *middle;
  }
  return sum;
}

std::int64_t run_rounds(const BenchmarkOptions& options, std::int64_t contenders, const std::function<void()>& round) {
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  const double min = options.min_seconds * static_cast<double>(contenders);
  std::int64_t rounds = 0;
  const auto more = [&] {
    if (options.epochs > 0) return rounds < options.epochs;
    return rounds < kMinRounds || std::chrono::duration<double>(Clock::now() - start).count() < min;
  };
  for (; more(); ++rounds) round();
  return rounds;
}

}  // namespace cavs::inline v0_1

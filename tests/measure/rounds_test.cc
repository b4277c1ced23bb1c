#include "measure/rounds.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

namespace cavs {
namespace {

TEST(RoundTimes, AnEpochIsTheBestOrMedianRoundOfEachMinibatch) {
  RoundTimes times(2);
  for (double ms : {5, 3, 4}) times.add(0, ms);
  for (double ms : {10, 30, 20}) times.add(1, ms);
  EXPECT_DOUBLE_EQ(times.best(), 3 + 10);
  EXPECT_DOUBLE_EQ(times.median(), 4 + 20);
}

TEST(Rounds, AreAsManyAsRequested) {
  BenchmarkOptions options;
  options.epochs = 7;
  int calls = 0;
  EXPECT_EQ(run_rounds(options, 100, [&] { ++calls; }), 7);
  EXPECT_EQ(calls, 7);
}

TEST(Rounds, AreAtLeastThreeAndFillTheMinimumTime) {
  BenchmarkOptions options;
  options.min_seconds = 0;
  EXPECT_EQ(run_rounds(options, 1, [] {}), 3);
  options.min_seconds = 0.01;
  const auto start = std::chrono::steady_clock::now();
  EXPECT_GT(run_rounds(options, 3, [] {}), 3);
  EXPECT_GE(std::chrono::steady_clock::now() - start, std::chrono::milliseconds(30));
}

TEST(WorkClock, MeasuresProcessorTimeWithOneThread) {
  const auto sleep = [] { std::this_thread::sleep_for(std::chrono::milliseconds(30)); };
  EXPECT_LT(WorkClock(1).milliseconds_of(sleep), 15);
  EXPECT_GE(WorkClock(2).milliseconds_of(sleep), 30);
  volatile double sum = 0;
  EXPECT_GT(WorkClock(1).milliseconds_of([&] {
    for (int i = 0; i < 1'000'000; ++i) sum = sum + i;
  }),
            0);
}

}  // namespace
}  // namespace cavs

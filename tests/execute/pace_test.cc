#include "execute/pace.h"

#include <gtest/gtest.h>

namespace cavs {
namespace {

/// Simulates runs of one unit of work. A run takes this many seconds with the team, during which workers wait for some
/// of the time, or alone; after a run alone, the rest remains to be done.
struct Course {
  Pace pace{2};
  Pace::Time now{std::chrono::hours(1)};
  double together, alone, rest = 0, waits = 0;
  int runs_alone = 0, runs = 0;
  double seconds = 0;

  void go(int count) {
    runs_alone = runs = 0;
    seconds = 0;
    for (; runs < count; ++runs) {
      const bool is_alone = pace.choose_alone(now);
      const double taken = is_alone ? alone : together;
      now += std::chrono::duration_cast<Pace::Time::duration>(std::chrono::duration<double>(taken));
      pace.add(is_alone, 1, taken, is_alone ? 0 : waits);
      if (is_alone) pace.add_rest(rest);
      runs_alone += is_alone ? 1 : 0;
      seconds += taken + (is_alone ? rest : 0);
    }
  }
};

TEST(Pace, RarelyTriesAMuchSlowerChoice) {
  Course course{.together = 1e-4, .alone = 1.8e-4};
  course.go(100'000);
  EXPECT_GT(course.runs_alone, 0);
  EXPECT_LT(course.seconds, 1.015 * 100'000 * course.together);
}

TEST(Pace, CountsTheRestThatATeamDoesWhileWaiting) {
  Course course{.together = 1e-4, .alone = 0.85e-4, .rest = 0.3e-4};
  course.go(10'000);
  EXPECT_LT(course.runs_alone, 2'000);
  EXPECT_LT(course.seconds, 1.04 * 10'000 * course.together);
}

TEST(Pace, RunsAloneWhileThatIsFaster) {
  Course course{.together = 4e-3, .alone = 1e-4, .waits = 7.8e-3};
  course.go(100);
  course.go(100'000);
  EXPECT_LT(course.seconds, 1.1 * 100'000 * course.alone);
  course.together = 6e-5;
  course.waits = 2e-5;
  course.go(20'000);
  course.go(100'000);
  EXPECT_LT(course.seconds, 1.05 * 100'000 * course.together) << "the other processor is free again";
}

TEST(Pace, ReturnsToATeamThatIsALittleFaster) {
  Course course{.together = 1e-3, .alone = 1e-4};
  course.go(10'000);
  course.together = 0.95e-4;
  course.go(100'000);
  EXPECT_LT(course.seconds, 1.02 * 100'000 * course.together) << course.runs_alone;
}

TEST(Pace, PostponesATrialOfLongRunsThatWouldLose) {
  Course course{.together = 0.1, .alone = 0.19};
  course.go(380);
  EXPECT_EQ(course.runs_alone, 0) << "four runs would lose 0.4 s, 1 % of 40 s";
  course.go(2'000);
  EXPECT_GT(course.runs_alone, 0);
  EXPECT_LT(course.seconds, 1.015 * 2'000 * course.together);
}

TEST(Pace, TriesLongRunsAtOnceIfWorkersWait) {
  Course course{.together = 0.4, .alone = 0.2, .waits = 0.45};
  course.go(17);
  EXPECT_EQ(course.runs_alone, 1);
  course.go(60);
  EXPECT_EQ(course.runs_alone, 60) << "another process uses the other processor";
}

TEST(Pace, NoticesAnotherProcessThatStartsLater) {
  Course course{.together = 0.1, .alone = 0.19};
  course.go(300);
  course.together = 0.4;
  course.waits = 0.45;
  course.go(60);
  EXPECT_GT(course.runs_alone, 20);
}

TEST(Pace, PrefersTheTeamAtEqualSpeed) {
  Course course{.together = 1e-4, .alone = 0.99e-4};
  course.go(10'000);
  EXPECT_LT(course.runs_alone, 1'000);
}

}  // namespace
}  // namespace cavs

#include "execute/team.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "cavs/error.h"

namespace cavs {
namespace {

using testing::Each;
using testing::Eq;

class TeamOf : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Size, TeamOf, testing::Values(1, 2, 3, 8), testing::PrintToStringParamName());

TEST_P(TeamOf, RunsEveryWorkerOnceAndTheCallerAsTheFirst) {
  Team team(GetParam());
  ASSERT_EQ(team.size(), GetParam());
  std::vector<int> calls(static_cast<std::size_t>(team.size()));
  const auto caller = std::this_thread::get_id();
  for (int run = 1; run <= 300; ++run) {
    team.run([&](int worker) {
      ++calls[static_cast<std::size_t>(worker)];
      EXPECT_EQ(std::this_thread::get_id() == caller, worker == 0);
    });
    ASSERT_THAT(calls, Each(Eq(run)));
  }
}

// Each worker reads its neighbour's number of the previous step. The memory is plain: only barriers order accesses.
TEST_P(TeamOf, BarriersOrderWhatWorkersReadAndWrite) {
  constexpr int kSteps = 2000;
  Team team(GetParam());
  const auto n = static_cast<std::size_t>(team.size());
  std::vector<int> now(n), before(n);
  team.run([&](int worker) {
    const auto w = static_cast<std::size_t>(worker);
    for (int step = 0; step < kSteps; ++step) {
      now[w] = before[(w + 1) % n] + 1;
      team.barrier(worker);
      before[w] = now[w];
      team.barrier(worker);
    }
  });
  EXPECT_THAT(now, Each(Eq(kSteps)));
}

TEST_P(TeamOf, RunsAgainAfterItsWorkersSlept) {
  Team team(GetParam());
  std::atomic<int> calls = 0;
  for (int run = 0; run < 3; ++run) {
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    team.run([&](int) { ++calls; });
  }
  EXPECT_EQ(calls, 3 * team.size());
}

// run() throws the exception of any worker, wherever the others wait, and the next run works.
TEST_P(TeamOf, AnExceptionReleasesWorkersAtABarrier) {
  constexpr int kSteps = 6;
  Team team(GetParam());
  for (int thrower = 0; thrower < team.size(); ++thrower)
    for (int at = 0; at < kSteps; ++at) {
      std::atomic<int> late = 0;
      const auto steps = [&](int worker, bool throws) {
        for (int step = 0; step < kSteps; ++step) {
          if (throws && worker == thrower && step == at) throw std::bad_alloc();
          team.barrier(worker);
          if (throws && step > at) ++late;
        }
      };
      EXPECT_THROW(team.run([&](int worker) { steps(worker, true); }), std::bad_alloc);
      EXPECT_EQ(late, 0) << "a worker continued";
      EXPECT_NO_THROW(team.run([&](int worker) { steps(worker, false); }));
    }
}

// A worker that looks for work finds none before the exception.
TEST_P(TeamOf, AnExceptionReleasesSleepingWorkersAndThoseLookingForWork) {
  Team team(GetParam());
  for (const bool looks : {false, true}) {
    EXPECT_THROW(team.run([&](int worker) {
      if (worker == 0) {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));  // far longer than the others spin
        throw std::runtime_error("late");
      }
      if (looks)
        team.barrier(worker, [] { return false; });
      else
        team.barrier(worker);
    }),
                 std::runtime_error);
  }
}

double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

TEST(Team, AWorkerThatWaitsLongAtABarrierSleeps) {
  Team team(3);
  double used = 1;
  team.run([&](int worker) {
    if (worker == 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));  // until the others sleep
      const double before = processor_seconds();
      std::this_thread::sleep_for(std::chrono::milliseconds(200));
      used = processor_seconds() - before;
    }
    team.barrier(worker);
  });
  EXPECT_LT(used, 0.05);
}

TEST(Team, AnIdleTeamUsesNoProcessorTime) {
  Team team(3);
  team.run([](int) {});
  std::this_thread::sleep_for(std::chrono::milliseconds(50));  // until all sleep
  const double before = processor_seconds();
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  const double used = processor_seconds() - before;
  EXPECT_LT(used, 0.05);
}

TEST(Team, SizesBelowOneCountAsOne) {
  Team team(0);
  EXPECT_EQ(team.size(), 1);
}

TEST(TeamSlack, IsUsedByTheLastWorkerWhileItWaits) {
  Team team(2);
  int slices = 0;
  std::atomic<bool> ended = false;
  std::thread::id by;
  team.set_slack([&] {
    by = std::this_thread::get_id();
    if (++slices < 5) return true;
    ended = true;
    return false;
  });
  std::thread::id last;
  team.run([&](int worker) {
    if (worker == 1) last = std::this_thread::get_id();
    while (worker == 0 && !ended) std::this_thread::yield();  // keeps the last worker waiting
    team.barrier(worker);
    team.barrier(worker);
  });
  EXPECT_EQ(slices, 5);
  EXPECT_EQ(by, last);
  team.run([&](int worker) { team.barrier(worker); });
  EXPECT_EQ(slices, 5) << "called after it returned false";
}

TEST(TeamSlack, EndsWhenTheOthersArrive) {
  Team team(2);
  std::atomic<int> slices = 0;
  team.set_slack([&] {
    ++slices;
    return true;
  });
  team.run([&](int worker) {
    while (worker == 0 && slices < 3) std::this_thread::yield();
    team.barrier(worker);
  });
  EXPECT_GE(slices, 3);
  team.set_slack({});
  const int before = slices;
  team.run([&](int worker) { team.barrier(worker); });
  EXPECT_EQ(slices, before);
}

TEST(TeamSlack, ItsExceptionIsRethrownByRun) {
  Team team(2);
  std::atomic<bool> called = false;
  team.set_slack([&]() -> bool {
    called = true;
    throw std::runtime_error("slice");
  });
  EXPECT_THROW(team.run([&](int worker) {
    while (worker == 0 && !called) std::this_thread::yield();
    team.barrier(worker);
  }),
               std::runtime_error);
  EXPECT_NO_THROW(team.run([&](int worker) { team.barrier(worker); }));
}

TEST(TeamSlack, IsNeverCalledForATeamOfOne) {
  Team team(1);
  bool called = false;
  team.set_slack([&] { return called = true; });
  team.run([&](int worker) { team.barrier(worker); });
  EXPECT_FALSE(called);
}

/// Simulates a worker that loses its processor: to others it seems to sleep.
TEST(Team, ACallerThatIsFasterAloneLeavesTheTeamIdle) {
  const char* const before = std::getenv("CAVS_TEAM");
  const std::string kept = before == nullptr ? "" : before;
  unsetenv("CAVS_TEAM");
  Team team(2, Team::Alone::kAllowed), together(2);
  setenv("CAVS_TEAM", kept.c_str(), 1);
  std::atomic<int> others = 0, alone = 0;
  const auto run = [&](Team& of) {
    of.run_and_compare(
        [&](int worker) {
          if (worker != 0) ++others;
          if (worker == 0 && of.size() == 1) ++alone;
          if (worker != 0) std::this_thread::sleep_for(std::chrono::milliseconds(10));
          of.barrier(worker);
        },
        of.choose_alone(), 1);
    EXPECT_EQ(of.size(), 2) << "outside of run()";
  };
  for (int k = 0; k < 60; ++k) run(team);
  EXPECT_EQ(alone + others, 60);
  EXPECT_GE(alone, 40);
  others = alone = 0;
  for (int k = 0; k < 3; ++k) run(together);
  EXPECT_EQ(others, 3);
  EXPECT_EQ(alone, 0);
}

TEST(Team, ARunAloneMayThrow) {
  Team team(2, Team::Alone::kAllowed);
  for (int k = 0; k < 2; ++k) {
    EXPECT_THROW(team.run([&](int worker) {
      if (worker == 0) throw std::runtime_error("mine");
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }),
                 std::runtime_error);
    EXPECT_EQ(team.size(), 2);
  }
}

/// Exit status of a fork of this process that runs f.
template <typename F>
int in_fork(F f) {
  const pid_t child = fork();
  if (child == 0) _exit(f());
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST_P(TeamOf, RefusesToRunInAForkInsteadOfWaitingForever) {
  auto team = std::make_unique<Team>(GetParam());
  std::atomic<int> ran = 0;
  team->run([&](int) { ++ran; });
  EXPECT_EQ(in_fork([&] {
              bool refused = false;
              try {
                team->run([&](int) { ++ran; });
              } catch (const UserError&) {
                refused = true;
              }
              team.reset();  // must not wait for threads, which the fork does not have
              return refused == (GetParam() > 1) ? 0 : 1;
            }),
            0);
  team->run([&](int) { ++ran; });
  EXPECT_EQ(ran, 2 * GetParam());
}

}  // namespace
}  // namespace cavs

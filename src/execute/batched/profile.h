#pragma once

#include <chrono>

#include "cavs/session.h"
#include "execute/batched/worker.h"

namespace cavs::inline v0_1 {

/// Adds the time from its construction to its destruction to the run's time of copies, if the instruction is a copy.
class Timer {
 public:
  Timer(const Worker& worker, const Instruction& instruction);
  ~Timer() {
    if (seconds_ != nullptr) *seconds_ += std::chrono::duration<double>(Clock::now() - start_).count();
  }
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;

 private:
  using Clock = std::chrono::steady_clock;
  double* seconds_ = nullptr;
  Clock::time_point start_;
};

/// Sets the statistics of a plan: instructions, bytes that gathers and other copies move, flops, and bytes of weights.
void count_plan(const Program& program, const Plan& plan, RunStatistics& statistics);

}  // namespace cavs::inline v0_1

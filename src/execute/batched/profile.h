#pragma once

#include <chrono>
#include <cstdint>

#include "execute/batched/worker.h"

namespace cavs {

/// Adds the time that it lives to the run's seconds, where those of the worker are measured.
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

/// What a plan costs: bytes that gathers and other copies move, floating-point operations.
struct PlanCost {
  std::int64_t instructions = 0, bytes_moved = 0;
  double flops = 0;
  std::int64_t weight_bytes = 0, weight_bytes_once = 0;  // see RunStatistics
};
PlanCost cost_of(const Program& program, const Plan& plan);

}  // namespace cavs

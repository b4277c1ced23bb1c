#pragma once

#include <vector>

#include "backend/cpu/kernels.h"
#include "cavs/session.h"

namespace cavs {

/// The peak of all threads of a team, working at once: a sum of each one's best, by its own processor time, so that it
/// is right where the machine has no time for all of them at once.
class Peak {
 public:
  explicit Peak(int workers, cpu::Precision precision = cpu::Precision::kFp32)
      : precision_(precision), gflops_(static_cast<std::size_t>(workers)) {}

  /// Multiply-adds on registers, for about a millisecond.
  void burst(Session& session);
  double gflops() const;

 private:
  cpu::Precision precision_;
  std::vector<double> gflops_;
};

}  // namespace cavs

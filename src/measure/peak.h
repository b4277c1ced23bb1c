#pragma once

#include <vector>

#include "execute/team.h"

namespace cavs {

/// The peak of all threads of a team, working at once: a sum of each one's best, by its own processor time, so that it
/// is right where the machine has no time for all of them at once.
class Peak {
 public:
  explicit Peak(int workers) : gflops_(static_cast<std::size_t>(workers)) {}

  /// Multiply-adds on registers, for less than a millisecond.
  void burst(Team& team);
  double gflops() const;

 private:
  std::vector<double> gflops_;
};

}  // namespace cavs

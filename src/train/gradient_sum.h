#pragma once

#include <vector>

#include "cavs/parameters.h"
#include "cavs/session.h"

namespace cavs {

/// Adds the gradients of several runs up.
class GradientSum {
 public:
  /// `total` must outlive it.
  GradientSum(const Parameters& parameters, Gradients& total);

  /// Adds those of a run to `total`, which has those of the runs before. Cost: linear in the dense parameters and the
  /// rows of tables that are listed.
  void add(Run& run);

 private:
  void add_table(std::size_t p);

  Gradients& total_;
  Gradients more_;
  std::vector<std::vector<char>> listed_;  // rows of each table; empty between calls
};

}  // namespace cavs

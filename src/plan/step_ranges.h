#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "compile/program.h"
#include "plan/plan.h"

namespace cavs::inline v0_1 {

/// Finds the rows of every domain that a step runs over, and the lists whose rows the step can read in place.
class StepRanges {
 public:
  /// The program must outlive the object.
  explicit StepRanges(const Program& program);

  /// Returns the length of Step::ranges for steps of a type.
  static std::int64_t count(const Plan& plan, std::int32_t type) {
    return 2 * plan.types[type].domains() + static_cast<std::int64_t>(plan.types[type].indices.size());
  }
  /// Writes the ranges of a step over `vertices` to `to`. Before: the type's lists are in the plan.
  void write(const Plan& plan, std::int32_t type, Stage stage, RowRange vertices, std::int32_t* to) const;

 private:
  const Program& program_;
  std::vector<std::array<std::vector<std::int32_t>, 3>> lists_read_;  // [types][stages] index lists that it reads
};

}  // namespace cavs::inline v0_1

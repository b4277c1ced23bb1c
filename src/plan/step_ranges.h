#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "compile/program.h"
#include "plan/plan.h"

namespace cavs::inline v0_1 {

/// Says which rows of every domain a step runs over, and which lists it can read in place.
class StepRanges {
 public:
  /// The program outlives it.
  explicit StepRanges(const Program& program);

  /// The length of Step::ranges for the steps of a type.
  static std::int64_t count(const Plan& plan, std::int32_t type) {
    return 2 * plan.types[type].domains() + static_cast<std::int64_t>(plan.types[type].indices.size());
  }
  /// Writes those of a step of these vertices of the type. The plan has the lists of the type.
  void write(const Plan& plan, std::int32_t type, Stage stage, RowRange vertices, std::int32_t* to) const;

 private:
  const Program& program_;
  std::vector<std::array<std::vector<std::int32_t>, 3>> lists_read_;  // [types][stage]
};

}  // namespace cavs::inline v0_1

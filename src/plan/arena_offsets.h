#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "plan/plan_draft.h"

namespace cavs::inline v0_1 {

/// Gives all values offsets in one arena: first the states, then their gradients, then every type's tensors. A tensor
/// that does not span tasks has rows for the largest task only.
class ArenaOffsets {
 public:
  explicit ArenaOffsets(const Program& program);

  /// Before: all steps and lists of rows are in the plan.
  void add_to(PlanDraft& draft);

 private:
  std::int64_t take(std::int64_t rows, std::int64_t width);
  void place_states(PlanDraft& draft);
  void place_tensors(PlanDraft& draft, std::int32_t type);
  void find_largest_tasks(const Plan& plan, std::int32_t type);

  const std::int64_t alignment_;
  std::int64_t used_ = 0;                                            // number of floats that have been given out
  std::vector<std::pair<std::int32_t, std::int32_t>> scattered_by_;  // [states] range of types that scatter the state
  std::vector<std::int32_t> largest_;  // [domains] rows that the largest task of the current type has
};

}  // namespace cavs::inline v0_1

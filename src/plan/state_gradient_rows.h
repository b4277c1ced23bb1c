#pragma once

#include <cstdint>
#include <vector>

#include "plan/plan_draft.h"

namespace cavs::inline v0_1 {

/// Finds the rows of a state's gradient that each site of ∂F scatters to, and the rows that each vertex gathers.
class StateGradientRows {
 public:
  void add_to(PlanDraft& draft);

 private:
  void list_parents(PlanDraft& draft, std::int32_t state);
  void count_parents(PlanDraft& draft, std::int32_t state);

  std::vector<std::int32_t> cursor_;  // [rows of the states] where the next parent's entry goes
};

}  // namespace cavs::inline v0_1

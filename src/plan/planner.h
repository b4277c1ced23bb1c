#pragma once

#include <cstdint>
#include <vector>

#include "plan/arena_offsets.h"
#include "plan/edge_rows.h"
#include "plan/lookup_lists.h"
#include "plan/ports.h"
#include "plan/state_gradient_rows.h"
#include "plan/step_list.h"

namespace cavs::inline v0_1 {

/// Makes plans. Reuses its work arrays. Keeps a reference to the program. Call it from one thread at a time.
class Planner {
 public:
  explicit Planner(const Program& program);
  Planner(const Planner&) = delete;  // its parts refer to each other
  Planner& operator=(const Planner&) = delete;

  /// Cost: linear in vertices + edges. Allocates nothing once its arrays fit the largest minibatch.
  void make(const Minibatch& minibatch, const Schedule& schedule, Plan& plan);

 private:
  const Program& program_;
  std::vector<std::int64_t> sources_;
  EdgeRows edges_;
  Ports ports_;
  StepList steps_;
  StateGradientRows state_gradients_;
  LookupLists lookups_;
  ArenaOffsets offsets_;
};

}  // namespace cavs::inline v0_1

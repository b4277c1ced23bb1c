#pragma once

#include <cstdint>
#include <vector>

#include "compile/program.h"
#include "pack/minibatch.h"
#include "plan/plan.h"
#include "schedule/schedule.h"

namespace cavs::inline v0_1 {

/// A plan under construction, with its inputs.
class PlanDraft {
 public:
  /// Empties the plan. Reuses the memory of `sources` and of the plan.
  PlanDraft(const Program& program, const Minibatch& minibatch, const Schedule& schedule,
            std::vector<std::int64_t>& sources, Plan& plan);

  const Program& program;
  const Minibatch& minibatch;
  const Schedule& schedule;
  Plan& plan;

  std::int32_t types() const { return static_cast<std::int32_t>(program.types.size()); }

  /// Adds a list with uninitialised entries. Invalidates pointers into other lists.
  /// @throws UserError if the plan would have too many rows to count
  Slice new_slice(std::int64_t count);
  /// Returns the list 0, 1, 2, ... of this length. All such lists share memory. Invalidates pointers into other lists.
  Slice identity(std::int32_t count);
  std::int32_t* at(Slice slice) { return plan.rows.data() + slice.begin; }

  /// Returns, per row of the type, its vertex' number in the minibatch. sources() returns the number in the data set.
  const std::int32_t* vertices(std::int32_t type) const { return schedule.vertex.data() + schedule.type_begin[type]; }
  const std::int64_t* sources(std::int32_t type) const { return sources_.data() + schedule.type_begin[type]; }

 private:
  std::vector<std::int64_t>& sources_;
  Slice identity_;  // the longest list that identity() has made
};

}  // namespace cavs::inline v0_1

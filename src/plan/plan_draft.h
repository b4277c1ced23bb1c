#pragma once

#include <cstdint>
#include <vector>

#include "compile/program.h"
#include "pack/minibatch.h"
#include "plan/plan.h"
#include "schedule/schedule.h"

namespace cavs::inline v0_1 {

/// A plan in the making: what it is made from, and the lists of rows that it has so far.
class PlanDraft {
 public:
  /// Empties the plan. `sources` lends its memory, as the plan does.
  PlanDraft(const Program& program, const Minibatch& minibatch, const Schedule& schedule,
            std::vector<std::int64_t>& sources, Plan& plan);

  const Program& program;
  const Minibatch& minibatch;
  const Schedule& schedule;
  Plan& plan;

  std::int32_t types() const { return static_cast<std::int32_t>(program.types.size()); }

  /// A list whose entries are not written yet. Makes pointers into other lists invalid.
  /// @throws UserError where a plan's rows can't be counted any more
  Slice new_slice(std::int64_t count);
  /// A list that says of every row its own number; all of them share one. Pointers: as above.
  Slice identity(std::int32_t count);
  std::int32_t* at(Slice slice) { return plan.rows.data() + slice.begin; }

  /// Vertices of the minibatch, and of the data set, by row of the type.
  const std::int32_t* vertices(std::int32_t type) const { return schedule.vertex.data() + schedule.type_begin[type]; }
  const std::int64_t* sources(std::int32_t type) const { return sources_.data() + schedule.type_begin[type]; }

 private:
  std::vector<std::int64_t>& sources_;
  Slice identity_;  // 0, 1, 2, ...
};

}  // namespace cavs::inline v0_1

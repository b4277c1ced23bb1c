#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "plan/plan_draft.h"
#include "plan/ports.h"
#include "support/split_range.h"

namespace cavs {

/// Says which rows of every domain a step runs over, and which lists it can read in place. Refers to the ports, which
/// must have been added.
class StepRanges {
 public:
  StepRanges(const Program& program, const Ports& ports);

  /// Sets Step::ranges to what belongs to these vertices of the step's type.
  void set(PlanDraft& draft, Step& step, RowRange vertices) const;

 private:
  RowRange rows_of(const PlanDraft& draft, std::int32_t type, DomainId domain, RowRange vertices) const;

  const Ports& ports_;
  std::vector<std::array<std::vector<std::int32_t>, 3>> lists_read_;  // [types][stage]
};

}  // namespace cavs

#pragma once

#include <cstdint>
#include <vector>

#include "plan/plan_draft.h"
#include "plan/port_rows.h"

namespace cavs {

/// Distinct domains: one row for all vertices of a type that have the same number on an index port. Rows are in the
/// order in which the vertices' rows first name them, so those of the first r vertices are the first ones.
class DistinctRows {
 public:
  /// Numbers the rows of a port whose values are there.
  void number(PlanDraft& draft, PortRows& port);
  /// The vertices of each row of the port that was numbered last, in their order.
  /// @return where those of each row begin
  Slice group(PlanDraft& draft, PortRows& port);

 private:
  std::vector<std::int32_t> row_after_;  // by number: 1 + its row; zero between uses
  std::vector<std::int32_t> numbers_;    // by row
  std::vector<std::int32_t> cursor_;     // 0, then how many vertices have each row's number
};

}  // namespace cavs

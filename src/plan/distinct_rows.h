#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "plan/plan_draft.h"

namespace cavs::inline v0_1 {

/// The numbers that the vertices of a type have on an index port, and the rows of the port's domain.
struct PortRows {
  std::string name = {};
  bool distinct = false;
  std::int32_t numbers = 0;  // distinct domains only: upper bound of all numbers
  Slice values = {};         // by vertex row: number, or -1
  std::int32_t present = 0;  // number of vertices that have a number
  Slice before = {};         // partial domains: number of the domain's rows before vertex row r
  // For distinct domains (which are partial domains, too) only:
  Slice row_of = {};     // by vertex row: row of the distinct domain, or -1
  Slice number_of = {};  // by row of the distinct domain: its number
  Slice vertices = {};   // vertices of row 0, then of row 1, ...; only in training
};

/// Makes distinct domains: one row for all vertices of a type with the same number on an index port. Rows are in the
/// order in which vertex rows first have these numbers, so the first r vertices need only the first rows.
class DistinctRows {
 public:
  /// Numbers the rows of a port. Before: its values are read.
  void number(PlanDraft& draft, PortRows& port);
  /// Lists the vertices of each row of the port that was numbered last, in their order.
  /// @return where the vertices of each row begin
  Slice group(PlanDraft& draft, PortRows& port);

 private:
  std::vector<std::int32_t> row_after_;  // by number: 1 + its row; all zero between calls
  std::vector<std::int32_t> numbers_;    // by row
  std::vector<std::int32_t> cursor_;     // 0, then the number of vertices of each row
};

}  // namespace cavs::inline v0_1

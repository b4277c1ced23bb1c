#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "plan/plan_draft.h"

namespace cavs::inline v0_1 {

/// The numbers that the vertices of a type have on an index port, and the rows of the domain that the port makes.
struct PortRows {
  std::string name = {};
  bool distinct = false;
  std::int32_t numbers = 0;  // of distinct domains: all are below
  Slice values = {};         // by vertex row; -1: none
  std::int32_t present = 0;  // vertices that have a value
  Slice before = {};         // of partial domains: their rows before vertex row r
  // Of distinct domains, which are partial, too:
  Slice row_of = {};     // by vertex row, its row, -1
  Slice number_of = {};  // by row
  Slice vertices = {};   // row by row; only in training
};

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

}  // namespace cavs::inline v0_1

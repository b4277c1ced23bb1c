#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "plan/plan_draft.h"

namespace cavs::inline v0_1 {

/// The values (numbers) of an index port at the vertices of a type, and the rows of the domain that the port makes.
struct PortRows {
  std::string name = {};
  bool distinct = false;
  std::int32_t numbers = 0;  // distinct domains only: all values are below this number
  Slice values = {};         // [vertex rows] value, or -1
  std::int32_t present = 0;  // number of vertices that have a value
  Slice before = {};         // partial domains: [vertex rows + 1] number of domain rows that earlier vertex rows need
  // For distinct domains (which are partial domains, too) only:
  Slice row_of = {};     // [vertex rows] row of the distinct domain, or -1
  Slice number_of = {};  // [rows of the distinct domain] the value that the row belongs to
  Slice vertices = {};   // vertex rows of domain row 0, then those of row 1, ...; only in training
};

/// Makes distinct domains: one row for all vertices of a type that have the same value of an index port. Rows are in
/// the order in which vertex rows first have their values, so the first r vertices need only the first rows.
class DistinctRows {
 public:
  /// Assigns domain rows to the values of a port. Before: PortRows::values is filled.
  void number(PlanDraft& draft, PortRows& port);
  /// Lists the vertices of each domain row, in ascending order, for the port of the last call of number().
  /// @return where the vertices of each domain row begin in PortRows::vertices
  Slice group(PlanDraft& draft, PortRows& port);

 private:
  std::vector<std::int32_t> row_after_;  // [values] 1 + domain row of the value; all zero between calls
  std::vector<std::int32_t> numbers_;    // [domain rows] the row's value
  std::vector<std::int32_t> cursor_;     // 0, then the number of vertices of each domain row
};

}  // namespace cavs::inline v0_1

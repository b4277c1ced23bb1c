#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "plan/plan_draft.h"
#include "plan/ports.h"

namespace cavs::inline v0_1 {

/// Makes lists for the gradients of lookup tables: for each table row, the rows that are added to its gradient, and the
/// table rows that have a gradient. Keeps a reference to the ports, which must be added first.
class LookupLists {
 public:
  LookupLists(const Program& program, const Ports& ports);

  void add_to(PlanDraft& draft);

 private:
  /// An instruction that adds to the gradient of a table.
  struct Use {
    std::int32_t type, index, table;
  };
  /// A lookup: row `row` of the type reads the table row groups_[group].
  struct Lookup {
    std::int32_t group, row;
  };

  class Grouping;

  void add_list(PlanDraft& draft, const Use& use);
  void group_lookups(const PlanDraft& draft, const Use& use, const std::string& port, const std::int32_t* before);
  void group_edge_lookups(PlanDraft& draft, const Use& use, const std::string& port);
  void write_list(PlanDraft& draft, LookupList& list);
  const LookupList* only_list_of(const Plan& plan, std::int32_t table) const;
  Slice list_touched(PlanDraft& draft, std::int32_t table);

  const Ports& ports_;
  std::vector<Use> uses_;
  std::vector<std::vector<std::int32_t>> stamps_;  // [parameters][table rows] 1 + group of the row; zero between calls
  std::vector<std::int32_t> groups_;               // per group: the table row that its lookups read
  std::vector<std::int32_t> cursor_;               // [groups] number of its lookups, then position in the list
  std::vector<Lookup> lookups_;                    // lookups of the current list
};

}  // namespace cavs::inline v0_1

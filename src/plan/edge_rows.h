#pragma once

#include <cstdint>
#include <vector>

#include "plan/plan_draft.h"

namespace cavs {

/// Rows of the edges of each type: those of a vertex follow each other, in the order of its children.
class EdgeRows {
 public:
  explicit EdgeRows(const Program& program);

  /// Where the edges of each vertex begin (Plan::Type::segments), for a type that uses them.
  void add_to(PlanDraft& draft, std::int32_t type);

  // Lists by edge, of the type that was added last.
  Slice vertices(PlanDraft& draft, std::int32_t type);                 // row of its vertex; made once
  Slice children(PlanDraft& draft, std::int32_t type) const;           // row of the child in the states
  Slice spread(PlanDraft& draft, std::int32_t type, Slice by_vertex);  // what is listed for its vertex

 private:
  std::vector<char> is_used_;  // [types]
  Slice vertices_;             // none yet, or of the type at hand
};

}  // namespace cavs

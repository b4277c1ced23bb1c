#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "plan/plan_draft.h"

namespace cavs::inline v0_1 {

/// Calls f(slot of the data set) for the edges of row `r` of a type, in the order of their rows.
template <typename F>
void each_edge(const PlanDraft& draft, std::int32_t type, std::int32_t r, F f) {
  const Minibatch& m = draft.minibatch;
  const std::int32_t vertex = draft.vertices(type)[r], begin = m.child_begin[vertex];
  const std::int64_t source = m.bound->graphs().child_begin()[draft.sources(type)[r]];
  for (std::int32_t k = begin + draft.program.types[type].first_edge_slot; k < m.child_begin[vertex + 1]; ++k)
    if (m.children[k] >= 0) f(source + (k - begin));
}

/// Rows of the edges of each type: those of a vertex follow each other, in the order of its children.
class EdgeRows {
 public:
  explicit EdgeRows(const Program& program);

  /// Where the edges of each vertex begin (Plan::Type::segments), for a type that uses them.
  void add_to(PlanDraft& draft, std::int32_t type);

  // Lists by edge, of the type that was added last.
  Slice vertices(PlanDraft& draft, std::int32_t type);                               // row of its vertex; made once
  Slice children(PlanDraft& draft, std::int32_t type) const;                         // row of the child in the states
  Slice data_rows(PlanDraft& draft, std::int32_t type) const;                        // the data set's child slot
  Slice values(PlanDraft& draft, std::int32_t type, const std::string& port) const;  // number of an index port, -1
  Slice spread(PlanDraft& draft, std::int32_t type, Slice by_vertex);                // what is listed for its vertex
  Slice samples(PlanDraft& draft, std::int32_t type) const;                          // number of its sample in the data
  Slice slots(PlanDraft& draft, std::int32_t type) const;                            // its child slot in the sample

 private:
  std::vector<char> is_used_;  // [types]
  Slice vertices_;             // none yet, or of the type at hand
};

}  // namespace cavs::inline v0_1

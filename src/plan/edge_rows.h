#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "plan/plan_draft.h"

namespace cavs::inline v0_1 {

/// Calls f(child slot of the data set) for the edges of vertex row `r` of a type, in the order of the edges.
template <typename F>
void each_edge(const PlanDraft& draft, std::int32_t type, std::int32_t r, F f) {
  const Minibatch& m = draft.minibatch;
  const std::int32_t vertex = draft.vertices(type)[r], begin = m.child_begin[vertex];
  const std::int64_t source = m.bound->graphs().child_begin()[draft.sources(type)[r]];
  for (std::int32_t k = begin + draft.program.types[type].first_edge_slot; k < m.child_begin[vertex + 1]; ++k)
    if (m.children[k] >= 0) f(source + (k - begin));
}

/// Gives rows to the edges of each type: the edges of a vertex follow each other, in the order of its children.
class EdgeRows {
 public:
  explicit EdgeRows(const Program& program);

  /// Adds the first edge of each vertex (Plan::Type::segments), if the type uses edges.
  void add_to(PlanDraft& draft, std::int32_t type);

  // Each function makes a list with an entry per edge of the type that was last given to add_to():
  Slice vertices(PlanDraft& draft, std::int32_t type);         // row of the vertex that has the edge; made once
  Slice children(PlanDraft& draft, std::int32_t type) const;   // row in the states of the edge's child
  Slice data_rows(PlanDraft& draft, std::int32_t type) const;  // child slot in the data set
  Slice values(PlanDraft& draft, std::int32_t type, const std::string& port) const;  // value of an index port, or -1
  Slice spread(PlanDraft& draft, std::int32_t type, Slice by_vertex);  // entry of `by_vertex` for the edge's vertex
  Slice samples(PlanDraft& draft, std::int32_t type) const;            // number of the edge's sample in the data set
  Slice slots(PlanDraft& draft, std::int32_t type) const;              // child slot within the sample

 private:
  std::vector<char> is_used_;  // [types] true if the type uses its edges
  Slice vertices_;             // vertices() of the current type, once made
};

}  // namespace cavs::inline v0_1

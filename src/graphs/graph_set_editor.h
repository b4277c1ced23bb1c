#pragma once

#include <cstdint>
#include <vector>

#include "cavs/graph.h"

namespace cavs::inline v0_1::detail {

/// Rewrites a set in place, without checks. It is for graphs that the library rebuilds at every step, for which checks
/// and derived data would cost more than the step. Before the set is read, the writer must ensure all that
/// GraphSet::add checks, and set all that it derives.
class GraphSetEditor {
 public:
  explicit GraphSetEditor(GraphSet& graphs) : graphs_(graphs) {}

  std::vector<std::int64_t>& vertex_begin() { return graphs_.arrays_.sample_begin.own(); }
  std::vector<std::int32_t>& types() { return graphs_.arrays_.types.own(); }
  std::vector<std::int64_t>& child_begin() { return graphs_.arrays_.child_offsets.own(); }
  std::vector<std::int32_t>& children() { return graphs_.arrays_.children.own(); }
  std::vector<std::int64_t>& parent_begin() { return graphs_.parent_begin_; }
  std::vector<std::int32_t>& levels() { return graphs_.levels_; }
  std::vector<std::int32_t>& index_pulls(std::size_t port) { return graphs_.arrays_.index_pulls[port].own(); }
  std::vector<float>& float_pulls(std::size_t port) { return graphs_.arrays_.float_pulls[port].own(); }

 private:
  GraphSet& graphs_;
};

}  // namespace cavs::inline v0_1::detail

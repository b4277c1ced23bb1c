#pragma once

#include <cstdint>
#include <vector>

#include "cavs/graph.h"

namespace cavs::inline v0_1::detail {

/// Rewrites a set in place, for graphs that the library itself makes anew at every step, where checking and deriving
/// would cost more than the step. Nothing is checked: who writes answers for all that GraphSet::add checks and derives,
/// before anybody reads the set.
class GraphSetEditor {
 public:
  explicit GraphSetEditor(GraphSet& graphs) : arrays_(graphs.arrays_) {}

  std::vector<std::int64_t>& vertex_begin() { return arrays_.vertex_begin.own(); }
  std::vector<std::int32_t>& types() { return arrays_.types.own(); }
  std::vector<std::int64_t>& child_begin() { return arrays_.child_begin.own(); }
  std::vector<std::int32_t>& children() { return arrays_.children.own(); }
  std::vector<std::int64_t>& parent_begin() { return arrays_.parent_begin; }
  std::vector<std::int32_t>& levels() { return arrays_.levels; }
  std::vector<std::int32_t>& index_pulls(std::size_t port) { return arrays_.vertices.indices[port].own(); }
  std::vector<float>& float_pulls(std::size_t port) { return arrays_.vertices.floats[port].own(); }

 private:
  GraphSet::Arrays& arrays_;
};

}  // namespace cavs::inline v0_1::detail

#include <algorithm>
#include <cstddef>
#include <limits>
#include <utility>

#include "cavs/graph.h"
#include "graphs/check_graph.h"
#include "graphs/topology.h"
#include "support/check.h"

namespace cavs {
namespace {

/// Room for `more` values; doubles, so that many small graphs cost a constant each.
template <typename T>
void reserve_more(std::vector<T>& values, std::size_t more) {
  if (values.capacity() - values.size() < more) values.reserve(std::max(values.size() + more, 2 * values.capacity()));
}

template <typename T>
void append(std::vector<T>& values, const std::vector<T>& more) {
  values.insert(values.end(), more.begin(), more.end());
}

/// Turns the offsets of one graph (from 0) into positions of the whole set; the leading 0 is already there.
void append_offsets(std::vector<std::int64_t>& begin, const std::vector<std::int32_t>& offsets) {
  const std::int64_t base = begin.back();
  for (std::size_t i = 1; i < offsets.size(); ++i) begin.push_back(base + offsets[i]);
}

}  // namespace

GraphSchema tree_schema() {
  return GraphSchema{.types = {"leaf", "inner"}, .index_ports = {"word", "label"}, .float_ports = {}};
}

GraphSet::GraphSet(GraphSchema schema, GraphLimits limits)
    : index_pulls(schema.index_ports.size()),
      float_pulls(schema.float_ports.size()),
      float_present(schema.float_ports.size()),
      schema_(std::move(schema)),
      limits_(limits) {
  check_schema(schema_);
}

void GraphSet::add(const InputGraph& graph, const std::string& where) {
  user_check(size() < std::numeric_limits<std::int32_t>::max(), "{}: the set is full; it holds {} graphs", where,
             size());
  check_graph(graph, schema_, limits_, where);
  const Topology topology = derive_topology(graph, where);
  user_check(topology.depth <= limits_.depth,
             "{}: the longest path has {} vertices; at most {} are allowed (GraphLimits::depth)", where, topology.depth,
             limits_.depth);
  reserve_for(graph, topology.parents.size());  // the last call that can throw
  vertex_begin.push_back(vertices() + static_cast<std::int64_t>(graph.types.size()));
  append(types, graph.types);
  append_offsets(child_begin, graph.child_offsets);
  append(children, graph.children);
  append_offsets(parent_begin, topology.parent_offsets);
  append(parents, topology.parents);
  append(levels, topology.levels);
  append_pulls(graph);
}

void GraphSet::reserve_for(const InputGraph& graph, std::size_t parents_more) {
  const std::size_t more = graph.types.size();
  reserve_more(vertex_begin, 1);
  reserve_more(types, more);
  reserve_more(child_begin, more);
  reserve_more(children, graph.children.size());
  reserve_more(parent_begin, more);
  reserve_more(parents, parents_more);
  reserve_more(levels, more);
  for (auto& values : index_pulls) reserve_more(values, more);
  for (std::size_t p = 0; p < float_pulls.size(); ++p) {
    reserve_more(float_pulls[p], graph.float_pulls[p].size());
    reserve_more(float_present[p], more);
  }
}

void GraphSet::append_pulls(const InputGraph& graph) {
  const std::size_t vertices_more = graph.types.size();
  for (std::size_t p = 0; p < index_pulls.size(); ++p) append(index_pulls[p], graph.index_pulls[p]);
  for (std::size_t p = 0; p < float_pulls.size(); ++p) {
    const std::size_t first = float_pulls[p].size(), width = static_cast<std::size_t>(schema_.float_ports[p].width);
    append(float_pulls[p], graph.float_pulls[p]);
    const bool all_present = graph.float_present.empty() || graph.float_present[p].empty();
    for (std::size_t v = 0; v < vertices_more; ++v) {
      const bool present = all_present || graph.float_present[p][v] != 0;
      float_present[p].push_back(present ? 1 : 0);
      if (!present) std::fill_n(float_pulls[p].begin() + static_cast<std::ptrdiff_t>(first + v * width), width, 0.0F);
    }
  }
}

}  // namespace cavs

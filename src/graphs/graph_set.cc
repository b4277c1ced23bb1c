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

/// @throws UserError also where a path is too long.
template <typename Graph>
Topology checked_topology(const Graph& graph, const GraphLimits& limits, const Place& where) {
  Topology topology = derive_topology(graph, where);
  user_check(topology.depth <= limits.depth,
             "{}: the longest path has {} vertices; at most {} are allowed (GraphLimits::depth)", where, topology.depth,
             limits.depth);
  return topology;
}

/// Presence is 0 or 1, absent rows are zeros, from vertex `first` on.
void normalize(std::vector<float>& numbers, std::vector<std::uint8_t>& present, std::size_t first, std::size_t width) {
  for (std::size_t v = first; v < present.size(); ++v) {
    present[v] = present[v] != 0 ? 1 : 0;
    if (present[v] == 0) std::fill_n(numbers.begin() + static_cast<std::ptrdiff_t>(v * width), width, 0.0F);
  }
}

template <typename T>
std::vector<std::span<const T>> views_of(const std::vector<std::vector<T>>& ports) {
  return {ports.begin(), ports.end()};
}

template <typename T>
std::vector<T> copy_of(std::span<const T> values) {
  return {values.begin(), values.end()};
}

}  // namespace

GraphSchema tree_schema() {
  return GraphSchema{.types = {"leaf", "inner"}, .index_ports = {"word", "label"}, .float_ports = {}};
}

GraphArraysView GraphArraysView::of(const GraphArrays& arrays) {
  return {arrays.sample_begin,           arrays.types,
          arrays.child_offsets,          arrays.children,
          views_of(arrays.index_pulls),  views_of(arrays.float_pulls),
          views_of(arrays.float_present)};
}

GraphSet::GraphSet(GraphSchema schema, GraphLimits limits) : schema_(std::move(schema)), limits_(limits) {
  check_schema(schema_);
  arrays_.index_pulls.resize(schema_.index_ports.size());
  arrays_.float_pulls.resize(schema_.float_ports.size());
  arrays_.float_present.resize(schema_.float_ports.size());
}

GraphSet GraphSet::from_arrays(GraphSchema schema, GraphArrays arrays, GraphLimits limits, const std::string& where) {
  GraphSet set(std::move(schema), limits);
  check_arrays(GraphArraysView::of(arrays), set.schema_, limits, where);
  const std::size_t vertices = arrays.types.size();
  arrays.float_present.resize(arrays.float_pulls.size());
  Arrays& a = set.arrays_;
  for (std::size_t p = 0; p < arrays.float_pulls.size(); ++p) {
    auto& numbers = arrays.float_pulls[p];
    auto& present = arrays.float_present[p];
    if (present.empty()) present.assign(vertices, 1);
    normalize(numbers, present, 0, static_cast<std::size_t>(set.schema_.float_ports[p].width));
    a.float_pulls[p].own() = std::move(numbers), a.float_present[p].own() = std::move(present);
  }
  for (std::size_t p = 0; p < arrays.index_pulls.size(); ++p) a.index_pulls[p].own() = std::move(arrays.index_pulls[p]);
  a.vertex_begin.own() = std::move(arrays.sample_begin), a.types.own() = std::move(arrays.types);
  a.child_begin.own() = std::move(arrays.child_offsets), a.children.own() = std::move(arrays.children);
  set.derive(where);
  return set;
}

GraphSet GraphSet::over_arrays(GraphSchema schema, const GraphArraysView& arrays, GraphLimits limits,
                               const std::string& where) {
  GraphSet set(std::move(schema), limits);
  check_arrays(arrays, set.schema_, limits, where);
  check_rows_as_kept(arrays, set.schema_, where);
  using detail::FlatArray;
  Arrays& a = set.arrays_;
  a.vertex_begin = FlatArray(arrays.sample_begin), a.types = FlatArray(arrays.types);
  a.child_begin = FlatArray(arrays.child_offsets), a.children = FlatArray(arrays.children);
  for (std::size_t p = 0; p < arrays.index_pulls.size(); ++p) a.index_pulls[p] = FlatArray(arrays.index_pulls[p]);
  for (std::size_t p = 0; p < arrays.float_pulls.size(); ++p) {
    a.float_pulls[p] = FlatArray(arrays.float_pulls[p]);
    if (arrays.float_present.empty() || arrays.float_present[p].empty())
      a.float_present[p].own().assign(arrays.types.size(), 1);
    else
      a.float_present[p] = FlatArray(arrays.float_present[p]);
  }
  set.derive(where);
  return set;
}

/// Parents and levels of all samples.
void GraphSet::derive(const std::string& where) {
  GraphArraysView shape;
  shape.sample_begin = vertex_begin(), shape.types = types();
  shape.child_offsets = child_begin(), shape.children = children();
  arrays_.parent_begin.reserve(types().size() + 1), arrays_.levels.reserve(types().size());
  arrays_.parents.reserve(children().size());
  for (std::int32_t s = 0; s < size(); ++s) {
    const Topology topology = checked_topology(shape_of(shape, s), limits_, {where, s});
    append_offsets(arrays_.parent_begin, topology.parent_offsets);
    append(arrays_.parents, topology.parents);
    append(arrays_.levels, topology.levels);
  }
}

GraphArrays GraphSet::to_arrays() const {
  GraphArrays arrays{copy_of(vertex_begin()), copy_of(types()), copy_of(child_begin()), copy_of(children())};
  for (const auto& port : arrays_.index_pulls) arrays.index_pulls.push_back(copy_of(port.view()));
  for (const auto& port : arrays_.float_pulls) arrays.float_pulls.push_back(copy_of(port.view()));
  for (const auto& port : arrays_.float_present) arrays.float_present.push_back(copy_of(port.view()));
  return arrays;
}

void GraphSet::add(const InputGraph& graph, const std::string& where) {
  user_check(size() < std::numeric_limits<std::int32_t>::max(), "{}: the set is full; it holds {} graphs", where,
             size());
  check_graph(graph, schema_, limits_, where);
  const Topology topology = checked_topology(graph, limits_, where);
  reserve_for(graph, topology.parents.size());  // the last call that can throw
  arrays_.vertex_begin.own().push_back(vertices() + static_cast<std::int64_t>(graph.types.size()));
  append(arrays_.types.own(), graph.types);
  append_offsets(arrays_.child_begin.own(), graph.child_offsets);
  append(arrays_.children.own(), graph.children);
  append_offsets(arrays_.parent_begin, topology.parent_offsets);
  append(arrays_.parents, topology.parents);
  append(arrays_.levels, topology.levels);
  append_pulls(graph);
}

void GraphSet::reserve_for(const InputGraph& graph, std::size_t parents_more) {
  const std::size_t more = graph.types.size();
  reserve_more(arrays_.vertex_begin.own(), 1);
  reserve_more(arrays_.types.own(), more);
  reserve_more(arrays_.child_begin.own(), more);
  reserve_more(arrays_.children.own(), graph.children.size());
  reserve_more(arrays_.parent_begin, more);
  reserve_more(arrays_.parents, parents_more);
  reserve_more(arrays_.levels, more);
  for (auto& values : arrays_.index_pulls) reserve_more(values.own(), more);
  for (std::size_t p = 0; p < arrays_.float_pulls.size(); ++p) {
    reserve_more(arrays_.float_pulls[p].own(), graph.float_pulls[p].size());
    reserve_more(arrays_.float_present[p].own(), more);
  }
}

void GraphSet::append_pulls(const InputGraph& graph) {
  for (std::size_t p = 0; p < arrays_.index_pulls.size(); ++p)
    append(arrays_.index_pulls[p].own(), graph.index_pulls[p]);
  for (std::size_t p = 0; p < arrays_.float_pulls.size(); ++p) {
    auto& numbers = arrays_.float_pulls[p].own();
    auto& present = arrays_.float_present[p].own();
    const std::size_t first = present.size();
    append(numbers, graph.float_pulls[p]);
    if (graph.float_present.empty() || graph.float_present[p].empty())
      present.resize(first + graph.types.size(), 1);
    else
      append(present, graph.float_present[p]);
    normalize(numbers, present, first, static_cast<std::size_t>(schema_.float_ports[p].width));
  }
}

}  // namespace cavs

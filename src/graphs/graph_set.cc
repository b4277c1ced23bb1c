#include <algorithm>
#include <cstddef>
#include <limits>
#include <utility>

#include "cavs/graph.h"
#include "graphs/check_graph.h"
#include "graphs/topology.h"
#include "support/check.h"

namespace cavs::inline v0_1 {
namespace {

/// Reserves memory for `more` values. Capacity doubles, so adding a small graph has constant amortized cost.
template <typename T>
void reserve_more(std::vector<T>& values, std::size_t more) {
  if (values.capacity() - values.size() < more) values.reserve(std::max(values.size() + more, 2 * values.capacity()));
}

template <typename T>
void append(std::vector<T>& values, const std::vector<T>& more) {
  values.insert(values.end(), more.begin(), more.end());
}

/// Appends `offsets` of one graph, which begin at 0, to the offsets `begin` of the whole set, which are never empty.
void append_offsets(std::vector<std::int64_t>& begin, const auto& offsets) {
  const std::int64_t base = begin.back();
  for (std::size_t i = 1; i < offsets.size(); ++i) begin.push_back(base + offsets[i]);
}

/// Like derive_topology(). Also throws UserError if a path is longer than GraphLimits::depth.
template <typename Graph>
Topology checked_topology(const Graph& graph, const GraphLimits& limits, const Place& where) {
  Topology topology = derive_topology(graph, where);
  user_check(topology.depth <= limits.depth,
             "{}: the longest path has {} vertices; at most {} are allowed (GraphLimits::depth)", where, topology.depth,
             limits.depth);
  return topology;
}

/// Normalizes a float port from row `first` on: presence becomes 0 or 1, and absent rows become zeros.
void normalize(std::vector<float>& numbers, std::vector<std::uint8_t>& present, std::size_t first, std::size_t width) {
  for (std::size_t r = first; r < present.size(); ++r) {
    present[r] = present[r] != 0 ? 1 : 0;
    if (present[r] == 0) std::fill_n(numbers.begin() + static_cast<std::ptrdiff_t>(r * width), width, 0.0F);
  }
}

/// Returns the presence of the rows of an edge port, which is `given` except that slots of absent children are absent.
std::vector<std::uint8_t> edges_present(std::span<const std::int32_t> children,
                                        std::span<const std::uint8_t> given = {}) {
  std::vector<std::uint8_t> present(children.size());
  for (std::size_t k = 0; k < present.size(); ++k)
    present[k] = children[k] >= 0 && (given.empty() || given[k] != 0) ? 1 : 0;
  return present;
}

/// Returns the presence of the rows of a port; empty if all rows are present.
template <typename Present>
std::span<const std::uint8_t> present_of(const Present& ports, std::size_t port) {
  return ports.empty() ? std::span<const std::uint8_t>() : std::span<const std::uint8_t>(ports[port]);
}

template <typename T>
std::vector<std::span<const T>> views_of(const std::vector<std::vector<T>>& ports) {
  return {ports.begin(), ports.end()};
}

/// References to the arrays of all ports of vertices, or of all ports of edges.
template <template <typename> typename Array>
struct PortsOf {
  std::vector<Array<std::int32_t>>& indices;
  std::vector<Array<float>>& floats;
  std::vector<Array<std::uint8_t>>& present;
};
template <template <typename> typename Array>
PortsOf<Array> of_vertices(BasicGraphArrays<Array>& arrays) {
  return {arrays.index_pulls, arrays.float_pulls, arrays.float_present};
}
template <template <typename> typename Array>
PortsOf<Array> of_edges(BasicGraphArrays<Array>& arrays) {
  return {arrays.edge_index_pulls, arrays.edge_float_pulls, arrays.edge_float_present};
}
using KeptPorts = PortsOf<detail::FlatArray>;

template <typename T>
std::vector<T> copy_of(std::span<const T> values) {
  return {values.begin(), values.end()};
}

}  // namespace

GraphSchema tree_schema() {
  return GraphSchema{.types = {"leaf", "inner"}, .index_ports = {"word", "label"}, .float_ports = {}};
}

GraphArraysView view_of(const GraphArrays& arrays) {
  return {arrays.sample_begin,
          arrays.types,
          arrays.child_offsets,
          arrays.children,
          views_of(arrays.index_pulls),
          views_of(arrays.float_pulls),
          views_of(arrays.float_present),
          views_of(arrays.edge_index_pulls),
          views_of(arrays.edge_float_pulls),
          views_of(arrays.edge_float_present)};
}

GraphSet::GraphSet(GraphSchema schema, GraphLimits limits) : schema_(std::move(schema)), limits_(limits) {
  check_schema(schema_);
  arrays_.sample_begin.own() = {0};
  arrays_.child_offsets.own() = {0};
  const auto make = [](KeptPorts ports, std::size_t indices, std::size_t floats) {
    ports.indices.resize(indices);
    ports.floats.resize(floats);
    ports.present.resize(floats);
  };
  make(of_vertices(arrays_), schema_.index_ports.size(), schema_.float_ports.size());
  make(of_edges(arrays_), schema_.edge_index_ports.size(), schema_.edge_float_ports.size());
}

GraphSet GraphSet::from_arrays(GraphSchema schema, GraphArrays arrays, GraphLimits limits, const std::string& where) {
  GraphSet set(std::move(schema), limits);
  check_arrays(view_of(arrays), set.schema_, limits, where);
  BasicGraphArrays<detail::FlatArray>& a = set.arrays_;
  const auto take_floats = [](KeptPorts ports, const std::vector<GraphSchema::FloatPort>& named, auto& floats,
                              auto present_of_port) {
    for (std::size_t p = 0; p < floats.size(); ++p) {
      std::vector<std::uint8_t> present = present_of_port(p);
      normalize(floats[p], present, 0, static_cast<std::size_t>(named[p].width));
      ports.floats[p].own() = std::move(floats[p]);
      ports.present[p].own() = std::move(present);
    }
  };
  const auto take_indices = [](KeptPorts ports, auto& indices) {
    for (std::size_t p = 0; p < indices.size(); ++p) ports.indices[p].own() = std::move(indices[p]);
  };
  take_floats(of_vertices(a), set.schema_.float_ports, arrays.float_pulls, [&](std::size_t p) {
    const bool given = !arrays.float_present.empty() && !arrays.float_present[p].empty();
    return given ? std::move(arrays.float_present[p]) : std::vector<std::uint8_t>(arrays.types.size(), 1);
  });
  take_floats(of_edges(a), set.schema_.edge_float_ports, arrays.edge_float_pulls,
              [&](std::size_t p) { return edges_present(arrays.children, present_of(arrays.edge_float_present, p)); });
  take_indices(of_vertices(a), arrays.index_pulls);
  take_indices(of_edges(a), arrays.edge_index_pulls);
  a.sample_begin.own() = std::move(arrays.sample_begin);
  a.types.own() = std::move(arrays.types);
  a.child_offsets.own() = std::move(arrays.child_offsets);
  a.children.own() = std::move(arrays.children);
  set.derive(where);
  return set;
}

GraphSet GraphSet::over_arrays(GraphSchema schema, const GraphArraysView& arrays, GraphLimits limits,
                               const std::string& where) {
  GraphSet set(std::move(schema), limits);
  check_arrays(arrays, set.schema_, limits, where);
  check_rows_as_kept(arrays, set.schema_, where);
  using detail::FlatArray;
  BasicGraphArrays<detail::FlatArray>& a = set.arrays_;
  a.sample_begin = FlatArray(arrays.sample_begin);
  a.types = FlatArray(arrays.types);
  a.child_offsets = FlatArray(arrays.child_offsets);
  a.children = FlatArray(arrays.children);
  const auto keep = [](KeptPorts ports, const auto& indices, const auto& floats, const auto& presence,
                       auto all_present) {
    for (std::size_t p = 0; p < indices.size(); ++p) ports.indices[p] = FlatArray(indices[p]);
    for (std::size_t p = 0; p < floats.size(); ++p) {
      ports.floats[p] = FlatArray(floats[p]);
      if (const auto present = present_of(presence, p); !present.empty())
        ports.present[p] = FlatArray(present);
      else
        ports.present[p].own() = all_present();
    }
  };
  keep(of_vertices(a), arrays.index_pulls, arrays.float_pulls, arrays.float_present,
       [&] { return std::vector<std::uint8_t>(arrays.types.size(), 1); });
  keep(of_edges(a), arrays.edge_index_pulls, arrays.edge_float_pulls, arrays.edge_float_present,
       [&] { return edges_present(arrays.children); });
  set.derive(where);
  return set;
}

/// Computes parents and levels of all samples.
void GraphSet::derive(const std::string& where) {
  GraphArraysView shape;
  shape.sample_begin = vertex_begin();
  shape.types = types();
  shape.child_offsets = child_begin();
  shape.children = children();
  parent_begin_.reserve(types().size() + 1);
  levels_.reserve(types().size());
  parents_.reserve(children().size());
  for (std::int32_t s = 0; s < size(); ++s) {
    const Topology topology = checked_topology(shape_of(shape, s), limits_, {where, s});
    append_offsets(parent_begin_, topology.parent_offsets);
    append(parents_, topology.parents);
    append(levels_, topology.levels);
  }
}

GraphArrays GraphSet::to_arrays() const {
  GraphArrays arrays{copy_of(vertex_begin()), copy_of(types()), copy_of(child_begin()), copy_of(children())};
  const auto copy = [](const auto& ports, auto& copies) {
    for (const auto& port : ports) copies.push_back(copy_of(port.view()));
  };
  copy(arrays_.index_pulls, arrays.index_pulls);
  copy(arrays_.edge_index_pulls, arrays.edge_index_pulls);
  copy(arrays_.float_pulls, arrays.float_pulls);
  copy(arrays_.edge_float_pulls, arrays.edge_float_pulls);
  copy(arrays_.float_present, arrays.float_present);
  copy(arrays_.edge_float_present, arrays.edge_float_present);
  return arrays;
}

void GraphSet::add(const InputGraph& graph, const std::string& where) {
  user_check(size() < std::numeric_limits<std::int32_t>::max(), "{}: the set is full; it holds {} graphs", where,
             size());
  check_graph(graph, schema_, limits_, where);
  const Topology topology = checked_topology(graph, limits_, where);
  reserve_for(graph, topology.parents.size());  // nothing after this line throws, so a failed add() changes nothing
  arrays_.sample_begin.own().push_back(vertices() + static_cast<std::int64_t>(graph.types.size()));
  append(arrays_.types.own(), graph.types);
  append_offsets(arrays_.child_offsets.own(), graph.child_offsets);
  append(arrays_.children.own(), graph.children);
  append_offsets(parent_begin_, topology.parent_offsets);
  append(parents_, topology.parents);
  append(levels_, topology.levels);
  const auto add_floats = [](KeptPorts ports, const auto& floats, const auto& named, auto present_of_port) {
    for (std::size_t p = 0; p < ports.floats.size(); ++p) {
      auto& numbers = ports.floats[p].own();
      auto& present = ports.present[p].own();
      const std::size_t first = present.size();
      append(numbers, floats[p]);
      present_of_port(p, present);
      normalize(numbers, present, first, static_cast<std::size_t>(named[p].width));
    }
  };
  const auto add_indices = [](KeptPorts ports, const auto& indices) {
    for (std::size_t p = 0; p < ports.indices.size(); ++p) append(ports.indices[p].own(), indices[p]);
  };
  add_indices(of_vertices(arrays_), graph.index_pulls);
  add_indices(of_edges(arrays_), graph.edge_index_pulls);
  add_floats(of_vertices(arrays_), graph.float_pulls, schema_.float_ports,
             [&](std::size_t p, std::vector<std::uint8_t>& present) {
               if (const auto given = present_of(graph.float_present, p); !given.empty())
                 present.insert(present.end(), given.begin(), given.end());
               else
                 present.resize(present.size() + graph.types.size(), 1);
             });
  add_floats(of_edges(arrays_), graph.edge_float_pulls, schema_.edge_float_ports,
             [&](std::size_t p, std::vector<std::uint8_t>& present) {
               const auto given = present_of(graph.edge_float_present, p);
               for (std::size_t k = 0; k < graph.children.size(); ++k)
                 present.push_back(graph.children[k] >= 0 && (given.empty() || given[k] != 0) ? 1 : 0);
             });
}

void GraphSet::reserve_for(const InputGraph& graph, std::size_t parents_more) {
  const std::size_t more = graph.types.size();
  reserve_more(arrays_.sample_begin.own(), 1);
  reserve_more(arrays_.types.own(), more);
  reserve_more(arrays_.child_offsets.own(), more);
  reserve_more(arrays_.children.own(), graph.children.size());
  reserve_more(parent_begin_, more);
  reserve_more(parents_, parents_more);
  reserve_more(levels_, more);
  const auto reserve = [](KeptPorts ports, const auto& floats, std::size_t rows) {
    for (auto& values : ports.indices) reserve_more(values.own(), rows);
    for (std::size_t p = 0; p < ports.floats.size(); ++p) {
      reserve_more(ports.floats[p].own(), floats[p].size());
      reserve_more(ports.present[p].own(), rows);
    }
  };
  reserve(of_vertices(arrays_), graph.float_pulls, more);
  reserve(of_edges(arrays_), graph.edge_float_pulls, graph.children.size());
}

}  // namespace cavs::inline v0_1

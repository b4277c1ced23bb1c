#include "graphs/check_graph.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <string_view>

#include "graphs/graph_shape.h"
#include "support/check.h"

namespace cavs::inline v0_1 {
namespace {

constexpr std::int64_t kLargestId = std::numeric_limits<std::int32_t>::max();

void check_names(std::vector<std::string_view> names, const char* what) {
  std::sort(names.begin(), names.end());
  for (std::size_t i = 0; i < names.size(); ++i) {
    user_check(!names[i].empty(), "graph schema: a {} has no name", what);
    user_check(i == 0 || names[i] != names[i - 1], "graph schema: two {}s are named '{}'", what, names[i]);
  }
}

void check_vertices(std::span<const std::int32_t> of, const GraphSchema& schema, const GraphLimits& limits,
                    const Place& where) {
  const auto vertices = std::ssize(of);
  const std::int64_t max = std::min(limits.vertices, kLargestId);
  user_check(vertices > 0, "{}: the graph has no vertex; a graph needs at least one vertex", where);
  user_check(vertices <= max, "{}: the graph has {} vertices; at most {} are allowed (GraphLimits::vertices)", where,
             vertices, max);
  const auto types = static_cast<std::int32_t>(schema.types.size());
  for (std::int64_t v = 0; v < vertices; ++v)
    if (of[v] < 0 || of[v] >= types)
      user_error("{}: vertex {} has type {}; expected the index of one of the {} types ({})", where, v, of[v], types,
                 fmt::join(schema.types, ", "));
}

void check_slots(std::int64_t slots, const GraphLimits& limits, const Place& where) {
  const std::int64_t max = std::min(limits.edges, kLargestId);
  user_check(slots <= max, "{}: the graph has {} child slots; at most {} are allowed (GraphLimits::edges)", where,
             slots, max);
}

/// Checks that child_offsets of one graph ascend, and that no vertex has more child slots than GraphLimits::arity.
void check_ascending(std::span<const std::int64_t> offsets, const GraphLimits& limits, const Place& where) {
  for (std::size_t v = 0; v + 1 < offsets.size(); ++v) {
    if (offsets[v + 1] < offsets[v])
      user_error("{}: child_offsets falls from {} to {} at vertex {}; expected ascending offsets", where, offsets[v],
                 offsets[v + 1], v);
    if (offsets[v + 1] - offsets[v] > limits.arity)
      user_error("{}: vertex {} has {} child slots; at most {} are allowed (GraphLimits::arity)", where, v,
                 offsets[v + 1] - offsets[v], limits.arity);
  }
}

/// Checks that child_offsets begin at 0 and have an entry per vertex. `Graph` is InputGraph, or flat arrays of a set.
template <typename Graph>
void check_first_offset(const Graph& graph, const Place& where) {
  const auto& offsets = graph.child_offsets;
  const auto& types = graph.types;
  user_check(offsets.size() == types.size() + 1,
             "{}: child_offsets has {} entries; expected {}, one per vertex and the end", where, offsets.size(),
             types.size() + 1);
  user_check(offsets.front() == 0, "{}: child_offsets starts at {}; expected 0", where, offsets.front());
}

template <typename Graph>
void check_last_offset(const Graph& graph, const Place& where) {
  const auto slots = std::ssize(graph.children);
  user_check(graph.child_offsets.back() == slots,
             "{}: child_offsets ends at {}; expected {}, the number of child slots", where, graph.child_offsets.back(),
             slots);
}

void check_children(const GraphShape& graph, const Place& where) {
  const std::int32_t vertices = graph.vertices();
  for (std::int32_t v = 0; v < vertices; ++v) {
    const auto children = graph.children_of(v);
    for (std::size_t k = 0; k < children.size(); ++k)
      if (children[k] < -1 || children[k] >= vertices)
        user_error("{}: child {} of vertex {} is {}; expected a vertex 0 to {}, or -1 if absent", where, k, v,
                   children[k], vertices - 1);
  }
}

/// The words of messages about ports of vertices, or about ports of edges, which have a row per child slot.
struct Rows {
  const char *port, *present, *each, *all;  // text before "index port"; name of the presence array; unit of rows
};
constexpr Rows kOfVertices{"", "float_present", "per vertex", "vertices"};
constexpr Rows kOfEdges{"edge ", "edge_float_present", "per child slot", "child slots"};

/// Checks that there are as many ports as in the schema, and as many values in each port as `rows` require.
template <typename Indices, typename Floats, typename Presence>
void check_ports(const Indices& indices, const std::vector<std::string>& index_ports, const Floats& floats,
                 const std::vector<GraphSchema::FloatPort>& float_ports, const Presence& presence, std::size_t rows,
                 const Rows& of, const Place& where) {
  const std::size_t ports = float_ports.size();
  user_check(indices.size() == index_ports.size(), "{}: the graph has {} {}index ports; expected {} ({})", where,
             indices.size(), of.port, index_ports.size(), fmt::join(index_ports, ", "));
  for (std::size_t p = 0; p < indices.size(); ++p)
    user_check(indices[p].size() == rows, "{}: {}index port '{}' has {} values; expected {}, one {}", where, of.port,
               index_ports[p], indices[p].size(), rows, of.each);
  user_check(floats.size() == ports, "{}: the graph has {} {}float ports; expected {}", where, floats.size(), of.port,
             ports);
  user_check(presence.empty() || presence.size() == ports, "{}: {} has {} ports; expected {}, or none", where,
             of.present, presence.size(), ports);
  for (std::size_t p = 0; p < ports; ++p) {
    const auto& [name, port_width] = float_ports[p];
    const auto width = static_cast<std::size_t>(port_width);
    user_check(floats[p].size() == rows * width,
               "{}: {}float port '{}' has {} numbers; expected {} ({} {} of width {})", where, of.port, name,
               floats[p].size(), rows * width, rows, of.all, width);
    const std::size_t present = presence.empty() ? 0 : presence[p].size();
    user_check(present == 0 || present == rows, "{}: {} of port '{}' has {} entries; expected {}, one {}, or none",
               where, of.present, name, present, rows, of.each);
  }
}

template <typename Graph>
void check_ports(const Graph& graph, const GraphSchema& schema, const Place& where) {
  check_ports(graph.index_pulls, schema.index_ports, graph.float_pulls, schema.float_ports, graph.float_present,
              graph.types.size(), kOfVertices, where);
  check_ports(graph.edge_index_pulls, schema.edge_index_ports, graph.edge_float_pulls, schema.edge_float_ports,
              graph.edge_float_present, graph.children.size(), kOfEdges, where);
}

/// Checks that the values of rows [begin, end) are valid indices and finite numbers.
/// @param row_of    returns the name of a row, for messages
/// @param is_there  returns true if a row may have values (false for the slot of an absent child)
void check_values(const auto& indices, const std::vector<std::string>& index_ports, const auto& floats,
                  const std::vector<GraphSchema::FloatPort>& float_ports, const auto& presence, std::int64_t begin,
                  std::int64_t end, const Rows& of, const auto& row_of, const auto& is_there, const Place& where) {
  for (std::size_t p = 0; p < indices.size(); ++p)
    for (std::int64_t r = begin; r < end; ++r) {
      const std::int32_t value = indices[p][r];
      if (value < -1)
        user_error("{}: {}index port '{}' of {} is {}; expected an index from 0, or -1 if absent", where, of.port,
                   index_ports[p], row_of(r), value);
      if (value >= 0 && !is_there(r))
        user_error("{}: {}index port '{}' of {} is {}, but the child is absent; expected -1 there", where, of.port,
                   index_ports[p], row_of(r), value);
    }
  for (std::size_t p = 0; p < floats.size(); ++p) {
    const auto& [name, width] = float_ports[p];
    const bool all_present = presence.empty() || presence[p].empty();
    for (std::int64_t r = begin; r < end; ++r) {
      if (!is_there(r) || !(all_present || presence[p][r] != 0)) continue;
      for (std::int32_t i = 0; i < width; ++i)
        if (const float number = floats[p][r * width + i]; !std::isfinite(number))
          user_error("{}: {}float port '{}' of {} holds {} at position {}; expected finite numbers{}", where, of.port,
                     name, row_of(r), number, i,
                     std::isnan(number) && width > 1
                         ? ", or an absent row; if only some numbers of a row are missing, use a port per number"
                         : "");
    }
  }
}

/// Checks the values at vertices [begin, end), which are the vertices of one graph, and at their edges.
template <typename Graph>
void check_values(const Graph& graph, std::int64_t begin, std::int64_t end, const GraphSchema& schema,
                  const Place& where) {
  const auto vertex = [&](std::int64_t v) { return fmt::format("vertex {}", v - begin); };
  const auto always = [](std::int64_t) { return true; };
  check_values(graph.index_pulls, schema.index_ports, graph.float_pulls, schema.float_ports, graph.float_present, begin,
               end, kOfVertices, vertex, always, where);
  const auto& offsets = graph.child_offsets;
  const auto slot = [&](std::int64_t k) {
    const auto next = std::upper_bound(offsets.begin() + begin, offsets.begin() + end + 1, k);
    const std::int64_t v = next - offsets.begin() - 1;
    return fmt::format("child {} of vertex {}", k - offsets[v], v - begin);
  };
  const auto has_child = [&](std::int64_t k) { return graph.children[k] >= 0; };
  check_values(graph.edge_index_pulls, schema.edge_index_ports, graph.edge_float_pulls, schema.edge_float_ports,
               graph.edge_float_present, offsets[begin], offsets[end], kOfEdges, slot, has_child, where);
}

void check_samples(const GraphArraysView& arrays, const Place& where) {
  const auto& begin = arrays.sample_begin;
  user_check(!begin.empty(), "{}: sample_begin has no entry; expected one per sample and the end", where);
  user_check(std::ssize(begin) - 1 <= kLargestId, "{}: there are {} samples; a set holds at most {}", where,
             begin.size() - 1, kLargestId);
  user_check(begin.front() == 0, "{}: sample_begin starts at {}; expected 0", where, begin.front());
  for (std::size_t s = 0; s + 1 < begin.size(); ++s)
    if (begin[s + 1] < begin[s])
      user_error("{}: sample_begin falls from {} to {} at sample {}; expected ascending positions", where, begin[s],
                 begin[s + 1], s);
  user_check(begin.back() == std::ssize(arrays.types),
             "{}: sample_begin ends at {}; expected {}, the number of vertices", where, begin.back(),
             arrays.types.size());
}

}  // namespace

void check_schema(const GraphSchema& schema) {
  check_names({schema.types.begin(), schema.types.end()}, "vertex type");
  std::vector<std::string_view> ports(schema.index_ports.begin(), schema.index_ports.end());
  ports.insert(ports.end(), schema.edge_index_ports.begin(), schema.edge_index_ports.end());
  for (const auto* floats : {&schema.float_ports, &schema.edge_float_ports})
    for (const auto& port : *floats) {
      ports.push_back(port.name);
      user_check(port.width > 0, "graph schema: float port '{}' has width {}; expected at least 1", port.name,
                 port.width);
    }
  check_names(std::move(ports), "port");
}

void check_graph(const InputGraph& graph, const GraphSchema& schema, const GraphLimits& limits,
                 const std::string& where) {
  check_vertices(graph.types, schema, limits, where);
  check_first_offset(graph, where);
  check_slots(std::ssize(graph.children), limits, where);
  check_ascending(graph.child_offsets, limits, where);
  check_last_offset(graph, where);
  check_children(shape_of(graph), where);
  check_ports(graph, schema, where);
  check_values(graph, 0, std::ssize(graph.types), schema, where);
}

void check_arrays(const GraphArraysView& arrays, const GraphSchema& schema, const GraphLimits& limits,
                  const std::string& where) {
  check_samples(arrays, where);
  check_first_offset(arrays, where);
  const auto& begin = arrays.sample_begin;
  for (std::size_t s = 0; s + 1 < begin.size(); ++s) {
    const auto vertices = static_cast<std::size_t>(begin[s + 1] - begin[s]);
    const auto offsets = arrays.child_offsets.subspan(begin[s], vertices + 1);
    const Place place(where, static_cast<std::int64_t>(s));
    check_vertices(arrays.types.subspan(begin[s], vertices), schema, limits, place);
    check_ascending(offsets, limits, place);
    check_slots(offsets.back() - offsets.front(), limits, place);
  }
  check_last_offset(arrays, where);
  check_ports(arrays, schema, where);
  for (std::int64_t s = 0; s + 1 < std::ssize(begin); ++s) {
    check_children(shape_of(arrays, s), {where, s});
    check_values(arrays, begin[s], begin[s + 1], schema, {where, s});
  }
}

namespace {

/// @param floats    [ports][rows * width]
/// @param presence  [ports][rows]; a port without entries is present in all rows
/// @param is_there  returns true if a row may be present (false for the slot of an absent child)
void check_rows_as_kept(const auto& floats, const std::vector<GraphSchema::FloatPort>& ports, const auto& presence,
                        const auto& is_there, const Rows& of, const char* row_name, const std::string& where) {
  for (std::size_t p = 0; p < floats.size(); ++p) {
    const auto& [name, port_width] = ports[p];
    const auto width = static_cast<std::size_t>(port_width);
    const bool all_present = presence.empty() || presence[p].empty();
    for (std::size_t r = 0; r < floats[p].size() / width; ++r) {
      const std::uint8_t present = all_present ? (is_there(r) ? 1 : 0) : presence[p][r];
      if (present > 1)
        user_error(
            "{}: {} of port '{}' is {} at {} {} (counted over all graphs); expected 0 or 1 in arrays that are used "
            "without a copy",
            where, of.present, name, present, row_name, r);
      if (present == 1 && !is_there(r))
        user_error(
            "{}: {} of port '{}' is 1 at {} {} (counted over all graphs), whose child is absent; expected 0 in arrays "
            "that are used without a copy",
            where, of.present, name, row_name, r);
      const auto row = floats[p].subspan(r * width, width);
      const auto at = std::ranges::find_if(row, [](float x) { return x != 0; });
      if (present == 0 && at != row.end())
        user_error(
            "{}: {}float port '{}' of {} {} (counted over all graphs) is absent, but holds {} at position {}; expected "
            "zeros in arrays that are used without a copy (GraphSet::from_arrays takes any)",
            where, of.port, name, row_name, r, *at, at - row.begin());
    }
  }
}

}  // namespace

void check_rows_as_kept(const GraphArraysView& arrays, const GraphSchema& schema, const std::string& where) {
  const auto always = [](std::size_t) { return true; };
  check_rows_as_kept(arrays.float_pulls, schema.float_ports, arrays.float_present, always, kOfVertices, "vertex",
                     where);
  const auto has_child = [&](std::size_t slot) { return arrays.children[slot] >= 0; };
  check_rows_as_kept(arrays.edge_float_pulls, schema.edge_float_ports, arrays.edge_float_present, has_child, kOfEdges,
                     "child slot", where);
}

}  // namespace cavs::inline v0_1

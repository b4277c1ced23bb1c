#include "graphs/check_graph.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <string_view>

#include "graphs/graph_shape.h"
#include "support/check.h"

namespace cavs {
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

/// The offsets of one graph.
template <typename Offset>
void check_ascending(std::span<const Offset> offsets, const GraphLimits& limits, const Place& where) {
  for (std::size_t v = 0; v + 1 < offsets.size(); ++v) {
    if (offsets[v + 1] < offsets[v])
      user_error("{}: child_offsets falls from {} to {} at vertex {}; expected ascending offsets", where, offsets[v],
                 offsets[v + 1], v);
    if (offsets[v + 1] - offsets[v] > limits.arity)
      user_error("{}: vertex {} has {} child slots; at most {} are allowed (GraphLimits::arity)", where, v,
                 offsets[v + 1] - offsets[v], limits.arity);
  }
}

/// Of an InputGraph, or of flat arrays.
template <typename Graph>
void check_first_offset(const Graph& graph, const Place& where) {
  const auto &offsets = graph.child_offsets, &types = graph.types;
  user_check(offsets.size() == types.size() + 1,
             "{}: child_offsets has {} entries; expected {}, one a vertex and the end", where, offsets.size(),
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

template <typename Offset>
void check_children(const GraphShape<Offset>& graph, const Place& where) {
  const std::int32_t vertices = graph.vertices();
  for (std::int32_t v = 0; v < vertices; ++v) {
    const auto children = graph.children_of(v);
    for (std::size_t k = 0; k < children.size(); ++k)
      if (children[k] < -1 || children[k] >= vertices)
        user_error("{}: child {} of vertex {} is {}; expected a vertex 0 to {}, or -1 where it is absent", where, k, v,
                   children[k], vertices - 1);
  }
}

/// The number of ports and of their values.
template <typename Graph>
void check_ports(const Graph& graph, const GraphSchema& schema, const Place& where) {
  const std::size_t vertices = graph.types.size(), ports = schema.float_ports.size();
  user_check(graph.index_pulls.size() == schema.index_ports.size(),
             "{}: the graph has {} index ports; expected {} ({})", where, graph.index_pulls.size(),
             schema.index_ports.size(), fmt::join(schema.index_ports, ", "));
  for (std::size_t p = 0; p < graph.index_pulls.size(); ++p)
    user_check(graph.index_pulls[p].size() == vertices, "{}: index port '{}' has {} values; expected {}, one a vertex",
               where, schema.index_ports[p], graph.index_pulls[p].size(), vertices);
  user_check(graph.float_pulls.size() == ports, "{}: the graph has {} float ports; expected {}", where,
             graph.float_pulls.size(), ports);
  user_check(graph.float_present.empty() || graph.float_present.size() == ports,
             "{}: float_present has {} ports; expected {}, or none", where, graph.float_present.size(), ports);
  for (std::size_t p = 0; p < ports; ++p) {
    const auto& [name, port_width] = schema.float_ports[p];
    const auto width = static_cast<std::size_t>(port_width);
    user_check(graph.float_pulls[p].size() == vertices * width,
               "{}: float port '{}' has {} numbers; expected {} ({} vertices of width {})", where, name,
               graph.float_pulls[p].size(), vertices * width, vertices, width);
    const std::size_t present = graph.float_present.empty() ? 0 : graph.float_present[p].size();
    user_check(present == 0 || present == vertices,
               "{}: float_present of port '{}' has {} entries; expected {}, one a vertex, or none", where, name,
               present, vertices);
  }
}

/// The values of vertices [begin, end) at every port, which are one graph.
template <typename Graph>
void check_values(const Graph& graph, std::int64_t begin, std::int64_t end, const GraphSchema& schema,
                  const Place& where) {
  for (std::size_t p = 0; p < graph.index_pulls.size(); ++p)
    for (std::int64_t v = begin; v < end; ++v)
      if (const std::int32_t value = graph.index_pulls[p][v]; value < -1)
        user_error("{}: index port '{}' of vertex {} is {}; expected an index from 0, or -1 where it is absent", where,
                   schema.index_ports[p], v - begin, value);
  for (std::size_t p = 0; p < graph.float_pulls.size(); ++p) {
    const auto& [name, width] = schema.float_ports[p];
    const bool all_present = graph.float_present.empty() || graph.float_present[p].empty();
    for (std::int64_t v = begin; v < end; ++v) {
      if (!all_present && graph.float_present[p][v] == 0) continue;
      for (std::int64_t i = 0; i < width; ++i)
        if (const float value = graph.float_pulls[p][v * width + i]; !std::isfinite(value))
          user_error("{}: float port '{}' of vertex {} holds {} at position {}; expected finite numbers", where, name,
                     v - begin, value, i);
    }
  }
}

void check_samples(const GraphArraysView& arrays, const Place& where) {
  const auto& begin = arrays.sample_begin;
  user_check(!begin.empty(), "{}: sample_begin has no entry; expected one a sample and the end", where);
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
  for (const auto& port : schema.float_ports) {
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
  check_ascending<std::int32_t>(graph.child_offsets, limits, where);
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

void check_rows_as_kept(const GraphArraysView& arrays, const GraphSchema& schema, const std::string& where) {
  for (std::size_t p = 0; p < arrays.float_present.size(); ++p) {
    const auto& [name, width] = schema.float_ports[p];
    const auto& present = arrays.float_present[p];
    const auto& numbers = arrays.float_pulls[p];
    for (std::size_t v = 0; v < present.size(); ++v) {
      if (present[v] > 1)
        user_error("{}: float_present of port '{}' is {} at vertex {} of all; expected 0 or 1 in arrays that are kept",
                   where, name, present[v], v);
      const auto row = numbers.subspan(v * width, width);
      const auto at = std::ranges::find_if(row, [](float x) { return x != 0; });
      if (present[v] == 0 && at != row.end())
        user_error(
            "{}: float port '{}' of vertex {} of all is absent, but holds {} at position {}; expected zeros in arrays "
            "that are kept (GraphSet::from_arrays takes any)",
            where, name, v, *at, at - row.begin());
    }
  }
}

}  // namespace cavs

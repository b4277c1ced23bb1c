#include "graphs/check_graph.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>

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

void check_vertices(const InputGraph& graph, const GraphSchema& schema, const GraphLimits& limits,
                    const std::string& where) {
  const auto vertices = static_cast<std::int64_t>(graph.types.size());
  const std::int64_t most = std::min(limits.vertices, kLargestId);
  user_check(vertices > 0, "{}: the graph has no vertex; a graph needs at least one vertex", where);
  user_check(vertices <= most, "{}: the graph has {} vertices; at most {} are allowed (GraphLimits::vertices)", where,
             vertices, most);
  const auto types = static_cast<std::int32_t>(schema.types.size());
  for (std::int64_t v = 0; v < vertices; ++v)
    if (graph.types[v] < 0 || graph.types[v] >= types)
      user_error("{}: vertex {} has type {}; expected the index of one of the {} types ({})", where, v, graph.types[v],
                 types, fmt::join(schema.types, ", "));
}

void check_offsets(const InputGraph& graph, const GraphLimits& limits, const std::string& where) {
  const auto& offsets = graph.child_offsets;
  const std::size_t vertices = graph.types.size();
  const auto slots = static_cast<std::int64_t>(graph.children.size());
  const std::int64_t most = std::min(limits.edges, kLargestId);
  user_check(offsets.size() == vertices + 1, "{}: child_offsets has {} entries; expected {}, one a vertex and the end",
             where, offsets.size(), vertices + 1);
  user_check(slots <= most, "{}: the graph has {} child slots; at most {} are allowed (GraphLimits::edges)", where,
             slots, most);
  user_check(offsets.front() == 0, "{}: child_offsets starts at {}; expected 0", where, offsets.front());
  for (std::size_t v = 0; v < vertices; ++v) {
    if (offsets[v + 1] < offsets[v])
      user_error("{}: child_offsets falls from {} to {} at vertex {}; expected ascending offsets", where, offsets[v],
                 offsets[v + 1], v);
    if (offsets[v + 1] - offsets[v] > limits.arity)
      user_error("{}: vertex {} has {} child slots; at most {} are allowed (GraphLimits::arity)", where, v,
                 offsets[v + 1] - offsets[v], limits.arity);
  }
  user_check(offsets.back() == slots, "{}: child_offsets ends at {}; expected {}, the number of child slots", where,
             offsets.back(), slots);
}

void check_children(const InputGraph& graph, const std::string& where) {
  const auto vertices = static_cast<std::int32_t>(graph.types.size());
  for (std::int32_t v = 0; v < vertices; ++v)
    for (std::int32_t slot = graph.child_offsets[v]; slot < graph.child_offsets[v + 1]; ++slot) {
      const std::int32_t child = graph.children[slot];
      if (child < -1 || child >= vertices)
        user_error("{}: child {} of vertex {} is {}; expected a vertex 0 to {}, or -1 where it is absent", where,
                   slot - graph.child_offsets[v], v, child, vertices - 1);
    }
}

void check_index_pulls(const InputGraph& graph, const GraphSchema& schema, const std::string& where) {
  const std::size_t vertices = graph.types.size();
  user_check(graph.index_pulls.size() == schema.index_ports.size(),
             "{}: the graph has {} index ports; expected {} ({})", where, graph.index_pulls.size(),
             schema.index_ports.size(), fmt::join(schema.index_ports, ", "));
  for (std::size_t p = 0; p < graph.index_pulls.size(); ++p) {
    const auto& values = graph.index_pulls[p];
    user_check(values.size() == vertices, "{}: index port '{}' has {} values; expected {}, one a vertex", where,
               schema.index_ports[p], values.size(), vertices);
    for (std::size_t v = 0; v < vertices; ++v)
      if (values[v] < -1)
        user_error("{}: index port '{}' of vertex {} is {}; expected an index from 0, or -1 where it is absent", where,
                   schema.index_ports[p], v, values[v]);
  }
}

void check_float_port(const InputGraph& graph, std::size_t p, const GraphSchema::FloatPort& port,
                      const std::string& where) {
  const std::size_t vertices = graph.types.size();
  const auto width = static_cast<std::size_t>(port.width);
  const auto& values = graph.float_pulls[p];
  user_check(values.size() == vertices * width,
             "{}: float port '{}' has {} numbers; expected {} ({} vertices of width {})", where, port.name,
             values.size(), vertices * width, vertices, width);
  static const std::vector<std::uint8_t> kAllPresent;
  const auto& present = graph.float_present.empty() ? kAllPresent : graph.float_present[p];
  user_check(present.empty() || present.size() == vertices,
             "{}: float_present of port '{}' has {} entries; expected {}, one a vertex, or none", where, port.name,
             present.size(), vertices);
  for (std::size_t v = 0; v < vertices; ++v) {
    if (!present.empty() && present[v] == 0) continue;
    for (std::size_t i = 0; i < width; ++i)
      if (!std::isfinite(values[v * width + i]))
        user_error("{}: float port '{}' of vertex {} holds {} at position {}; expected finite numbers", where,
                   port.name, v, values[v * width + i], i);
  }
}

void check_float_pulls(const InputGraph& graph, const GraphSchema& schema, const std::string& where) {
  const std::size_t ports = schema.float_ports.size();
  user_check(graph.float_pulls.size() == ports, "{}: the graph has {} float ports; expected {}", where,
             graph.float_pulls.size(), ports);
  user_check(graph.float_present.empty() || graph.float_present.size() == ports,
             "{}: float_present has {} ports; expected {}, or none", where, graph.float_present.size(), ports);
  for (std::size_t p = 0; p < ports; ++p) check_float_port(graph, p, schema.float_ports[p], where);
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
  check_vertices(graph, schema, limits, where);
  check_offsets(graph, limits, where);
  check_children(graph, where);
  check_index_pulls(graph, schema, where);
  check_float_pulls(graph, schema, where);
}

}  // namespace cavs

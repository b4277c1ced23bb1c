#include "graphs/port_views.h"

#include <algorithm>

namespace cavs::inline v0_1 {

std::vector<PortView> ports_of(const GraphSet& graphs) {
  const GraphSchema& schema = graphs.schema();
  std::vector<PortView> ports;
  for (std::size_t p = 0; p < schema.index_ports.size(); ++p)
    ports.push_back({.name = schema.index_ports[p], .of_edges = false, .indices = graphs.index_pulls(p)});
  for (std::size_t p = 0; p < schema.float_ports.size(); ++p) {
    const auto& [name, width] = schema.float_ports[p];
    ports.push_back({.name = name, .of_edges = false, .width = width, .present = graphs.float_present(p)});
  }
  for (std::size_t p = 0; p < schema.edge_index_ports.size(); ++p)
    ports.push_back({.name = schema.edge_index_ports[p], .of_edges = true, .indices = graphs.edge_index_pulls(p)});
  for (std::size_t p = 0; p < schema.edge_float_ports.size(); ++p) {
    const auto& [name, width] = schema.edge_float_ports[p];
    ports.push_back({.name = name, .of_edges = true, .width = width, .present = graphs.edge_float_present(p)});
  }
  return ports;
}

std::span<const std::int32_t> indices_at(const GraphSet& graphs, std::string_view port) {
  const auto& ports = graphs.schema().index_ports;
  const auto at = std::ranges::find(ports, port);
  return at == ports.end() ? std::span<const std::int32_t>() : graphs.index_pulls(at - ports.begin());
}

}  // namespace cavs::inline v0_1

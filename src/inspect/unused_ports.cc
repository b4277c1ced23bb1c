#include "inspect/unused_ports.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "ir/function.h"
#include "ir/presence.h"

namespace cavs {
namespace {

std::set<std::string, std::less<>> ports_read_by(const Model& model) {
  std::set<std::string, std::less<>> ports;
  for (const Function& f : model.functions())
    for (const Node& node : f.nodes)
      if (node.is({OpId::kPull, OpId::kPullAll, OpId::kPullIndex}) || is_edge_pull(node)) {
        const std::string& name = node.attribute_name();
        ports.emplace(port_of_presence(name).value_or(name));
      }
  for (const Connection& connection : model.connections()) ports.insert(connection.rows.port);
  return ports;
}

/// A port that the graphs lack was read where they were made.
bool has_value(const GraphSet& graphs, const std::string& port) {
  const GraphSchema& schema = graphs.schema();
  const auto any_index = [](auto values) { return std::ranges::any_of(values, [](auto value) { return value >= 0; }); };
  const auto any_row = [](auto present) { return std::ranges::any_of(present, [](auto there) { return there != 0; }); };
  for (std::size_t p = 0; p < schema.index_ports.size(); ++p)
    if (schema.index_ports[p] == port) return any_index(graphs.index_pulls(p));
  for (std::size_t p = 0; p < schema.float_ports.size(); ++p)
    if (schema.float_ports[p].name == port) return any_row(graphs.float_present(p));
  for (std::size_t p = 0; p < schema.edge_index_ports.size(); ++p)
    if (schema.edge_index_ports[p] == port) return any_index(graphs.edge_index_pulls(p));
  for (std::size_t p = 0; p < schema.edge_float_ports.size(); ++p)
    if (schema.edge_float_ports[p].name == port) return any_row(graphs.edge_float_present(p));
  return false;
}

}  // namespace

std::vector<std::string> unused_ports(const Model& model, const GraphSchema& schema, const GraphSet& graphs) {
  const auto read = ports_read_by(model);
  std::vector<std::string> all = schema.index_ports, unused;
  for (const auto& port : schema.float_ports) all.push_back(port.name);
  all.insert(all.end(), schema.edge_index_ports.begin(), schema.edge_index_ports.end());
  for (const auto& port : schema.edge_float_ports) all.push_back(port.name);
  for (const std::string& port : all)
    if (!read.contains(port) && has_value(graphs, port)) unused.push_back(port);
  return unused;
}

}  // namespace cavs

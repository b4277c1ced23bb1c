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
      if (node.is({OpId::kPull, OpId::kPullAll, OpId::kPullIndex})) {
        const std::string& name = node.attribute_name();
        ports.emplace(port_of_presence(name).value_or(name));
      }
  for (const Connection& connection : model.connections()) ports.insert(connection.rows.port);
  return ports;
}

/// A port that the graphs lack was read where they were made.
bool has_value(const GraphSet& graphs, const std::string& port) {
  const GraphSchema& schema = graphs.schema();
  const auto index = std::ranges::find(schema.index_ports, port) - schema.index_ports.begin();
  if (index < std::ssize(schema.index_ports))
    return std::ranges::any_of(graphs.index_pulls(index), [](std::int32_t value) { return value >= 0; });
  const auto number =
      std::ranges::find(schema.float_ports, port, &GraphSchema::FloatPort::name) - schema.float_ports.begin();
  if (number == std::ssize(schema.float_ports)) return false;
  return std::ranges::any_of(graphs.float_present(number), [](std::uint8_t present) { return present != 0; });
}

}  // namespace

std::vector<std::string> unused_ports(const Model& model, const GraphSchema& schema, const GraphSet& graphs) {
  const auto read = ports_read_by(model);
  std::vector<std::string> all = schema.index_ports, unused;
  for (const auto& port : schema.float_ports) all.push_back(port.name);
  for (const std::string& port : all)
    if (!read.contains(port) && has_value(graphs, port)) unused.push_back(port);
  return unused;
}

}  // namespace cavs

#include "inspect/unused_ports.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "graphs/port_views.h"
#include "ir/function.h"
#include "ir/presence.h"

namespace cavs::inline v0_1 {
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

bool has_value(const PortView& port) {
  return std::ranges::any_of(port.indices, [](std::int32_t value) { return value >= 0; }) ||
         std::ranges::any_of(port.present, [](std::uint8_t there) { return there != 0; });
}

}  // namespace

std::vector<std::string> unused_ports(const Model& model, const GraphSet& graphs) {
  const auto read = ports_read_by(model);
  std::vector<std::string> unused;
  for (const PortView& port : ports_of(graphs))
    if (!read.contains(port.name) && has_value(port)) unused.push_back(port.name);
  return unused;
}

}  // namespace cavs::inline v0_1

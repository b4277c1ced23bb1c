#include "compile/loss_labels.h"

#include <algorithm>

#include "ir/op.h"
#include "ir/presence.h"

namespace cavs {

std::vector<std::string> label_ports(const Function& f) {
  std::vector<std::string> ports;
  std::vector<char> reached(f.nodes.size(), 0);
  const auto add = [&ports](std::string port) {
    if (std::ranges::find(ports, port) == ports.end()) ports.push_back(std::move(port));
  };
  for (auto id = static_cast<ValueId>(f.nodes.size()); id-- > 0;) {
    const Node& node = f.nodes[id];
    if (reached[id] == 0 && !node.is(OpId::kLoss)) continue;
    // What a cross-entropy and a masked loss are made of has labels of its own at most by way of the model.
    if (node.is(OpId::kSoftmaxCrossEntropy))
      add(f.nodes[node.in[1]].attribute_name());
    else if (const auto port = masked_port(f, id))
      add(presence_of(*port));
    else
      for (const ValueId input : node.in) reached[input] = 1;
  }
  return ports;
}

}  // namespace cavs

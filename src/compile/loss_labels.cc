#include "compile/loss_labels.h"

#include <algorithm>

#include "ir/op.h"
#include "ir/presence.h"

namespace cavs::inline v0_1 {

LabelPorts label_ports(const Function& f) {
  LabelPorts all;
  std::vector<char> reached(f.nodes.size(), 0);
  const auto add = [&](const Node& index) {
    std::vector<std::string>& ports = index.is(OpId::kPullEdgeIndex) ? all.of_edges : all.of_vertices;
    const std::string& port = index.attribute_name();
    if (std::ranges::find(ports, port) == ports.end()) ports.push_back(port);
  };
  for (auto id = static_cast<ValueId>(f.nodes.size()); id-- > 0;) {
    const Node& node = f.nodes[id];
    if (reached[id] == 0 && !node.is(OpId::kLoss)) continue;
    // The search does not go on below a cross-entropy or a masked loss: labels there do not belong to this loss.
    if (node.is(OpId::kSoftmaxCrossEntropy))
      add(f.nodes[node.in[1]]);
    else if (const Node* mask = mask_of(f, id))
      add(*mask);
    else
      for (const ValueId input : node.in) reached[input] = 1;
  }
  return all;
}

}  // namespace cavs::inline v0_1

#include "compile/domains.h"

#include "ops/op.h"

namespace cavs {

Domain running_domain(const Function& f, ValueId id) {
  const Node& node = f.nodes[id];
  const std::string_view op = node.op->name;
  if (op == "max_children_grad" || op == "mean_children_grad" || op == "softmax_children")
    return {DomainKind::kVertex, {}};
  const OpKind kind = node.op->kind;
  if (kind == OpKind::kReduceRows || kind == OpKind::kLinearLoss || op == "lookup_gradient") {
    Domain domain = f.nodes[node.in[0]].domain;
    for (ValueId input : node.in) domain = join(domain, f.nodes[input].domain);
    return domain;
  }
  return node.domain;
}

Domain reading_domain(const Function& f, ValueId id, int i) {
  const Node& node = f.nodes[id];
  const std::string_view op = node.op->name;
  const bool by_segment =
      op == "sum_children" || op == "mean_children" || op == "max_children" || op == "softmax_children";
  if (by_segment || (op == "max_children_grad" && i == 0)) return {DomainKind::kEdge, {}};
  if (op == "sum_equal") return {DomainKind::kVertex, {}};
  if (f.nodes[id].op->kind == OpKind::kMatmul && i % 2 == 1) return {DomainKind::kParameter, {}};
  return running_domain(f, id);
}

bool is_indexed(const Function& f, ValueId id) {
  const Node& node = f.nodes[id];
  const std::string_view op = node.op->name;
  if (op == "gather" || op == "children" || op == "lookup" || op == "pull" || op == "compact") return true;
  return node.op->kind == OpKind::kView && is_indexed(f, node.in[0]);
}

bool is_computed(const Node& node) {
  switch (node.op->kind) {
    case OpKind::kElementwise:
    case OpKind::kRow:
    case OpKind::kMatmul:
    case OpKind::kConcat:
    case OpKind::kLinearLoss:
      return true;
    default:
      return false;
  }
}

ValueId label_of(const Function& f, ValueId loss) {
  while (f.nodes[loss].op->name == "expand" || f.nodes[loss].op->name == "copy") loss = f.nodes[loss].in[0];
  const Node& node = f.nodes[loss];
  if (node.op->name == "softmax_cross_entropy") return node.in[1];
  return node.op->name == "linear_cross_entropy" ? node.in[2] : -1;
}

}  // namespace cavs

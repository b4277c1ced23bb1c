#include "compile/domains.h"

#include "ir/op.h"

namespace cavs::inline v0_1 {

Domain running_domain(const Function& f, ValueId id) {
  const Node& node = f.nodes[id];
  if (node.op->runs_over) return {*node.op->runs_over, {}};
  const OpKind kind = node.op->kind;
  if (kind == OpKind::kReduceRows || kind == OpKind::kLinearLoss || node.is(OpId::kLookupGradient)) {
    Domain domain = f.nodes[node.in[0]].domain;
    for (ValueId input : node.in) domain = join(domain, f.nodes[input].domain);
    return domain;
  }
  return node.domain;
}

Domain reading_domain(const Function& f, ValueId id, int i) {
  const Node& node = f.nodes[id];
  if (node.op->reads_children && i == 0) return {DomainKind::kEdge, {}};
  if (node.is(OpId::kSegmentSum) && is_partial(node.domain)) return {DomainKind::kVertex, {}};
  if (node.is(OpId::kSegmentSum)) return f.nodes[node.in[0]].domain;
  if (node.op->kind == OpKind::kMatmul && i % 2 == 1) return {DomainKind::kParameter, {}};
  return running_domain(f, id);
}

bool is_indexed(const Function& f, ValueId id) {
  const Node& node = f.nodes[id];
  if (node.op->indexed) return true;
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
  while (f.nodes[loss].is({OpId::kExpand, OpId::kCopy})) loss = f.nodes[loss].in[0];
  const Node& node = f.nodes[loss];
  if (node.is(OpId::kSoftmaxCrossEntropy)) return node.in[1];
  return node.is(OpId::kLinearCrossEntropy) ? node.in[2] : -1;
}

}  // namespace cavs::inline v0_1

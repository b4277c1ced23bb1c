#include "declare/function.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "ops/op.h"
#include "support/check.h"

namespace cavs {

std::string to_string(const Domain& domain) {
  switch (domain.kind) {
    case DomainKind::kParameter:
      return "parameter";
    case DomainKind::kLabelled:
      return fmt::format("labelled({})", domain.port);
    case DomainKind::kPresent:
      return fmt::format("present({})", domain.port);
    case DomainKind::kDistinct:
      return fmt::format("distinct({})", domain.port);
    case DomainKind::kVertex:
      return "vertex";
    case DomainKind::kEdge:
      return "edge";
  }
  return "?";
}

Domain join(const Domain& a, const Domain& b) {
  if (a == b) return a;
  if (is_partial(a) && is_partial(b)) return {DomainKind::kVertex, {}};  // other ports, or zero rows beside none
  return a.kind < b.kind ? b : a;
}

std::string describe(const Function& f, ValueId id) {
  const Node& node = f.nodes[id];
  return node.name.empty() ? fmt::format("%{} = {}", id, node.op->name)
                           : fmt::format("'{}' (%{} = {})", node.name, id, node.op->name);
}

namespace {

/// Whether the gradient of an operator is the same linear function of dy in every row, so that rows of dy can be summed
/// before it is applied.
bool is_linear(const Function& f, const Node& node) {
  constexpr std::array<std::string_view, 8> kLinear{"add",  "subtract", "negate",       "multiply_scalar",
                                                    "copy", "expand",   "sum_features", "mean_features"};
  const auto is_constant = [&f](ValueId input) { return f.nodes[input].op->name == "constant"; };
  switch (node.op->kind) {
    case OpKind::kSource:
    case OpKind::kView:
    case OpKind::kConcat:
    case OpKind::kMatmul:
      return true;
    default:
      if (node.op->name == "multiply") return std::any_of(node.in.begin(), node.in.end(), is_constant);
      return std::find(kLinear.begin(), kLinear.end(), node.op->name) != kLinear.end();
  }
}

/// Rows that are surely zero need not be evaluated; whatever is not zero there needs all rows of its vertices.
Domain joined_domain(const Function& f, const Node& node) {
  Domain domain{DomainKind::kParameter, {}};
  bool all_zero = true;  // where an input is absent
  for (ValueId input : node.in) {
    const Node& x = f.nodes[input];
    domain = join(domain, x.domain);
    const bool absent = x.domain.kind == DomainKind::kPresent || x.domain.kind == DomainKind::kDistinct;
    all_zero &= absent || (x.op->name == "constant" && x.attributes.number == 0);
  }
  const ZeroRule rule = node.op->zero;
  const bool zero = rule == ZeroRule::kAnyInput || (rule == ZeroRule::kAllInputs && all_zero);
  if (domain.kind == DomainKind::kPresent && !zero) return {DomainKind::kVertex, {}};
  if (domain.kind == DomainKind::kDistinct && (!zero || !is_linear(f, node))) return {DomainKind::kVertex, {}};
  return domain;
}

bool takes_index(const OpDef& op, std::size_t input) {
  return input < op.params.size() && (op.params[input] == "index" || op.params[input] == "label");
}

}  // namespace

void infer(const Function& f, Node& node, ValueId id) {
  Inference inference(f, node, id);
  node.domain = node.op->domain ? Domain{*node.op->domain, {}} : joined_domain(f, node);
  node.shape_known = false;
  for (std::size_t k = 0; k < node.in.size(); ++k)
    if (f.nodes[node.in[k]].is_index && !takes_index(*node.op, k))
      inference.fail("{} is an integer of pull_index, not numbers; give it to a lookup or take it as a label",
                     inference.show(static_cast<int>(k)));
  bool known = true;
  for (ValueId input : node.in) known &= f.nodes[input].shape_known;
  if (known || node.op->partial) return node.op->infer(inference);
  if (node.op->kind != OpKind::kElementwise) return;
  for (ValueId input : node.in)  // a scalar beside it would be broadcast, another shape refused
    if (f.nodes[input].shape_known && f.nodes[input].shape.size() > 1) return inference.set_shape(f.nodes[input].shape);
}

bool is_gather(const Node& node) { return node.op->name == "gather" || node.op->name == "children"; }

std::vector<std::string> types_over(const Function& f) { return f.over.empty() ? std::vector{f.name} : f.over; }

std::int32_t first_edge_slot(const Function& f) {
  for (const Node& node : f.nodes)
    if (node.op->name == "children") return all_children_from(node.attributes.index);
  return 0;
}

std::int32_t most_children(const Function& f) {
  std::int32_t most = 0;
  for (const Node& node : f.nodes) {
    if (node.op->name == "children") return -1;
    if (node.op->name == "gather") most = std::max(most, node.attributes.index + 1);
  }
  return most;
}

Function select_nodes(const Function& f, const std::vector<char>& kept) {
  Function out = f;
  out.nodes.clear();
  std::vector<ValueId> renamed(f.nodes.size(), -1);
  for (std::size_t id = 0; id < f.nodes.size(); ++id) {
    if (kept[id] == 0) continue;
    Node node = f.nodes[id];
    for (ValueId& input : node.in) input = renamed[input];
    renamed[id] = static_cast<ValueId>(out.nodes.size());
    out.nodes.push_back(std::move(node));
  }
  out.forward = static_cast<std::int32_t>(out.nodes.size());
  return out;
}

void check_first_edge(const Function& f, std::int32_t index) {
  for (const Node& node : f.nodes)
    if (node.op->name == "children" && node.attributes.index != index)
      user_error(
          "[children] begins with child slot {} and with {}, in vertex function '{}'; expected one first slot for all, "
          "so that their rows are the same children's",
          all_children_from(node.attributes.index), all_children_from(index), f.name);
}

ValueId append(Function& f, const OpDef& op, std::vector<ValueId> in, Attributes attributes) {
  Node node;
  node.op = &op;
  node.defined = op.defined.lock();
  node.in = std::move(in);
  node.attributes = std::move(attributes);
  const auto id = static_cast<ValueId>(f.nodes.size());
  if (!op.variadic && node.in.size() != op.params.size())
    user_error("[{}] takes {} inputs, found {}, in vertex function '{}'", op.name, op.params.size(), node.in.size(),
               f.name);
  infer(f, node, id);
  f.nodes.push_back(std::move(node));
  return id;
}

}  // namespace cavs

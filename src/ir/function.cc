#include "ir/function.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

#include "ir/op.h"
#include "ir/presence.h"
#include "support/check.h"

namespace cavs::inline v0_1 {

const std::string& Node::attribute_name() const {
  static const std::string kNone;
  return std::visit(
      [](const auto& a) -> const std::string& {
        if constexpr (requires { a.name; }) return a.name;
        if constexpr (requires { a.domain; }) return a.domain.port;
        return kNone;
      },
      attributes);
}

bool Node::is(OpId id) const { return op->id == id; }

bool Node::is(std::initializer_list<OpId> any) const { return std::find(any.begin(), any.end(), op->id) != any.end(); }

std::string describe(const Function& f, ValueId id) {
  const Node& node = f.nodes[id];
  return node.name.empty() ? fmt::format("%{} = {}", id, node.op->name)
                           : fmt::format("'{}' (%{} = {})", node.name, id, node.op->name);
}

namespace {

/// See LinearRule: true if rows of dy can be summed before the gradient of the node is computed.
bool is_linear(const Function& f, const Node& node) {
  switch (node.op->linear) {
    case LinearRule::kNo:
      return false;
    case LinearRule::kYes:
      return true;
    case LinearRule::kWithConstant:
      return std::any_of(node.in.begin(), node.in.end(), [&](ValueId x) { return f.nodes[x].is(OpId::kConstant); });
  }
  return false;
}

/// Returns the domain of a node: the join of the inputs' domains. If that has no row for some vertices (kPresent,
/// kDistinct), but the operator's value may be nonzero there, returns kVertex.
Domain joined_domain(const Function& f, const Node& node) {
  Domain domain{DomainKind::kParameter, {}};
  bool all_zero = true;  // true if every input is zero where it is absent
  for (ValueId input : node.in) {
    const Node& x = f.nodes[input];
    domain = join(domain, x.domain);
    const bool absent = x.domain.kind == DomainKind::kPresent || x.domain.kind == DomainKind::kDistinct;
    all_zero &= absent || (x.is(OpId::kConstant) && x.get<attr::Constant>().number == 0);
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

/// Refuses rows whose size is no 32-bit integer.
void check_row(const Inference& inference, const Node& node) {
  if (!node.shape_known || node.is(OpId::kParameter)) return;
  std::int64_t size = 1;
  for (const std::int32_t dim : node.shape.dims) {
    size *= dim;
    if (size > std::numeric_limits<std::int32_t>::max())
      inference.fail("a row of {} has more than {} numbers", to_string(node.shape),
                     std::numeric_limits<std::int32_t>::max());
  }
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
  if (known || node.op->partial) {
    node.op->infer(inference);
    return check_row(inference, node);
  }
  if (node.op->kind != OpKind::kElementwise) return;
  for (ValueId input : node.in)  // the shape of any known input that is not a scalar, because scalars are broadcast
    if (f.nodes[input].shape_known && f.nodes[input].shape.size() > 1) return inference.set_shape(f.nodes[input].shape);
}

bool is_gather(const Node& node) { return node.is({OpId::kGather, OpId::kChildren}); }

std::vector<std::string> types_over(const Function& f) { return f.over.empty() ? std::vector{f.name} : f.over; }

namespace {

/// Returns the slot of the first child that is an edge of the node; nullopt unless the node reads children or edges.
std::optional<std::int32_t> first_slot_of(const Node& node) {
  if (node.is(OpId::kChildren)) return node.get<attr::Children>().slot;
  if (is_edge_pull(node)) return node.get<attr::EdgePort>().first;
  return std::nullopt;
}

}  // namespace

bool is_edge_pull(const Node& node) { return node.is({OpId::kPullEdges, OpId::kPullEdgeIndex}); }

std::int32_t first_edge_slot(const Function& f) {
  for (const Node& node : f.nodes)
    if (const auto slot = first_slot_of(node)) return *slot;
  return 0;
}

std::int32_t max_child_slots(const Function& f) {
  std::int32_t max = 0;
  for (const Node& node : f.nodes) {
    if (node.is(OpId::kChildren)) return -1;
    if (node.is(OpId::kGather)) max = std::max(max, node.get<attr::Children>().slot + 1);
  }
  return max;
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

void check_first_edge(const Function& f, std::int32_t slot) {
  user_check(slot >= 0, "[children] first slot {} is negative, in vertex function '{}'; slots count from 0", slot,
             f.name);
  for (const Node& node : f.nodes)
    if (const auto known = first_slot_of(node); known && *known != slot)
      user_error(
          "[{}] begins at child slot {} and at {}, in vertex function '{}'; expected one first slot for all, "
          "so that their rows are the same children's",
          node.op->name, *known, slot, f.name);
}

void check_edge_pulls(const Function& f) {
  const auto has = [&](OpId op) {
    return std::ranges::any_of(f.nodes, [op](const Node& node) { return node.is(op); });
  };
  if (has(OpId::kChildren)) return;
  user_check(!has(OpId::kEachChild) || has(OpId::kPullAll),
             "[each_child] has one row for each child, in vertex function '{}', which does not read its children by "
             "children(); read a state of them with children(state, first)",
             f.name);
  for (const Node& node : f.nodes) {
    if (!is_edge_pull(node)) continue;
    const auto asked = port_of_presence(node.attribute_name());
    user_error(
        "[{}] port '{}' has one row per child, in vertex function '{}', which does not read its children by "
        "children(); "
        "children that are gathered by their slots have no row of their own: read them with children(state, first)",
        asked ? "where_edge_present" : node.op->name, asked.value_or(node.attribute_name()), f.name);
  }
}

void check_parameters(const Function& f, const std::vector<ParameterInfo>& declared) {
  for (const Node& node : f.nodes) {
    const bool table = node.is(OpId::kLookup);
    if (!table && !node.is(OpId::kParameter)) continue;
    const auto& used = node.get<attr::Tensor>();
    const auto info = std::ranges::find(declared, used.name, &ParameterInfo::name);
    const auto kind = [](bool is_table) { return is_table ? "table" : "parameter"; };
    const std::string found = info == declared.end()
                                  ? "no such parameter"
                                  : fmt::format("a {} '{}' {}", kind(info->table), used.name, to_string(info->shape));
    user_check(
        info != declared.end() && info->table == table && info->shape == used.shape &&
            (!table || used.shape.dims.size() == 2),
        "[{}] vertex function '{}' uses '{}' as a {} {}, the model has {}; use what this model's own declaration "
        "returned",
        node.op->name, f.name, used.name, kind(table), to_string(used.shape), found);
  }
}

void check_inputs(const OpDef& op, std::size_t inputs, const std::string& function) {
  if (!op.variadic && inputs != op.params.size())
    user_error("[{}] takes {} inputs, found {}, in vertex function '{}'", op.name, op.params.size(), inputs, function);
}

Attributes attributes_for(const OpDef& op, Attributes attributes, const std::string& function) {
  if (attributes.index() == op.attributes.index()) return attributes;
  if (!std::holds_alternative<attr::None>(attributes))
    user_error("[{}] has attributes of {}, in vertex function '{}'; expected those of {}: see cavs/attributes.h",
               op.name, kind_of(attributes), function, kind_of(op.attributes));
  return op.attributes;
}

ValueId append(Function& f, OpId op, std::vector<ValueId> in, Attributes attributes) {
  return append(f, find_op(op), std::move(in), std::move(attributes));
}

ValueId append(Function& f, const OpDef& op, std::vector<ValueId> in, Attributes attributes) {
  Node node;
  node.op = &op;
  node.defined = op.defined.lock();
  node.in = std::move(in);
  node.attributes = attributes_for(op, std::move(attributes), f.name);
  const auto id = static_cast<ValueId>(f.nodes.size());
  check_inputs(op, node.in.size(), f.name);
  infer(f, node, id);
  f.nodes.push_back(std::move(node));
  return id;
}

}  // namespace cavs::inline v0_1

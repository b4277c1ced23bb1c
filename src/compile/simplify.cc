#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

#include "compile/passes.h"
#include "ir/attribute_fields.h"
#include "ir/op.h"
#include "ir/scalar_eval.h"

namespace cavs::inline v0_1 {
namespace {

bool is_constant(const Node& node) { return node.is(OpId::kConstant); }

/// Returns the constant to which an element-wise node of constants evaluates, or nullopt for other nodes.
std::optional<Attributes> fold(const Function& f, const Node& node, const std::vector<ValueId>& in) {
  if (node.op->kind != OpKind::kElementwise || node.in.empty()) return {};
  std::vector<double> x;
  for (ValueId input : in) {
    if (!is_constant(f.nodes[input])) return {};
    x.push_back(f.nodes[input].get<attr::Constant>().number);
  }
  if (node.domain.kind != DomainKind::kParameter) return {};
  return attr::Constant{.number = evaluate_expression(*node.op, node.attributes, x), .shape = node.shape};
}

/// Returns the input to which a node such as x + 0, x * 1, x - 0 or x / 1 is equal, or -1.
ValueId identity(const Function& f, const Node& node, const std::vector<ValueId>& in) {
  const auto is = [&](int i, double number) {
    const Node& n = f.nodes[in[i]];
    return is_constant(n) && n.get<attr::Constant>().number == number;
  };
  const auto keeps = [&](int i) { return f.nodes[in[i]].shape == node.shape && f.nodes[in[i]].domain == node.domain; };
  const OpId op = node.op->id;
  if (op == OpId::kAddScalar && node.get<attr::Number>().number == 0) return in[0];
  if (op == OpId::kMultiplyScalar && node.get<attr::Number>().number == 1) return in[0];
  if ((op == OpId::kAdd && is(0, 0)) || (op == OpId::kMultiply && is(0, 1))) return keeps(1) ? in[1] : -1;
  if (((op == OpId::kAdd || op == OpId::kSubtract) && is(1, 0)) ||
      ((op == OpId::kMultiply || op == OpId::kDivide) && is(1, 1)))
    return keeps(0) ? in[0] : -1;
  return -1;
}

using Key = std::tuple<const OpDef*, std::vector<ValueId>, std::string, std::int32_t, std::int32_t, double,
                       std::vector<std::int32_t>>;

/// Merges equal nodes. The keys are full signatures, not hashes, so nodes with equal keys are equal.
Function merge_equal(const Function& f) {
  std::map<Key, ValueId> seen;
  return rewrite(f, [&](Function& out, const Node& node, const std::vector<ValueId>& in) -> ValueId {
    if (node.op->kind == OpKind::kSink) return -1;
    if (const ValueId same = identity(out, node, in); same >= 0) return same;
    const auto folded = fold(out, node, in);
    const OpDef& op = folded ? find_op(OpId::kConstant) : *node.op;
    const std::vector<ValueId>& inputs = folded ? std::vector<ValueId>{} : in;
    const Attributes& attributes = folded ? *folded : node.attributes;
    const AttributeFields a = fields_of(attributes);
    Key key{&op, inputs, a.name, a.index, a.count, a.number, a.shape.dims};
    if (const auto it = seen.find(key); it != seen.end()) return it->second;
    const ValueId id = append(out, op, inputs, attributes);
    out.nodes[id].name = node.name;
    seen.emplace(std::move(key), id);
    return id;
  });
}

}  // namespace

Function remove_dead(const Function& f) {
  std::vector<char> live(f.nodes.size(), 0);
  for (auto id = static_cast<ValueId>(f.nodes.size()); id-- > 0;) {
    if (f.nodes[id].op->kind == OpKind::kSink) live[id] = 1;
    if (live[id])
      for (ValueId input : f.nodes[id].in) live[input] = 1;
  }
  Function out{.name = f.name, .nodes = {}, .forward = 0};
  std::vector<ValueId> renamed(f.nodes.size(), -1);
  for (ValueId id = 0; id < static_cast<ValueId>(f.nodes.size()); ++id) {
    if (!live[id]) continue;
    renamed[id] = static_cast<ValueId>(out.nodes.size());
    out.nodes.push_back(f.nodes[id]);
    for (ValueId& input : out.nodes.back().in) input = renamed[input];
    if (id < f.forward) out.forward = renamed[id] + 1;
  }
  return out;
}

Function simplify(Function f, const PassContext&) { return remove_dead(merge_equal(f)); }

}  // namespace cavs::inline v0_1

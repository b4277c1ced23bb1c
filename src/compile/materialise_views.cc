#include <map>
#include <set>

#include "compile/domains.h"
#include "compile/passes.h"
#include "ir/op.h"

namespace cavs::inline v0_1 {
namespace {

/// Gives memory to two kinds of values: a value that is written to a fixed place (a state, a column of a concat) gets
/// memory that no other value has; a value that would be read through two lists of rows gets memory without a list.
class Materialise {
 public:
  Function run(const Function& f) {
    return rewrite(f, [&](Function& out, const Node& node, const std::vector<ValueId>& in) -> ValueId {
      std::vector<ValueId> inputs = in;
      if (needs_own_memory(node))
        for (ValueId& input : inputs) input = own(out, input, target_domain(out, node, in));
      else if (node.op->kind != OpKind::kSource)
        for (std::size_t i = 0; i < inputs.size(); ++i) inputs[i] = unindexed(out, node, inputs, static_cast<int>(i));
      const ValueId id = append(out, *node.op, inputs, node.attributes);
      out.nodes[id].name = node.name;
      return id;
    });
  }

 private:
  static bool needs_own_memory(const Node& node) { return node.op->kind == OpKind::kConcat || node.op->places_input; }

  Domain target_domain(const Function& out, const Node& node, const std::vector<ValueId>& in) const {
    if (node.is(OpId::kScatterGradient)) return out.nodes[in[0]].domain;
    return node.op->kind == OpKind::kConcat ? node.domain : Domain{DomainKind::kVertex, {}};
  }

  /// Returns `input` if it is computed, has the domain, and no sink or concat has its memory yet; else a copy of it.
  ValueId own(Function& out, ValueId input, const Domain& domain) {
    const Node& node = out.nodes[input];
    if (is_computed(node) && node.domain == domain && owned_.insert(input).second) return input;
    ValueId source = input;
    if (node.domain != domain && is_indexed(out, input) && node.domain.kind != DomainKind::kParameter)
      source = append(out, OpId::kCopy, {input});
    const ValueId copy = append(out, OpId::kExpand, {source}, attr::Rows{domain});
    owned_.insert(copy);
    return copy;
  }

  ValueId unindexed(Function& out, const Node& node, const std::vector<ValueId>& inputs, int i) {
    const ValueId input = inputs[i];
    const bool constant = out.nodes[input].is(OpId::kConstant) && node.op->kind != OpKind::kElementwise;
    if (constant) return copied(out, input);
    if (!is_indexed(out, input)) return input;
    Node probe = node;
    probe.in = inputs;
    out.nodes.push_back(probe);
    const Domain reading = reading_domain(out, static_cast<ValueId>(out.nodes.size()) - 1, i);
    out.nodes.pop_back();
    const bool index_again = node.is({OpId::kCompact, OpId::kSegmentSum}) || out.nodes[input].domain != reading;
    if (!index_again || out.nodes[input].is_index) return input;
    return copied(out, input);
  }

  ValueId copied(Function& out, ValueId input) {
    const auto [it, fresh] = copies_.try_emplace(input, -1);
    if (fresh) it->second = append(out, OpId::kCopy, {input});
    return it->second;
  }

  std::set<ValueId> owned_;
  std::map<ValueId, ValueId> copies_;
};

}  // namespace

Function materialise_views(Function f, const PassContext&) { return Materialise().run(f); }

}  // namespace cavs::inline v0_1

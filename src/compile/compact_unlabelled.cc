#include <algorithm>
#include <map>
#include <vector>

#include "compile/passes.h"
#include "ir/op.h"

namespace cavs::inline v0_1 {
namespace {

/// Finds the values that only the losses of one label need, and the port of that label.
class LabelOnly {
 public:
  explicit LabelOnly(const Function& f) : f_(f), ports_(f.nodes.size()), readers_(f.nodes.size(), 0) {
    for (auto id = static_cast<ValueId>(f.nodes.size()); id-- > 0;) {
      if (!is_movable(id)) ports_[id].clear();
      for (std::size_t i = 0; i < f.nodes[id].in.size(); ++i) read(f.nodes[id].in[i], needed_by(id, i));
    }
  }

  /// Returns the port of the label whose losses alone need value `id`; empty if other nodes need the value, too.
  const std::string& port(ValueId id) const { return ports_[id]; }

 private:
  bool is_movable(ValueId id) const {
    const Node& node = f_.nodes[id];
    const OpKind kind = node.op->kind;
    const bool by_row = kind == OpKind::kElementwise || kind == OpKind::kRow || kind == OpKind::kMatmul ||
                        kind == OpKind::kConcat || kind == OpKind::kView;
    const auto fits = [&](ValueId input) {  // true if the input can be compacted or need not be; an index cannot
      const DomainKind domain = f_.nodes[input].domain.kind;
      return (domain == DomainKind::kParameter || domain == DomainKind::kVertex) && !is_mask(input) &&
             !f_.nodes[input].is_index;
    };
    return by_row && node.domain.kind == DomainKind::kVertex && !is_mask(id) &&
           std::all_of(node.in.begin(), node.in.end(), fits);
  }

  /// True for a dropout mask. Masks stay uncompacted: the loop that multiplies with a mask draws it for all vertices.
  bool is_mask(ValueId id) const { return f_.nodes[id].is(OpId::kDropoutMask); }

  /// Returns the port of the labels if node `id` needs only the labelled rows of its input `i`; otherwise "".
  std::string needed_by(ValueId id, std::size_t i) const {
    const Node& node = f_.nodes[id];
    if (node.is(OpId::kSoftmaxCrossEntropy) && i == 0 && f_.nodes[node.in[1]].is(OpId::kPullIndex))
      return f_.nodes[node.in[1]].attribute_name();
    return node.is(OpId::kSoftmaxCrossEntropy) ? std::string() : ports_[id];
  }

  void read(ValueId id, const std::string& port) {
    if (readers_[id]++ == 0)
      ports_[id] = port;
    else if (ports_[id] != port)
      ports_[id].clear();
  }

  const Function& f_;
  std::vector<std::string> ports_;
  std::vector<int> readers_;
};

}  // namespace

Function compact_unlabelled(Function f, const PassContext&) {
  const LabelOnly only(f);
  std::map<std::pair<ValueId, std::string>, ValueId> compacted;
  const auto compact = [&](Function& out, ValueId id, const std::string& port) {
    if (out.nodes[id].domain.kind != DomainKind::kVertex) return id;
    const auto [it, fresh] = compacted.try_emplace({id, port}, -1);
    if (fresh && out.nodes[id].is_index)
      it->second = append(out, OpId::kPullIndex, {}, attr::IndexPort{port, DomainKind::kLabelled});
    else if (fresh)
      it->second = append(out, OpId::kCompact, {id}, attr::Rows{{DomainKind::kLabelled, port}});
    return it->second;
  };
  return rewrite(f, [&](Function& out, const Node& node, const std::vector<ValueId>& in) -> ValueId {
    const bool is_loss = node.is(OpId::kSoftmaxCrossEntropy);
    const std::string port = only.port(is_loss ? node.in[0] : static_cast<ValueId>(&node - f.nodes.data()));
    if (port.empty()) return -1;
    std::vector<ValueId> inputs = in;
    for (ValueId& input : inputs) input = compact(out, input, port);
    const ValueId id = append(out, *node.op, inputs, node.attributes);
    out.nodes[id].name = node.name;
    return id;
  });
}

}  // namespace cavs::inline v0_1

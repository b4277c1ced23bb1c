#include <algorithm>
#include <vector>

#include "compile/passes.h"
#include "ir/op.h"

namespace cavs::inline v0_1 {
namespace {

/// Smallest number of classes for which tiles pay. Tiles avoid moving whole rows of logits to memory and back, and save
/// two of three calls of exp. They cost barriers and one pass over a gradient as large as the weight. Measured on a
/// language model of 64 hidden units: no gain at 64 classes, 5 % of the step at 256, 15 % and more from 1,000 on.
constexpr std::int64_t kFewestClasses = 256;

/// A product, its loss and, in training, the gradients of the logits, of x, of w and of b.
struct Tiled {
  ValueId product = -1, logits = -1, loss = -1, gradient = -1, bias = -1;
  ValueId dx = -1, dw = -1, db = -1;  // ids of the gradients of x, w and b in the new function
};

class TileSoftmax {
 public:
  explicit TileSoftmax(const Function& f)
      : f_(f), readers_(f.nodes.size()), inputs_(f.nodes.size()), tiled_of_(f.nodes.size(), -1) {
    const auto count = static_cast<ValueId>(f.nodes.size());
    for (ValueId id = 0; id < count; ++id)
      for (ValueId input : f.nodes[id].in) readers_[input].push_back(id);
    for (ValueId id = 0; id < f.forward; ++id)
      if (f.nodes[id].is(OpId::kSoftmaxCrossEntropy)) match(id);
  }

  Function run() {
    if (tiled_.empty()) return f_;
    return remove_dead(rewrite(f_, [&](Function& out, const Node& node, const std::vector<ValueId>& in) -> ValueId {
      const auto id = static_cast<ValueId>(&node - f_.nodes.data());
      inputs_[id] = in;
      const std::int32_t number = tiled_of_[id];
      if (number < 0) return -1;
      Tiled& t = tiled_[number];
      if (id == t.loss) return append_loss(out, t, number, in[1]);
      const OpId op = node.op->id;
      return op == OpId::kMatmulTransposed ? t.dx : op == OpId::kWeightGradient ? t.dw : t.db;
    }));
  }

 private:
  const Node& node(ValueId id) const { return f_.nodes[id]; }

  bool is_read_by(ValueId id, const std::vector<ValueId>& readers) const {
    return std::all_of(readers_[id].begin(), readers_[id].end(), [&](ValueId reader) {
      return std::find(readers.begin(), readers.end(), reader) != readers.end();
    });
  }

  void match(ValueId loss) {
    Tiled t{.loss = loss};
    t.logits = node(loss).in[0];
    if (node(t.logits).shape.size() < kFewestClasses || !find_product(t)) return;
    if (node(loss).domain.kind == DomainKind::kEdge) return;  // a tile cannot have rows of edges
    if (node(t.product).domain != node(loss).domain) return;  // tiles would compute rows that the product does not need
    for (ValueId reader : readers_[t.logits])
      if (node(reader).is(OpId::kSoftmaxCrossEntropyGrad)) t.gradient = reader;
    if (!is_read_by(t.logits, {t.loss, t.gradient})) return;
    if (t.product != t.logits && !is_read_by(t.product, {t.logits})) return;
    if (t.gradient >= 0 && !is_known_gradient(t)) return;
    const auto number = static_cast<std::int32_t>(tiled_.size());
    tiled_.push_back(t);
    tiled_of_[loss] = number;
    if (t.gradient >= 0)
      for (ValueId reader : readers_[t.gradient]) tiled_of_[reader] = number;
  }

  /// Sets t.product and returns true if logits = x w or x w + b.
  bool find_product(Tiled& t) const {
    t.product = t.logits;
    if (node(t.logits).is(OpId::kAdd)) {
      const std::vector<ValueId>& in = node(t.logits).in;
      const int side = node(in[0]).is(OpId::kMatmul) ? 0 : 1;
      t.product = in[side];
      t.bias = in[1 - side];
      if (!node(t.bias).is(OpId::kParameter) || node(t.bias).shape != node(t.product).shape) return false;
    }
    return node(t.product).is(OpId::kMatmul);
  }

  /// True if the logits' gradient comes from the loss alone, so F can compute it, and only those of x, w and b read it.
  bool is_known_gradient(const Tiled& t) const {
    const std::vector<ValueId>& in = node(t.gradient).in;
    ValueId dy = in[2];
    if (node(dy).is(OpId::kExpand)) dy = node(dy).in[0];
    if (in[0] != t.logits || in[1] != node(t.loss).in[1] || !node(dy).is(OpId::kLossGradient)) return false;
    const ValueId x = node(t.product).in[0], w = node(t.product).in[1];
    return std::all_of(readers_[t.gradient].begin(), readers_[t.gradient].end(), [&](ValueId id) {
      const Node& reader = node(id);
      const OpId op = reader.op->id;
      if (op == OpId::kMatmulTransposed) return reader.in[0] == t.gradient && reader.in[1] == w;
      if (op == OpId::kWeightGradient) return reader.in[0] == x && reader.in[1] == t.gradient;
      return op == OpId::kSumRows && t.bias >= 0;
    });
  }

  bool wants(const Tiled& t, OpId op) const {
    return t.gradient >= 0 && std::any_of(readers_[t.gradient].begin(), readers_[t.gradient].end(),
                                          [&](ValueId reader) { return node(reader).is(op); });
  }

  ValueId append_loss(Function& out, Tiled& t, std::int32_t number, ValueId label) const {
    std::vector<ValueId> inputs{inputs_[t.product][0], inputs_[t.product][1], label};
    if (t.bias >= 0) inputs.push_back(inputs_[t.logits][node(t.logits).in[0] == t.bias ? 0 : 1]);
    const auto make = [&](OpId op) { return append(out, op, inputs, attr::Loss{number}); };
    const ValueId loss = make(OpId::kLinearCrossEntropy);
    out.nodes[loss].name = node(t.loss).name;
    if (t.gradient < 0) return loss;
    inputs.push_back(append(out, OpId::kLossGradient, {}));
    if (wants(t, OpId::kMatmulTransposed)) t.dx = make(OpId::kLinearCrossEntropyDx);
    if (wants(t, OpId::kWeightGradient)) t.dw = make(OpId::kLinearCrossEntropyDw);
    if (wants(t, OpId::kSumRows)) t.db = make(OpId::kLinearCrossEntropyDb);
    return loss;
  }

  const Function& f_;
  std::vector<std::vector<ValueId>> readers_, inputs_;  // inputs_: ids in the new function
  std::vector<std::int32_t> tiled_of_;                  // [nodes] index in tiled_ of what replaces the node, or -1
  std::vector<Tiled> tiled_;
};

}  // namespace

Function tile_softmax(Function f, const PassContext&) { return TileSoftmax(f).run(); }

}  // namespace cavs::inline v0_1

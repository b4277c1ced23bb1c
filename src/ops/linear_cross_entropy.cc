#include "ir/op.h"

// softmax_cross_entropy(x w + b, label) as one operator, and its gradients by x, w and b. Inputs: x, w, label, b where
// there is one, and last, of the gradients, dy. The pass tile_softmax makes them; attr::Loss is the number of
// the loss in its function, the same for its gradients, so that one instruction computes them together.
namespace cavs::inline v0_1 {
namespace {

/// The label, which is a class of the product.
IndexInput linear_label() {
  return {.input = 2,
          .limit = [](const Function& f, const Node& node) { return f.nodes[node.in[1]].shape.dims[1]; },
          .declared_as = "softmax_cross_entropy"};
}

}  // namespace

extern const OpDef kLinearCrossEntropy{
    .name = "linear_cross_entropy",
    .id = OpId::kLinearCrossEntropy,
    .params = {"x", "w", "label", "b"},
    .attributes = attr::Loss{},
    .kind = OpKind::kLinearLoss,
    .variadic = true,
    .in_public = false,
    .index = linear_label(),
    .infer = [](Inference& i) { i.set_shape({}); },
    .doc = "softmax_cross_entropy(x w + b, label) without logits in memory: []; b may be left out. index: which loss.",
};

extern const OpDef kLinearCrossEntropyDx{
    .name = "linear_cross_entropy_dx",
    .id = OpId::kLinearCrossEntropyDx,
    .params = {"x", "w", "label", "b", "dy"},
    .attributes = attr::Loss{},
    .kind = OpKind::kLinearLoss,
    .variadic = true,
    .in_public = false,
    .index = linear_label(),
    .infer = [](Inference& i) { i.set_shape({i.in(1).shape.dims[0]}); },
    .doc = "Gradient of linear_cross_entropy by x: [k].",
};

extern const OpDef kLinearCrossEntropyDw{
    .name = "linear_cross_entropy_dw",
    .id = OpId::kLinearCrossEntropyDw,
    .params = {"x", "w", "label", "b", "dy"},
    .attributes = attr::Loss{},
    .kind = OpKind::kLinearLoss,
    .variadic = true,
    .in_public = false,
    .domain = DomainKind::kParameter,
    .index = linear_label(),
    .infer = [](Inference& i) { i.set_shape(i.in(1).shape); },
    .doc = "Gradient of linear_cross_entropy by w, summed over all rows: [k, n].",
};

extern const OpDef kLinearCrossEntropyDb{
    .name = "linear_cross_entropy_db",
    .id = OpId::kLinearCrossEntropyDb,
    .params = {"x", "w", "label", "b", "dy"},
    .attributes = attr::Loss{},
    .kind = OpKind::kLinearLoss,
    .variadic = true,
    .in_public = false,
    .domain = DomainKind::kParameter,
    .index = linear_label(),
    .infer = [](Inference& i) { i.set_shape({i.in(1).shape.dims[1]}); },
    .doc = "Gradient of linear_cross_entropy by b, summed over all rows: [n].",
};

}  // namespace cavs::inline v0_1

#include "ir/op.h"

// The operator softmax_cross_entropy(x w + b, label), and its gradients with respect to x, w and b. The inputs are x,
// w, label, then b if there is one, and for gradients dy. The pass tile_softmax creates these operators. attr::Loss is
// the number of the loss in its function. A loss and its gradients have the same number, so that one instruction
// computes them together.
namespace cavs::inline v0_1 {
namespace {

/// Returns the index input `label`, whose limit is the number of columns of the product.
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
    .doc =
        "softmax_cross_entropy(x w + b, label) without logits in memory; shape []. b is optional. `index` is the "
        "number of the loss.",
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
    .doc = "Gradient of linear_cross_entropy by x; shape [k].",
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
    .doc = "Gradient of linear_cross_entropy by w, summed over all rows; shape [k, n].",
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
    .doc = "Gradient of linear_cross_entropy by b, summed over all rows; shape [n].",
};

}  // namespace cavs::inline v0_1

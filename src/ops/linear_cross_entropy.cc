#include "ir/op.h"

// softmax_cross_entropy(x w + b, label) as one operator, and its gradients by x, w and b. Inputs: x, w, label, b if
// there is one, and for gradients dy. The pass tile_softmax makes them. attr::Loss is the number of the loss in its
// function, the same for a loss and its gradients, so that one instruction computes them together.
namespace cavs::inline v0_1 {
namespace {

/// The label is a class of the product: below its number of columns.
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

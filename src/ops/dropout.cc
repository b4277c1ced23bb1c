#include "ir/builder.h"
#include "ir/op.h"

namespace cavs::inline v0_1 {
namespace {

/// Composes dropout of a mask and a product. Numbers the mask in its function now, before passes change the function.
Value dropped(const std::vector<Value>& in, const Attributes& attributes) {
  auto dropout = std::get<attr::Dropout>(attributes);
  if (dropout.probability == 0) return in[0];
  FunctionBuilder& builder = *in[0].builder();
  dropout.mask = 0;
  for (const Node& node : builder.function().nodes) dropout.mask += node.is(OpId::kDropoutMask);
  return in[0] * builder.apply(OpId::kDropoutMask, {in[0]}, dropout);
}

}  // namespace

extern const OpDef kDropout{
    .name = "dropout",
    .id = OpId::kDropout,
    .params = {"x"},
    .attributes = attr::Dropout{},
    .infer = {},
    .expand = dropped,
    .doc =
        "Zeroes elements with probability `number` and scales the rest by 1 / (1 - number), in training only. If  "
        "`count` is not 0, all vertices of a sample share one mask.",
};

extern const OpDef kDropoutMask{
    .name = "dropout_mask",
    .id = OpId::kDropoutMask,
    .params = {"x"},
    .attributes = attr::Dropout{},
    .in_public = false,
    .infer =
        [](Inference& i) {
          const double p = i.get<attr::Dropout>().probability;
          if (!(p >= 0 && p < 1)) i.fail("the probability must be in [0, 1), found {}", p);
          if (i.node().domain.kind != DomainKind::kEdge) i.node().domain = {DomainKind::kVertex, {}};
          i.set_shape(i.in(0).shape);
        },
    .reference =
        [](Reference& r) {
          const double p = r.get<attr::Dropout>().probability;
          for (std::int64_t i = 0; i < r.y.rows; ++i)
            for (std::int64_t j = 0; j < r.y.width; ++j) r.y.at(i, j) = r.random(i, j) * (1 / (1 - p));
        },
    .doc =
        "0 with probability `number`, else 1 / (1 - number); drawn by (seed, epoch, sample, vertex or child slot, "
        "node, column), without the vertex or slot if `count` is not 0.",
};

}  // namespace cavs::inline v0_1

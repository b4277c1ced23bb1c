#include "declare/builder.h"

namespace cavs {
namespace {

/// The mask is numbered in its function, so that it stays the same whatever the passes do.
Value dropped(const std::vector<Value>& in, const Attributes& attributes) {
  if (attributes.number == 0) return in[0];
  Attributes numbered = attributes;
  for (const Node& node : in[0].builder()->function().nodes) numbered.index += node.op->name == "dropout_mask";
  return in[0] * apply_op("dropout_mask", {in[0]}, numbered);
}

}  // namespace

extern const OpDef kDropout{
    .name = "dropout",
    .params = {"x"},
    .infer = {},
    .expand = dropped,
    .doc =
        "Zeroes elements with probability `number` and scales the rest by 1 / (1 - number); in training only. count: "
        "not 0 for one mask a sample.",
};

}  // namespace cavs

#include "declare/builder.h"

namespace cavs {

extern const OpDef kDropout{
    .name = "dropout",
    .params = {"x"},
    .infer = {},
    .expand = [](const std::vector<Value>& in,
                 const Attributes& attributes) { return in[0] * apply_op("dropout_mask", {in[0]}, attributes); },
    .doc = "Zeroes elements with probability `number` and scales the rest by 1 / (1 - number); in training only.",
};

}  // namespace cavs

#include "ops/op.h"

namespace cavs {

extern const OpDef kMeanSquaredError{
    .name = "mean_squared_error",
    .params = {"x", "target"},
    .infer = {},
    .expand = [](const std::vector<Value>& in, const Attributes&) { return mean_features(square(in[0] - in[1])); },
    .doc = "Mean over the features of (x - target)^2: [].",
};

}  // namespace cavs

#include "ir/op.h"
#include "ir/presence.h"

namespace cavs::inline v0_1 {
namespace {

/// Where what is given is absent, there is nothing to be near to.
Value mean_squared_error_of(const std::vector<Value>& in, const Attributes&) {
  const Value error = mean_features(square(in[0] - in[1]));
  const std::vector<DataPort> target = ports_read(in[1]);
  return where_present(error, target.empty() ? ports_read(in[0]) : target);
}

}  // namespace

extern const OpDef kMeanSquaredError{
    .name = "mean_squared_error",
    .id = OpId::kMeanSquaredError,
    .params = {"x", "target"},
    .infer = {},
    .expand = mean_squared_error_of,
    .doc =
        "Mean over the features of (x - target)^2: []; 0 where the target is pulled and the vertex (or edge) has none.",
};

}  // namespace cavs::inline v0_1

#include "ir/op.h"
#include "ir/presence.h"

namespace cavs::inline v0_1 {
namespace {

/// Composes the mean squared error of other operators. It is 0 where a port that the target reads has no input. If the
/// target reads no port, the ports that x reads count.
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
    .doc = "Mean of (x - target)^2 over the features; shape []. It is 0 where a pulled target is absent.",
};

}  // namespace cavs::inline v0_1
